package main

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
)

// A keeper is an agent with many sessions where it keeps them.
type keeper struct {
	name, called string
	sessions     int
	variable     string // that says where its home is
	below        string // of what the variable says, where the sessions are
}

var (
	claudeKeeper   = keeper{"claude", "Claude Code", 1000, "CLAUDE_CONFIG_DIR", ""}
	codexKeeper    = keeper{"codex", "codex", 1000, "CODEX_HOME", ""}
	opencodeKeeper = keeper{"opencode", "opencode", 2000, "XDG_DATA_HOME", "opencode"}
)

// of is what a goal says of the sessions.
func (k keeper) of() string {
	return ", " + count(int64(k.sessions)) + " sessions of " + k.called + " as it writes them"
}

// agentGoals are about what a user has after a year: all of it read for the first time, and read again with nothing new. Each runs on one core,
// so its time is that of the processor.
func (b *bench) agentGoals() (goals []goal) {
	search, _, _ := b.search()
	for _, k := range []struct {
		keeper
		ls, stat, ccusage float64 // the limits: again over cold, and again over ccusage
	}{{claudeKeeper, 1. / 15, 1. / 5, 1. / 4}, {codexKeeper, 1. / 8, 1. / 5, 1. / 2}, {opencodeKeeper, 1. / 20, 1. / 20, 0}} {
		of, all := k.of(), []string{"--agent", k.name, "--all"}
		with := func(more ...string) []string { return slices.Concat(all, more) }
		day := with("--by", "day", "--json")
		goals = append(goals,
			reported(b, "sess-ls"+of+" / reading them", b.kept(k.keeper, b.unknown("sess-ls", all...), reading)),
			versus(b, "sess-ls"+of+", again / with nothing remembered", k.ls, b.kept(k.keeper, b.known("sess-ls", all...), b.unknown("sess-ls", all...))),
			versus(b, "sess-ls --limit 20"+of+" / all of them", 1./5, b.kept(k.keeper, b.unknown("sess-ls", with("--limit", "20")...), b.unknown("sess-ls", all...))),
			versus(b, "sess-ls --since 24h"+of+" / all of them", 1./5, b.kept(k.keeper, b.unknown("sess-ls", with("--since", "24h")...), b.unknown("sess-ls", all...))),
			versus(b, "sess-stat"+of+", again / with nothing remembered", k.stat, b.kept(k.keeper, b.known("sess-stat", day...), b.unknown("sess-stat", day...))),
			reported(b, "sess-grep"+of+", no hit / "+search, b.kept(k.keeper, b.unknown("sess-grep", with("-F", "zzqneedlezz")...), b.searchingHome)),
		)
		if k.ccusage == 0 {
			continue
		}
		goals = append(goals,
			reported(b, "sess-stat"+of+" / ccusage", b.againstCcusage(k.keeper, b.unknown("sess-stat", day...))),
			versus(b, "sess-stat"+of+", again / ccusage", k.ccusage, b.againstCcusage(k.keeper, b.known("sess-stat", day...))),
		)
	}
	return goals
}

// A run is a command over a home.
type run func(k keeper, home string) command

// known is one of our tools that remembers what it said of the sessions.
func (b *bench) known(tool string, args ...string) run {
	return func(k keeper, home string) command {
		c := answered(append([]string{b.bin(tool)}, args...)...)
		c.env = []string{k.variable + "=" + home}
		return c
	}
}

// nothingKnown has our tools remember nothing.
const nothingKnown = "SESS_CACHE=off"

// unknown is known with nothing remembered.
func (b *bench) unknown(tool string, args ...string) run {
	return func(k keeper, home string) command {
		c := b.known(tool, args...)(k, home)
		c.env = append(c.env, nothingKnown)
		return c
	}
}

// reading reads all files of a home.
func reading(_ keeper, home string) command {
	return command{argv: []string{"sh", "-c", `find "$1" -type f -exec cat {} + >/dev/null`, "sh", home}}
}

// searchingHome searches the files of a home for what is not there.
func (b *bench) searchingHome(_ keeper, home string) command {
	if rg := b.find("rg"); rg != "" {
		return answered(rg, "-uu", "-F", "zzqneedlezz", home)
	}
	return answered(b.find("grep"), "-rF", "zzqneedlezz", home)
}

// kept gives two commands the home of an agent, and makes it if need be.
func (b *bench) kept(k keeper, ours, peer run) func(context.Context) (command, command, error) {
	return func(ctx context.Context) (mine, theirs command, err error) {
		home := filepath.Join(b.data, k.name+"-year")
		if _, err := b.generated(ctx, filepath.Join(home, k.below), []string{"--home", k.name, "--store", strconv.Itoa(k.sessions)}); err != nil {
			return mine, theirs, err
		}
		mine, theirs = ours(k, home), peer(k, home)
		mine.pinned, theirs.pinned = true, true
		if !slices.Contains(mine.env, nothingKnown) { // a slow pair is not warmed up
			_, err = b.run(ctx, mine)
		}
		return mine, theirs, err
	}
}

// againstCcusage is kept with the sums of ccusage.
func (b *bench) againstCcusage(k keeper, ours run) func(context.Context) (command, command, error) {
	return func(ctx context.Context) (mine, peer command, err error) {
		ccusage, err := b.ccusage()
		if err != nil {
			return mine, peer, err
		}
		return b.kept(k, ours, func(k keeper, home string) command {
			return command{argv: []string{ccusage, k.name, "daily", "--offline", "--json"}, env: []string{k.variable + "=" + home}}
		})(ctx)
	}
}
