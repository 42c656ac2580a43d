package main

import (
	"context"
	"path/filepath"
	"strings"
)

// showGoals are about pages. Pi's own export is beside them where that is installed.
func (b *bench) showGoals() []goal {
	n := min(b.size, 1e6)
	hundred := min(b.size, 100e6)
	return []goal{
		versus(b, "sess-show --as html "+size(float64(n))+" / no-op tool", 25, func(ctx context.Context) (ours, peer command, err error) {
			s, err := b.session(ctx, linear, n)
			return b.ours("sess-show", "--as", "html", s.file), b.ours("noop", "-t", "hello", "s.jsonl"), err
		}),
		versus(b, "sess-show --as html "+size(float64(n))+" / pi 0.87 --export", 1./20, func(ctx context.Context) (ours, peer command, err error) {
			s, err := b.session(ctx, linear, n)
			if err != nil {
				return ours, peer, err
			}
			peer, err = b.piExport(s.file)
			return b.ours("sess-show", "--as", "html", s.file), peer, err
		}),
		{"sess-show --as html " + size(float64(hundred)), func(ctx context.Context, name string) ([]row, error) {
			s, err := b.session(ctx, linear, hundred)
			if err != nil {
				return nil, err
			}
			c, err := b.compare(ctx, b.ours("sess-show", "--as", "html", s.file), command{argv: []string{b.find("cat"), s.file}})
			return []row{timeRow(name, c, 1), memoryRow(c.rss, 100e6)}, err
		}},
	}
}

// piExport is pi's command that writes the page of a session.
func (b *bench) piExport(file string) (command, error) {
	cli := b.installed("pi-0.87/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js")
	node := b.installed("node-24/node_modules/.bin/node")
	if cli == "" || node == "" {
		return command{}, skip("pi 0.87 is not installed; scripts/interop installs it")
	}
	page := filepath.Join(b.work, strings.TrimSuffix(filepath.Base(file), ".jsonl")+".pi.html")
	return command{argv: []string{node, cli, "--export", file, page}}, nil
}
