package clikit

import (
	"runtime/debug"
	"testing"
)

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
