package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// find returns the path of a program, "" if there is none.
func (b *bench) find(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

// need is find for what a goal cannot do without.
func (b *bench) need(name string) (string, error) {
	if path := b.find(name); path != "" {
		return path, nil
	}
	return "", skip("no " + name + " here")
}

// bin returns the path of a program that build has built.
func (b *bench) bin(name string) string { return filepath.Join(b.work, "bin", name) }

// ours is a command of a tool of ours.
func (b *bench) ours(name string, args ...string) command {
	return command{argv: append([]string{b.bin(name)}, args...)}
}

// installed returns the first file below the peers that a pattern matches.
func (b *bench) installed(pattern string) string {
	names, _ := filepath.Glob(filepath.Join(b.peers, filepath.FromSlash(pattern)))
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// node and bun run pi; bun is mostly one from npm.
func (b *bench) node() (string, error) { return b.need("node") }

func (b *bench) bun() (string, error) {
	if path := b.installed("bun/node_modules/.bin/bun"); path != "" {
		return path, nil
	}
	return b.need("bun")
}

// pi is a command of scripts/bench.d/pi.mjs.
func (b *bench) pi(runtime func() (string, error), args ...string) (command, error) {
	path, err := runtime()
	if err != nil {
		return command{}, err
	}
	root := b.installed("pi-0.73/node_modules/@mariozechner/pi-coding-agent")
	if root == "" {
		return command{}, skip("pi 0.73 is not installed")
	}
	argv := []string{path}
	if b.full && filepath.Base(path) == "node" {
		argv = append(argv, "--max-old-space-size=12000")
	}
	return command{argv: append(append(argv, "scripts/bench.d/pi.mjs", root), args...)}, nil
}

// ccusage returns ccusage itself and not the script that starts it.
func (b *bench) ccusage() (string, error) {
	if path := b.installed("ccusage/node_modules/@ccusage/ccusage-*/bin/ccusage"); path != "" {
		return path, os.Chmod(path, 0o755) // npm does not; the script that starts it does
	}
	if path := b.find("ccusage"); path != "" {
		return path, nil
	}
	return "", skip("ccusage is not installed")
}

// search returns a program that searches for a fixed string, its name, and its
// flags to search, and to count in the files of a directory.
func (b *bench) search() (name string, find, count []string) {
	rg := b.find("rg")
	if rg == "" { // codex brings one along
		rg = b.installed("codex/node_modules/@openai/codex-*/vendor/*/codex-path/rg")
	}
	if rg != "" {
		return "rg", []string{rg, "-F"}, []string{rg, "-uuu", "-c", "-F"}
	}
	return "grep", []string{b.find("grep"), "-F"}, []string{b.find("grep"), "-r", "-c", "-F"}
}

// npm are the peers that npm has. Bun is a binary that a script of its package
// puts in place.
var npm = []struct {
	dir, spec string
	flags     []string
}{
	{"pi-0.73", "@mariozechner/pi-coding-agent@0.73.1", []string{"--ignore-scripts"}},
	{"bun", "bun@1.4.5", nil},
	{"ccusage", "ccusage@20.0.24", []string{"--ignore-scripts"}},
}

// fetchAll installs the peers that are missing, each under a name that appears
// when it is complete. One that cannot be had is reported, and skipped later.
func (b *bench) fetchAll(ctx context.Context) {
	for _, p := range npm {
		dir := filepath.Join(b.peers, p.dir)
		if _, err := os.Stat(filepath.Join(dir, ".done")); err == nil {
			continue
		}
		b.s.Infof("installing %s", p.spec)
		if err := install(ctx, dir, p.spec, p.flags); err != nil {
			b.s.Warnf("installing %s: %v", p.spec, err)
		}
	}
}

func install(ctx context.Context, dir, spec string, flags []string) error {
	fresh := dir + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(fresh, 0o700)); err != nil {
		return err
	}
	manifest := []byte(`{"name":"peer","version":"1.0.0","private":true}` + "\n")
	if err := os.WriteFile(filepath.Join(fresh, "package.json"), manifest, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "npm", append(append([]string{"install", "--no-audit", "--no-fund", "--loglevel=error"}, flags...), spec)...)
	cmd.Dir = fresh
	if err := cmd.Run(); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(fresh, dir)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".done"), nil, 0o600)
}
