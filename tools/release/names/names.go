// Package names says what the artifacts of a release are called. It imports nothing outside the
// standard library, so a test can hold README.md to it without the modules of the release tool.
package names

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Target is a platform that programs are built for.
type Target struct{ OS, Arch string }

func (t Target) String() string { return t.OS + "/" + t.Arch }

// Targets are the platforms of a release. Packages and images are for Linux alone. There is none for Windows:
// the tools compile there, and fail their tests (docs/platforms.md).
var Targets = []Target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

// Base is where the artifacts of a version are published.
const Base = "https://github.com/sess-tools/sess/releases/download/"

var valid = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$`)

// Check reports an error unless the version is a semantic one without a "v" and without
// build metadata.
func Check(version string) error {
	if !valid.MatchString(version) {
		return fmt.Errorf("the version %q is not of the form 1.2.3 or 1.2.3-rc.1", version)
	}
	return nil
}

// URL is the address of an artifact.
func URL(version, name string) string { return Base + "v" + version + "/" + name }

// Root is the name of the directory that an archive unpacks to.
func Root(version string, t Target) string { return "sess_" + version + "_" + t.OS + "_" + t.Arch }

// Archive is the archive of the programs for a platform.
func Archive(version string, t Target) string { return Root(version, t) + ".tar.gz" }

// Source is the archive of the sources.
func Source(version string) string { return SourceRoot(version) + ".tar.gz" }

// SourceRoot is the name of the directory that the sources unpack to.
func SourceRoot(version string) string { return "sess-" + version }

// Deb is the package for Debian.
func Deb(version string, t Target) string { return "sess_" + version + "_" + t.Arch + ".deb" }

// RPM is the package for Fedora and openSUSE. It has the kernel's names of processors.
func RPM(version string, t Target) string {
	return "sess-" + version + "." + machine(t.Arch) + ".rpm"
}

// APK is the package for Alpine, with the kernel's names of processors.
func APK(version string, t Target) string {
	return "sess_" + version + "_" + machine(t.Arch) + ".apk"
}

// Image is an image of a container, as "docker load" and "podman load" read it.
func Image(version string, t Target) string { return Root(version, t) + "_image.tar" }

// What there is once in a release.
const (
	Sums    = "SHA256SUMS"
	Notices = "NOTICES.txt"
	SBOM    = "sess.cdx.json"
	Notes   = "RELEASE_NOTES.md"
	Formula = "sess.rb"
	Nix     = "sess.nix"
)

func machine(arch string) string {
	return map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch]
}

// All returns the names of all artifacts for the targets, sorted.
func All(version string, targets []Target) []string {
	all := []string{Sums, Notices, SBOM, Notes, Formula, Nix, Source(version)}
	for _, t := range targets {
		all = append(all, Archive(version, t))
		if t.OS == "linux" {
			all = append(all, Deb(version, t), RPM(version, t), APK(version, t), Image(version, t))
		}
	}
	slices.Sort(all)
	return all
}

// Parse returns the targets of a list such as "linux/amd64,darwin/arm64".
func Parse(list string) ([]Target, error) {
	var out []Target
	for word := range strings.SplitSeq(list, ",") {
		t := Target{path.Dir(word), path.Base(word)}
		if t.OS == "windows" {
			return nil, fmt.Errorf("there is no release for %q: no tool passes its tests on Windows (docs/platforms.md)", word)
		}
		if !slices.Contains(Targets, t) {
			return nil, fmt.Errorf("there is no release for %q: it is for %v", word, Targets)
		}
		out = append(out, t)
	}
	return out, nil
}
