package store

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/session"
)

const (
	testTime = "2026-01-02T03:04:05.678Z"
	testID   = "019b0000-0000-7000-8000-00000000aaaa"
)

func TestEncodeCWD(t *testing.T) {
	t.Parallel()
	for cwd, want := range map[string]string{
		// Values of docs/formats/pi.md and omp.md.
		"/home/u/my.proj": "--home-u-my.proj--",
		"/":               "----",
		`C:\a`:            "--C--a--",
		"/srv/pi":         "--srv-pi--",
		"/home/u/a/b.c:d": "--home-u-a-b.c-d--",
		"/srv/My Proj":    "--srv-My Proj--",
		"/a/b-c":          "--a-b-c--",
		"/a-b/c":          "--a-b-c--",
		// Edges.
		"":                "----",
		`\`:               "----",
		"//srv/share":     "---srv-share--",
		`\\srv\share`:     "---srv-share--",
		"/a/":             "--a---",
		"relative/dir":    "--relative-dir--",
		"..":              "--..--",
		"/../../etc":      "--..-..-etc--",
		"/数据/été":         "--数据-été--",
		"/bad\xffutf8":    "--bad\xffutf8--",
		":":               "-----",
		"/line\nfeed\x1b": "--line\nfeed\x1b--",
	} {
		if got := EncodeCWD(cwd); got != want {
			t.Errorf("EncodeCWD(%q) = %q, want %q", cwd, got, want)
		}
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	const pi = "2026-11-21T03-08-02-804Z_01a1fc13-4173-73d3-8273-e3e1ca1285c1.jsonl"
	got, err := FileName("2026-11-21T03:08:02.804Z", "01a1fc13-4173-73d3-8273-e3e1ca1285c1")
	if err != nil || got != pi {
		t.Errorf("got %q, %v; want %q", got, err, pi)
	}
	for _, id := range []string{"a", "7", "a.b_c-d", "A..B"} {
		if _, err := FileName(testTime, id); err != nil {
			t.Errorf("id %q: %v", id, err)
		}
	}
	for _, id := range []string{
		"", ".", "..", "-", "a/b", "../a", `a\b`, "a b", "-a", "a-", ".a", "a.", "_a", "a_", "é", "a\n", "a\x00b", "a:b",
	} {
		if name, err := FileName(testTime, id); err == nil {
			t.Errorf("id %q: accepted as %q", id, name)
		}
	}
	for _, timestamp := range []string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05+01:00", "2026-01-02"} {
		if _, err := FileName(timestamp, testID); err != nil {
			t.Errorf("timestamp %q: %v", timestamp, err)
		}
	}
	for _, timestamp := range []string{
		"", "..", "../2026", "2026/01/02", "-1", "Z", "2026_01", "2026 01", "2026\x00", "2026-01-02T٣", strings.Repeat("2", 41),
	} {
		if name, err := FileName(timestamp, testID); err == nil {
			t.Errorf("timestamp %q: accepted as %q", timestamp, name)
		}
	}
}

func TestIDOf(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"2026-01-02T03-04-05-678Z_abc.jsonl":        "abc",
		"/s/--p--/2026-01-02T03-04-05Z_a_b-c.jsonl": "a_b-c",
		"2026-01-02_abc.jsonl":                      "abc",
		"2026-01-02T03-04-05-678Z_.jsonl":           "",
		"2026-01-02T03-04-05-678Z.jsonl":            "",
		"notes_abc.jsonl":                           "",
		"abc.jsonl":                                 "",
		"_abc.jsonl":                                "",
		"2026-01-02T03-04-05-678Z_abc.txt":          "",
	} {
		id, ok := idOf(path)
		if ok != (want != "") || ok && id != want {
			t.Errorf("idOf(%q) = %q, %v; want %q", path, id, ok, want)
		}
	}
}

// FuzzPathFor states what holds whatever a header says: a path is either
// refused or two elements below the store, and its name gives the id back.
func FuzzPathFor(f *testing.F) {
	f.Add("/home/u/proj", testTime, testID)
	f.Add("/../..", "../x", "..")
	f.Add(`C:\..\..`, "2026-01-02", "a/../b")
	f.Add("\x00", testTime, "a_b")
	s := Open(filepath.FromSlash("/the/store"))
	f.Fuzz(func(t *testing.T, cwd, timestamp, id string) {
		path, err := s.PathFor(cwd, timestamp, id)
		if err != nil {
			if session.ValidSessionID(id) && timestamp == testTime && !strings.ContainsRune(cwd, 0) {
				t.Fatalf("refused: %v", err)
			}
			return
		}
		if strings.ContainsRune(path, 0) {
			t.Fatalf("%q is no path", path)
		}
		rel, err := filepath.Rel(s.Dir(), path)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(rel, string(filepath.Separator))
		if len(parts) != 2 || parts[0] != EncodeCWD(cwd) || parts[0] == ".." {
			t.Fatalf("PathFor(%q, %q, %q) = %q leaves the store", cwd, timestamp, id, path)
		}
		if got, ok := idOf(path); !ok || got != id {
			t.Fatalf("idOf(%q) = %q, %v; want %q", path, got, ok, id)
		}
		if strings.HasPrefix(parts[1], ".") || !strings.HasSuffix(parts[1], ext) {
			t.Fatalf("%q would not be listed", path)
		}
	})
}
