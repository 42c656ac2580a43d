package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sess-tools/sess/tools/release/names"
)

// tags are those of every build of the tools: without them urfave/cli links a writer of man pages.
const tags = "urfave_cli_no_docs"

// environment is that of a build for a platform. Whatever of Go's own settings could change the
// bytes is set, and not taken from who runs this.
func environment(t names.Target) []string {
	return []string{
		"CGO_ENABLED=0", "GOOS=" + t.OS, "GOARCH=" + t.Arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off", "GOFIPS140=off", "GODEBUG=", "GOTOOLCHAIN=local",
	}
}

// compile builds the tools for each platform, and returns the directories they are in.
func (b *build) compile(ctx context.Context) (map[names.Target]string, error) {
	dirs := map[names.Target]string{}
	for _, t := range b.targets {
		dir, err := b.compileFor(ctx, t)
		if err != nil {
			return nil, fmt.Errorf("building for %v: %w", t, err)
		}
		dirs[t] = dir
	}
	return dirs, nil
}

func (b *build) compileFor(ctx context.Context, t names.Target) (string, error) {
	dir := filepath.Join(b.work, t.OS+"-"+t.Arch)
	args := []string{"build", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false", "-ldflags=-s -w -buildid=", "-tags", tags, "-o", dir + string(filepath.Separator)}
	for _, tool := range b.tools {
		args = append(args, "./cmd/"+tool)
	}
	_, err := output(ctx, b.source, environment(t), "go", args...)
	return dir, err
}

// pages returns the manual pages, the skill for agents, and the completions, which the tools themselves
// print.
func (b *build) pages(ctx context.Context) ([]file, error) {
	var all []file
	pages, err := filepath.Glob(filepath.Join(b.source, "docs", "man", "*.[1-9]"))
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		all = append(all, file{"share/man/man" + page[len(page)-1:] + "/" + filepath.Base(page), 0o644, data})
	}
	for _, name := range []string{"skills/sess/SKILL.md", "skills/sess/AGENTS.md", ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"} {
		data, err := os.ReadFile(filepath.Join(b.source, "share", filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		all = append(all, file{"share/sess/" + name, 0o644, data})
	}
	host := names.Target{OS: runtime.GOOS, Arch: runtime.GOARCH}
	programs := filepath.Join(b.work, host.OS+"-"+host.Arch)
	if !slices.Contains(b.targets, host) {
		if programs, err = b.compileFor(ctx, host); err != nil {
			return nil, err
		}
	}
	for _, tool := range b.tools {
		for shell, path := range completions(tool) {
			text, err := output(ctx, b.work, []string{"LC_ALL=C"}, filepath.Join(programs, tool), "--completion", shell)
			if err != nil {
				return nil, err
			}
			all = append(all, file{path, 0o644, []byte(strings.TrimSuffix(text, "\n") + "\n")})
		}
	}
	return all, nil
}

// completions says where each shell looks for the completion of a tool.
func completions(tool string) map[string]string {
	return map[string]string{
		"bash": "share/bash-completion/completions/" + tool,
		"zsh":  "share/zsh/site-functions/_" + tool,
		"fish": "share/fish/vendor_completions.d/" + tool + ".fish",
	}
}
