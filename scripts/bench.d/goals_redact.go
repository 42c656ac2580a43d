package main

import (
	"context"
	"os/exec"
	"path/filepath"
)

// redactGoals are about looking for secrets where there are none, which is what mostly
// happens.
func (b *bench) redactGoals() []goal {
	n := min(b.size, 60e6)
	return []goal{
		measured(b, "sess-redact --check "+size(float64(n))+" / gitleaks stdin, CPU", 1./5, 64e6, func(ctx context.Context) (ours, peer command, err error) {
			gitleaks, err := b.gitleaks(ctx)
			if err != nil {
				return ours, peer, err
			}
			s, err := b.session(ctx, linear, n)
			ours = asked(b.bin("sess-redact"), "--check", s.file)
			peer = asked("sh", "-c", `"$0" stdin --no-banner --redact --log-level error < "$1"`, gitleaks, s.file)
			return ours, peer, err
		}),
		versus(b, "sess-redact of nothing / no-op tool", 2.5, func(context.Context) (ours, peer command, err error) {
			return asked(b.bin("sess-redact"), "--raw-jsonl", "/dev/null"), asked(b.bin("noop"), "-t", "hello", "s.jsonl"), nil
		}),
	}
}

// gitleaks builds the release that the rules are of. It is kept with the peers.
func (b *bench) gitleaks(ctx context.Context) (string, error) {
	path := filepath.Join(b.peers, "gitleaks-8.30.1")
	if b.find(path) != "" {
		return path, nil
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-C", "tools/gitleaks", "-o", path, "github.com/zricethezav/gitleaks/v8")
	if err := cmd.Run(); err != nil {
		return "", skip("gitleaks cannot be built")
	}
	return path, nil
}
