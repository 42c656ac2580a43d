package clikit

import (
	_ "embed"
	"runtime/debug"
	"strings"
)

// version is set by scripts/install with -ldflags -X.
var version string

// archived is "VERSION COMMIT" in an archive of the sources: git fills it in, as does
// scripts/release. In a working copy it is the two formats that git would replace.
//
//go:embed archive.txt
var archived string

// Version returns the version of the running binary and, if it is known and no part of the version,
// the beginning of the commit behind it: what scripts/install said, else what the archive says that
// it was built from, else what Go recorded, else "(devel)".
func Version() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(version, archived, info)
}

func versionOf(stamped, archived string, info *debug.BuildInfo) string {
	if stamped != "" {
		return stamped
	}
	if v, commit := ofArchive(archived); commit != "" {
		return withCommit(v, commit)
	}
	if info == nil || info.Main.Version == "" {
		return "(devel)"
	}
	return withCommit(info.Main.Version, revision(info))
}

// ofArchive returns what an archive says of itself. An archive of a commit without a tag has no version,
// and a git that is older than 2.32 leaves the format of the version as it is.
func ofArchive(text string) (version, commit string) {
	words := strings.Fields(text)
	if len(words) == 0 || strings.Contains(words[len(words)-1], "$") {
		return "", ""
	}
	commit = words[len(words)-1]
	if len(words) == 2 && !strings.ContainsAny(words[0], "$%") {
		return words[0], commit
	}
	return "(devel)", commit
}

// revision is the commit that Go found in the working copy, "" if there was none.
func revision(info *debug.BuildInfo) string {
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

// withCommit adds the commit to a version, unless the version says it, as that of an untagged
// commit does.
func withCommit(version, commit string) string {
	commit = commit[:min(12, len(commit))]
	if commit == "" || strings.Contains(version, commit[:min(7, len(commit))]) {
		return version
	}
	return version + " " + commit
}
