package main

import (
	"context"
	"os"
	"path/filepath"
)

// rare is a session that stands in the store while it is searched for its text.
const rare = `{"type":"session","version":3,"id":"rare","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/home/dev/project"}
{"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"a zebrafish swims by"}}
`

// grepGoals are about searching many sessions, on one core: the peers use as many as
// they get.
func (b *bench) grepGoals() []goal {
	name := "sess-grep, " + count(int64(b.sessions())) + " sessions, "
	search, _, _ := b.search()
	const absent, without = "zzqneedlezz", `[xyz]{4}[0-9]{5}`
	return []goal{
		measured(b, name+"no hit / "+search, 1.7, 64e6, b.searching("-F", absent)),
		bound(b, name+"no hit / reading them", nil, func(ctx context.Context) (ours command, operands []string, err error) {
			dir, err := b.store(ctx)
			if err == nil {
				ours, _, err = b.searching("-F", absent)(ctx)
			}
			return ours, []string{dir}, err
		}),
		measured(b, name+"a rare hit / "+search, 2, 64e6, b.searching("-F", "zebrafish")),
		measured(b, name+"regexp with a literal / "+search, 4, 64e6, b.searching("-e", `zebra(fish|s)? [a-z]+`)),
		measured(b, name+"regexp without / jq -c .", 1, 64e6, func(ctx context.Context) (ours, peer command, err error) {
			jq, err := b.need("jq")
			if err != nil {
				return ours, peer, err
			}
			dir, err := b.store(ctx)
			return asked(b.bin("sess-grep"), "-a", "-c", "-e", without, dir), asked("sh", "-c", jq+` -c . "$0"/*/*.jsonl`, dir), err
		}),
		{name + "until a hit in the newest session", b.firstHit},
		versus(b, "sess-history, "+count(int64(b.sessions()))+" sessions / "+search+" of the same", 5, func(ctx context.Context) (ours, peer command, err error) {
			dir, err := b.store(ctx)
			if err != nil {
				return ours, peer, err
			}
			_, peer, err = b.searching("-F", `"role":"user"`)(ctx)
			ours = asked(b.bin("sess-history"), "-a", "--limit", "100")
			ours.env = []string{"SESS_DIR=" + dir}
			return ours, peer, err
		}),
		versus(b, "sess-ls --limit 20, "+count(int64(b.sessions()))+" sessions / all of them", 1./5, func(ctx context.Context) (ours, peer command, err error) {
			dir, err := b.store(ctx)
			ours, peer = asked(b.bin("sess-ls"), "-a", "--limit", "20"), asked(b.bin("sess-ls"), "-a")
			ours.env = []string{"SESS_DIR=" + dir}
			peer.env = ours.env
			return ours, peer, err
		}),
	}
}

// firstHit is the time until the first row, which is that of a session just written. The
// peer searches in any order.
func (b *bench) firstHit(ctx context.Context, name string) ([]row, error) {
	ours, peer, err := b.searching("-F", "zebrafish")(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range []*command{&ours, &peer} {
		c.argv = append(c.argv[:len(c.argv)-3:len(c.argv)-3], append([]string{"-q"}, c.argv[len(c.argv)-3:]...)...)
		c.pinned = false
	}
	c, err := b.compare(ctx, ours, peer)
	return []row{timeRow(name, c, 0.050)}, err
}

// asked is a command whose status 1 is an answer.
func asked(argv ...string) command {
	return command{argv: append([]string{"sh", "-c", `"$@"; [ $? -le 1 ]`, "sh"}, argv...), pinned: true}
}

// searching lets a search for text and sess-grep look for the same.
func (b *bench) searching(how, pattern string) func(context.Context) (ours, peer command, err error) {
	return func(ctx context.Context) (ours, peer command, err error) {
		dir, err := b.store(ctx)
		if err != nil {
			return ours, peer, err
		}
		file := filepath.Join(dir, "--home-dev-project--", "rare.jsonl")
		ours = asked(b.bin("sess-grep"), "-a", how, pattern, dir)
		argv := []string{b.find("grep"), "-r", "-c"}
		if rg := b.find("rg"); rg != "" {
			argv = []string{rg, "-uu", "-c"}
		}
		peer = asked(append(argv, how, pattern, dir)...)
		for _, c := range []*command{&ours, &peer} {
			c.before = func() error {
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					return err
				}
				return os.WriteFile(file, []byte(rare), 0o600)
			}
			c.after = func() error { return os.RemoveAll(filepath.Dir(file)) }
		}
		return ours, peer, nil
	}
}
