package cli

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// The status of another tool becomes ours, and its message stays.
func TestWithStatus(t *testing.T) {
	t.Parallel()
	cause := errors.New("it said so")
	for status, want := range map[int]int{
		1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 130: 130, // the table
		0: 2, 7: 2, 127: 2, 141: 2, -1: 2,
	} {
		err := WithHint(fmt.Errorf("reading x: %w", WithStatus(cause, status)), "a hint")
		if got := Status(err); got != want || err.Error() != "reading x: it said so" || !errors.Is(err, cause) {
			t.Errorf("%d: status %d, want %d: %v", status, got, want, err)
		}
	}
	if err := WithStatus(nil, 3); err != nil {
		t.Errorf("nil became %v", err)
	}
}

func TestUnread(t *testing.T) {
	t.Parallel()
	s, gate := &Streams{}, &Streams{}
	gate.Gate()
	if err := s.Unread(0, 3, ExitMalformed); err != nil {
		t.Errorf("none: %v", err)
	}
	for want, err := range map[string]error{
		"1 of 1 session not read to the end":                            s.Unread(1, 1, ExitMalformed),
		"2 of 1,000 sessions not read to the end":                       s.Unread(2, 1000, ExitMalformed),
		"2 of 41 sessions could not be read; the gate did not see them": gate.Unread(2, 41, ExitMalformed),
	} {
		if err.Error() != want || Status(err) != ExitMalformed {
			t.Errorf("%v with status %d, want %s", err, Status(err), want)
		}
	}
}

func TestVersionOf(t *testing.T) {
	t.Parallel()
	const commit = "0123456789abcdef0123456789abcdef01234567"
	info := func(version, revision string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: revision}}}
	}
	const unfilled = "$Format:%(describe:tags,match=v*)$ $Format:%H$\n"
	for name, c := range map[string]struct {
		stamped, archived string
		info              *debug.BuildInfo
		want              string
	}{
		"by scripts/install":             {"v1.2.3-4-g0123456", "v9.0.0 " + commit, info("v8.0.0", commit), "v1.2.3-4-g0123456"},
		"archive of a tag":               {"", "v1.2.3 " + commit + "\n", info("(devel)", ""), "v1.2.3 0123456789ab"},
		"archive behind a tag":           {"", "v1.2.3-4-g0123456 " + commit + "\n", nil, "v1.2.3-4-g0123456"},
		"archive without a tag":          {"", " " + commit + "\n", nil, "(devel) 0123456789ab"},
		"archive by an old git":          {"", "%(describe:tags,match=v*) " + commit + "\n", nil, "(devel) 0123456789ab"},
		"archive, formats half filled":   {"", "$Format:%(describe)$ " + commit, nil, "(devel) 0123456789ab"},
		"working copy, built with git":   {"", unfilled, info("(devel)", commit), "(devel) 0123456789ab"},
		"working copy at a tag":          {"", unfilled, info("v1.2.3", commit), "v1.2.3 0123456789ab"},
		"working copy, pseudo-version":   {"", unfilled, info("v0.0.0-20260102030405-0123456789ab", commit), "v0.0.0-20260102030405-0123456789ab"},
		"go install of a version":        {"", unfilled, info("v1.2.3", ""), "v1.2.3"},
		"without anything":               {"", unfilled, info("", ""), "(devel)"},
		"without anything, not even Go":  {"", "", nil, "(devel)"},
		"a commit that is cut, by a tag": {"", "v1 abc", nil, "v1 abc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := versionOf(c.stamped, c.archived, c.info); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The line appears after a while, ten times a second at most, and never beside other words.
func TestProgress(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	now := time.Unix(0, 0)
	p := newProgress(&b, func() time.Time { return now }, time.Second)
	for n := range 20 {
		p.Showf("%d", n)
		now = now.Add(70 * time.Millisecond)
	}
	p.Aside(func() { b.WriteString("first\n") })
	p.Clear()
	if got, want := b.String(), clearLine+"15"+clearLine+"17"+clearLine+"19"+clearLine+"first\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Reset()
	p = newProgress(&b, func() time.Time { return now }, time.Second)
	p.Showf("too early")
	p.Clear()
	if b.Len() > 0 {
		t.Errorf("of less than a second: %q", &b)
	}
	silent := (&Streams{}).Progress()
	silent.Showf("nothing")
	silent.Aside(func() { b.WriteString("told") })
	if b.String() != "told" {
		t.Errorf("without a terminal: %q", &b)
	}
}
