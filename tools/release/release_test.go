package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/tools/release/names"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "CHANGELOG.md")
	if err := os.WriteFile(log, []byte("# Changes\n\n## Unreleased\n\n- new\n\n## 1.1.0 (2026-01-02)\n\n- later\n\n## 1.0.0\n\n- first\n\n## 0.9.0\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{
		"1.1.0":      "# sess 1.1.0\n\n- later\n",
		"1.0.0":      "# sess 1.0.0\n\n- first\n",
		"2.0.0-rc.1": "# sess 2.0.0-rc.1\n\n- new\n",
		"2.0.0":      "", // not a release of what has no section
		"1.0":        "",
		"0.9.0":      "", // nothing in it
	} {
		got, err := changes(log, version)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v; want %q", version, got, err, want)
		}
	}
}

func TestSPDX(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                                         "Apache-2.0",
		"Permission is hereby granted, free of charge,\nto any person obtaining a copy":                        "MIT",
		"Redistribution and use in source and binary forms, with\nor without … Neither the name of":            "BSD-3-Clause",
		"Redistribution and use in source and binary forms, with or without":                                   "BSD-2-Clause",
		"Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee": "ISC",
		"Mozilla Public License Version 2.0":                                                                   "MPL-2.0",
		"GNU GENERAL PUBLIC LICENSE Version 3":                                                                 "",
		"All rights reserved.":                                                                                 "",
	} {
		if got := spdx(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLicensesAreKnown(t *testing.T) {
	t.Parallel()
	modules := map[string]*module{"example.com/a": {version: "v1.0.0"}}
	if err := licenses(modules, []notice{{"example.com/a v1.0.0", "LICENSE", "do what you want"}}); err == nil {
		t.Error("a licence that nobody has read passes")
	}
	if err := licenses(modules, []notice{{"example.com/a v1.0.0", "LICENSE", "Mozilla Public License, Version 2.0"}}); err != nil {
		t.Error(err)
	}
}

func TestNoticeName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"LICENSE": true, "LICENCE.txt": true, "license.md": true, "COPYING": true, "NOTICE": true, "PATENTS": true, "AUTHORS": true,
		"LICENSE.gitleaks": true, "LICENSE-3RD-PARTY.md": true, "SQLITE-LICENSE": true, "README.md": false, "licenses_check.txt": true, "sublicense": false,
	} {
		if got := noticeName.MatchString(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The bytes of an archive depend on what is in it, and on nothing else.
func TestArchives(t *testing.T) {
	t.Parallel()
	at := time.Unix(1700000000, 0)
	files := []file{{"b/x", 0o755, []byte("x")}, {"a", 0o644, []byte("a")}}
	one, err := tarGz("root", files, at, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(files)
	other, err := tarGz("root", files, at.In(time.FixedZone("east", 3600)), gzip.BestSpeed)
	if err != nil || !bytes.Equal(one, other) {
		t.Errorf("%v: the order of the files, or the zone of the time, is in the archive", err)
	}
	if got, want := list(t, one), "root/ 755, root/a 644, root/b/ 755, root/b/x 755"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func list(t *testing.T, archive []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return strings.Join(all, ", ")
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" {
			t.Errorf("%s: owned by %d:%d %s", h.Name, h.Uid, h.Gid, h.Uname)
		}
		all = append(all, h.Name+" "+strconv.FormatInt(h.Mode, 8))
	}
}

// Each reference of a bill of materials leads to a component, no two have the same, and nothing in
// it differs from one run to the next.
func TestBOM(t *testing.T) {
	t.Parallel()
	b := &build{version: "1.2.3", commit: "0123", time: time.Unix(1700000000, 0).UTC(), tools: []string{"sess-a", "sess-b"}}
	modules := []module{
		{path: "example.com/x", version: "v1.0.0", sum: "h1:x", license: "MIT", tools: []string{"sess-a", "sess-b"}},
		{path: "example.com/y", version: "v2.0.0", sum: "h1:y", license: "ISC", tools: []string{"sess-b"}},
	}
	text, err := b.bom(modules)
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.bom(modules)
	if err != nil || !bytes.Equal(text, again) {
		t.Fatalf("%v: two runs differ", err)
	}
	var got bill
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Metadata.Timestamp != "2023-11-14T22:13:20Z" || bytes.Contains(text, []byte("serialNumber")) {
		t.Errorf("the time is %s", got.Metadata.Timestamp)
	}
	refs := map[string]bool{got.Metadata.Component.BOMRef: true}
	for _, c := range got.Components {
		if refs[c.BOMRef] {
			t.Errorf("%s is there twice", c.BOMRef)
		}
		refs[c.BOMRef] = true
	}
	needs := map[string][]string{}
	for _, d := range got.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			if !refs[ref] {
				t.Errorf("%s is no component", ref)
			}
		}
		needs[d.Ref] = d.DependsOn
	}
	if y := "pkg:golang/example.com/y@v2.0.0"; slices.Contains(needs["tool:sess-a"], y) || !slices.Contains(needs["tool:sess-b"], y) {
		t.Errorf("y is linked into sess-b alone, and the bill says %v", needs)
	}
}

// What differs between two runs is found, and named.
func TestSame(t *testing.T) {
	t.Parallel()
	dirs := [2]string{t.TempDir(), t.TempDir()}
	put := func(i int, name, text string) {
		if err := os.WriteFile(filepath.Join(dirs[i], name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(0, "a", "same")
	put(1, "a", "same")
	if err := same(dirs[0], dirs[1]); err != nil {
		t.Error(err)
	}
	put(1, "a", "sane")
	if err := same(dirs[0], dirs[1]); err == nil || err.Error() != "a differs at byte 2" {
		t.Errorf("%v", err)
	}
	put(1, "b", "")
	if err := same(dirs[0], dirs[1]); err == nil {
		t.Error("a file that only one has is not found")
	}
}

// The commands of docs/install.md and of README.md name artifacts that there are, and nothing that there is not.
func TestPagesInstall(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	m := regexp.MustCompile(`(?m)^V=(\S+)$`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("docs/install.md does not set V")
	}
	if err := names.Check(m[1]); err != nil {
		t.Error(err)
	}
	text += string(readme)
	text = strings.NewReplacer("$V", m[1], "${V}", m[1]).Replace(text)
	have := map[string]bool{}
	for _, name := range names.All(m[1], names.Targets) {
		have[name] = true
	}
	found := map[string]bool{}
	for _, word := range regexp.MustCompile(`[\w.-]+\.(tar\.gz|deb|rpm|apk|tar|rb|nix|zip|cdx\.json)\b|SHA256SUMS|NOTICES\.txt`).FindAllString(text, -1) {
		if !have[word] {
			t.Errorf("the pages say %s, which no release has", word)
		}
		found[word] = true
	}
	for _, want := range []string{
		names.Archive(m[1], names.Targets[0]), names.Deb(m[1], names.Targets[0]), names.RPM(m[1], names.Targets[0]), names.APK(m[1], names.Targets[0]),
		names.Image(m[1], names.Targets[0]), names.Formula, names.Nix, names.Sums, names.SBOM, names.Source(m[1]),
	} {
		if !found[want] {
			t.Errorf("docs/install.md does not say how to install or verify %s", want)
		}
	}
	if !strings.Contains(text, strings.TrimSuffix(names.URL(m[1], ""), "/")) {
		t.Errorf("docs/install.md does not say where releases are: %s", names.URL(m[1], ""))
	}
}

// What docs/ci.md pins is there, too.
func TestCIPins(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := section(string(page), "A")
	m := regexp.MustCompile(`(?m)^V=(\S+)\nFILE=(\S+)$`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("docs/ci.md does not set V and FILE")
	}
	file := strings.ReplaceAll(m[2], "${V}", m[1])
	if file != names.Archive(m[1], names.Targets[0]) || !strings.Contains(strings.ReplaceAll(text, "$V", m[1]), names.URL(m[1], "$FILE")) {
		t.Errorf("no release has %s, or not there", file)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"1.2.3": true, "1.2.3-rc.1": true, "v1.2.3": false, "1.2": false, "1.2.3+x": false, "01.2.3": false, "": false, "1.2.3-": false} {
		if got := names.Check(version) == nil; got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
	if _, err := names.Parse("linux/amd64,windows/amd64"); err == nil || !strings.Contains(err.Error(), "platforms.md") {
		t.Errorf("windows: %v", err)
	}
	if _, err := names.Parse("plan9/386"); err == nil {
		t.Error("plan9 passes")
	}
	got, err := names.Parse("darwin/arm64,linux/amd64")
	if err != nil || len(got) != 2 || got[0].OS != "darwin" {
		t.Errorf("%v, %v", got, err)
	}
}

// The sources have the notices of what they hold of others, where the notices of a release are taken from.
func TestNoticesOfData(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	found := map[string]notice{}
	for dir, embedded := range map[string]string{"internal/core/secret": "", "internal/readers/prices": "prices.json.gz|", "internal/readers/page": "lexers/bash.xml|lexers/c.xml|style.css|"} {
		for dir := range directoriesOf(filepath.Join(root, dir), embedded) {
			if err := noticesOf(found, ours, root, dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, want := range []string{
		"LICENSE", "internal/readers/page/lexers/LICENSE", "internal/core/secret/LICENSE.gitleaks", "internal/readers/prices/LICENSE.genai-prices",
		"internal/readers/prices/LICENSE.pi-ai",
	} {
		if _, ok := found[ours+"\x00"+want]; !ok {
			t.Errorf("%s is not found", want)
		}
	}
}

// What git makes an archive of says which commit it is.
func TestArchiveIsStamped(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("this is no working copy of git")
	}
	commit, err := output(t.Context(), root, nil, "git", "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := output(t.Context(), root, nil, "git", "archive", "--format=tar", "HEAD", stamp)
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(strings.NewReader(raw))
	for {
		h, err := r.Next()
		if err != nil {
			t.Fatalf("%s is not in the archive: %v", stamp, err)
		}
		if h.Name == stamp {
			break
		}
	}
	text, err := io.ReadAll(r)
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), commit) {
		t.Errorf("%q does not end with %s, %v", text, commit, err)
	}
}
