package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/sess-tools/sess/tools/release/names"
)

// ours is the path of the module that is released.
const ours = "github.com/sess-tools/sess"

// A module is one that is linked into a tool.
type module struct {
	path, version, sum string
	license            string   // in the words of SPDX
	tools              []string // that it is linked into, on any platform
}

// A notice is a text that goes with what it is about.
type notice struct {
	of, file, text string
}

// noticeName are the files that say under which terms the files beside and below them are.
var noticeName = regexp.MustCompile(`(?i)^((.+-)?(licen[cs]e|copying|notice|patents|copyright)s?([-_.].*)?|authors|contributors)$`)

// linked returns the modules linked into the programs, sorted by path, and their notices.
func (b *build) linked(ctx context.Context, programs map[names.Target]string) ([]module, []byte, error) {
	modules := map[string]*module{}
	for _, t := range b.targets {
		for _, tool := range b.tools {
			if err := deps(modules, programs[t], tool); err != nil {
				return nil, nil, err
			}
		}
	}
	found, err := b.collect(ctx, modules)
	if err != nil {
		return nil, nil, err
	}
	var all []module
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		all = append(all, *modules[path])
	}
	return all, joined(found), nil
}

// deps adds what a program says it is built of.
func deps(modules map[string]*module, dir, tool string) error {
	info, err := buildinfo.ReadFile(filepath.Join(dir, tool))
	if err != nil {
		return err
	}
	for _, d := range info.Deps {
		if d.Replace != nil {
			return fmt.Errorf("%s: %s is replaced: nobody could build the same from the sources", tool, d.Path)
		}
		m := modules[d.Path]
		if m == nil {
			m = &module{path: d.Path, version: d.Version, sum: d.Sum}
			modules[d.Path] = m
		}
		if !slices.Contains(m.tools, tool) {
			m.tools = append(m.tools, tool)
		}
	}
	return nil
}

// collect returns the notices in the directories of the linked packages, and of the files embedded in them, and in those above, up
// to the root of the module. That leaves out what a module has for its tests and commands, and has
// what it took from others. Our own packages are like any other: what is generated from somebody
// else's data has the notice beside it. It fills in the licences of the modules.
func (b *build) collect(ctx context.Context, modules map[string]*module) ([]notice, error) {
	found := map[string]notice{}
	for _, t := range b.targets {
		list, err := output(ctx, b.source, environment(t), "go", "list", "-deps", "-tags", tags, "-f",
			"{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}\t{{range $.EmbedFiles}}{{.}}|{{end}}{{end}}", "./cmd/...")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(f) != 5 {
				continue // of the standard library
			}
			if f[0] != ours && modules[f[0]] == nil {
				return nil, fmt.Errorf("%s is used, and no program says that it is linked", f[0])
			}
			for dir := range directoriesOf(f[3], f[4]) {
				if err := noticesOf(found, strings.TrimSpace(f[0]+" "+f[1]), f[2], dir); err != nil {
					return nil, err
				}
			}
		}
	}
	goroot, err := output(ctx, b.source, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	if err := noticesOf(found, "Go "+runtime.Version()+": the standard library and the runtime", goroot, goroot); err != nil {
		return nil, err
	}
	var all []notice
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[name])
	}
	return all, licenses(modules, all)
}

// directoriesOf returns the directory of a package, and those of the files that are embedded in it.
func directoriesOf(dir, embedded string) map[string]bool {
	dirs := map[string]bool{dir: true}
	for name := range strings.SplitSeq(strings.TrimSuffix(embedded, "|"), "|") {
		dirs[filepath.Dir(filepath.Join(dir, name))] = true
	}
	return dirs
}

// noticesOf adds the notices of a package in dir of the module in root.
func noticesOf(found map[string]notice, of, root, dir string) error {
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || !noticeName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			path := filepath.Join(dir, e.Name())
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			found[of+"\x00"+rel] = notice{of, rel, string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))}
		}
		if dir == root || len(dir) <= len(root) {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

// licenses finds the licence of each module. A module whose licence is not known is an error: a
// person has to read it before it is published.
func licenses(modules map[string]*module, found []notice) error {
	for _, n := range found {
		path, _, _ := strings.Cut(n.of, " ")
		m := modules[path]
		if m == nil || strings.Contains(n.file, "/") || m.license != "" {
			continue
		}
		m.license = spdx(n.text)
	}
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		if modules[path].license == "" {
			return fmt.Errorf("%s %s: no licence that is known: read it, and add it to spdx", path, modules[path].version)
		}
	}
	return nil
}

// spdx returns the name of a licence, empty if the text is none that the tools may link.
func spdx(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	has := func(s string) bool { return strings.Contains(text, s) }
	switch {
	case has("Apache License") && has("Version 2.0"):
		return "Apache-2.0"
	case has("Mozilla Public License") && has("Version 2.0"):
		return "MPL-2.0"
	case has("Permission is hereby granted, free of charge, to any person obtaining a copy"):
		return "MIT"
	case has("Redistribution and use in source and binary forms") && (has("Neither the name") || has("names of its contributors")):
		return "BSD-3-Clause"
	case has("Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("Permission to use, copy, modify, and/or distribute this software for any purpose"),
		has("Permission to use, copy, modify, and distribute this software for any purpose"):
		return "ISC"
	}
	return ""
}

// joined returns the notices as one text. A text that several have is there once.
func joined(found []notice) []byte {
	var order []string
	heads := map[string][]string{}
	for _, n := range found {
		text := strings.TrimSpace(n.text)
		if heads[text] == nil {
			order = append(order, text)
		}
		heads[text] = append(heads[text], n.of+" ("+n.file+")")
	}
	var out bytes.Buffer
	out.WriteString("The programs of sess are made of the following, each under the terms below its name.\n")
	for _, text := range order {
		out.WriteString("\n" + strings.Repeat("=", 78) + "\n")
		for _, head := range heads[text] {
			out.WriteString(head + "\n")
		}
		out.WriteString(strings.Repeat("-", 78) + "\n\n" + text + "\n")
	}
	return out.Bytes()
}
