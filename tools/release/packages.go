package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/apk"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"

	"github.com/sess-tools/sess/tools/release/names"
)

const (
	summary    = "Unix tools for the session files of coding agents"
	homepage   = "https://github.com/sess-tools/sess"
	maintainer = "The sess authors <sess-tools@users.noreply.github.com>"
)

const about = `Small programs that read and write the sessions of coding agents, which are
files of JSON Lines: they append, walk, compact, fork, merge, list, search,
check, convert and share them. Any command line LLM writes the answers.`

// packages returns what makes the packages for a platform.
func (b *build) packages(t names.Target, tree []file) []func() error {
	pack := func(format, name string, packager nfpm.Packager, files func([]file) ([]file, error)) func() error {
		return func() error {
			installed, err := files(tree)
			if err != nil {
				return err
			}
			info, err := b.info(t, format, installed)
			if err != nil {
				return err
			}
			var out bytes.Buffer
			if err := packager.Package(info, &out); err != nil {
				return fmt.Errorf("packing %s: %w", name, err)
			}
			return b.write(name, out.Bytes())
		}
	}
	return []func() error{ // the slowest first
		pack("deb", names.Deb(b.version, t), deb.Default, b.debian),
		pack("rpm", names.RPM(b.version, t), rpm.DefaultRPM, compressedPages),
		pack("apk", names.APK(b.version, t), apk.Default, compressedPages),
	}
}

// info says what a package is. Its files are put into a directory, from where they are packed; modes, owners and times
// are said and not taken from there.
func (b *build) info(t names.Target, format string, installed []file) (*nfpm.Info, error) {
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "sess", Arch: t.Arch, Platform: t.OS, Version: b.version, Section: "utils", Priority: "optional",
		Maintainer: maintainer, Vendor: "sess-tools", Description: about, Homepage: homepage, License: "MIT",
		DisableGlobbing: true, MTime: b.time,
	})
	info.RPM.BuildHost, info.RPM.Group, info.RPM.Summary, info.RPM.Packager = "localhost", "Applications/Text", summary, maintainer
	// It sees what the programs share, which a window of gzip is too small for.
	info.RPM.Compression, info.Deb.Compression = "xz", "xz"
	if b.quick {
		info.RPM.Compression, info.Deb.Compression = "gzip:1", "gzip:1"
	}
	switch format {
	case "deb": // in which the first line is the summary, and copyright has the licence
		info.Description, info.License = summary+"\n"+about, ""
	case "rpm":
		info.Release = "1"
	case "apk": // a field is one line
		info.Description = summary
	}
	dir := filepath.Join(b.work, t.OS+"-"+t.Arch+"-"+format)
	for _, f := range installed {
		if err := place(dir, f); err != nil {
			return nil, err
		}
		info.Contents = append(info.Contents, &files.Content{
			Source: filepath.Join(dir, filepath.FromSlash(f.path)), Destination: "/usr/" + f.path,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode, MTime: b.time},
		})
	}
	// Of the directories these are nobody else's: rpm removes what a package owns.
	for _, dir := range []string{"doc/sess", "sess", "sess/.claude-plugin", "sess/skills", "sess/skills/sess"} {
		info.Contents = append(info.Contents, &files.Content{
			Destination: "/usr/share/" + dir, Type: files.TypeDir,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: 0o755, MTime: b.time},
		})
	}
	return info, nfpm.PrepareForPackager(info, format)
}

// compressedPages compresses the manual pages, as packages have them.
func compressedPages(tree []file) ([]file, error) {
	out := make([]file, 0, len(tree))
	for _, f := range tree {
		if strings.HasPrefix(f.path, "share/man/") {
			data, err := gz(f.data)
			if err != nil {
				return nil, err
			}
			f.path, f.data = f.path+".gz", data
		}
		out = append(out, f)
	}
	return out, nil
}

// debian puts the files where Debian's policy wants them, and adds what it asks for.
func (b *build) debian(tree []file) ([]file, error) {
	tree, err := compressedPages(tree)
	if err != nil {
		return nil, err
	}
	var out []file
	license := ""
	for _, f := range tree {
		switch {
		case f.path == "share/doc/sess/LICENSE":
			license = string(f.data)
			continue
		case f.path == "share/doc/sess/CHANGELOG.md", f.path == "share/doc/sess/"+names.Notices:
			if f.data, err = gz(f.data); err != nil {
				return nil, err
			}
			f.path += ".gz"
		case strings.HasPrefix(f.path, "share/zsh/"):
			f.path = "share/zsh/vendor-completions/" + filepath.Base(f.path)
		}
		out = append(out, f)
	}
	log, err := gz([]byte(b.debianLog()))
	if err != nil {
		return nil, err
	}
	return append(out,
		file{"share/doc/sess/changelog.gz", 0o644, log},
		file{"share/doc/sess/copyright", 0o644, []byte(debianCopyright(license))},
		// The programs are Go: they are static so that they run anywhere, images without a libc included.
		file{"share/lintian/overrides/sess", 0o644, []byte("sess: statically-linked-binary\n")},
	), nil
}

// debianLog is the change log in Debian's form. The project's own stands beside it.
func (b *build) debianLog() string {
	return fmt.Sprintf("sess (%s) unstable; urgency=medium\n\n  * Release %s: see CHANGELOG.md.gz.\n\n -- %s  %s\n",
		strings.Replace(b.version, "-", "~", 1), b.version, maintainer, b.time.Format(time.RFC1123Z))
}

func debianCopyright(license string) string {
	_, terms, _ := strings.Cut(license, "\n\n")
	holder, terms, _ := strings.Cut(terms, "\n\n")
	var text strings.Builder
	for line := range strings.Lines(strings.TrimSpace(terms)) {
		if line = strings.TrimSpace(line); line == "" {
			line = "."
		}
		text.WriteString(" " + line + "\n")
	}
	return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: sess
Source: ` + homepage + `
Comment:
 The programs link modules of others. Their notices are in ` + names.Notices + `.gz,
 beside this file.

Files: *
Copyright: ` + strings.TrimPrefix(holder, "Copyright (c) ") + `
License: Expat

License: Expat
` + text.String()
}
