package cli

import (
	"context"
	"flag"
	"strings"
	"testing"
)

// A word that people type has a hint by its meaning, a flag only one of a flag that the tool has, and no slip of the fingers is taken
// for a flag that changes something.
func TestMeant(t *testing.T) {
	t.Parallel()
	var all, force, rows bool
	var since, by, as string
	var limit int
	var agents []string
	tool := Tool{Name: "sess-demo", New: func() ([]Flag, Action) {
		return []Flag{
			Bool(&all, "all, a", "all"), Bool(&force, "force", "replace"), String(&since, "since", "", "since"), Count(&limit, "limit, n", "print at most `N`"),
			String(&by, "by", "", "by"), Bool(&rows, "json", "rows"), Choice(&as, "as", []string{"text", "markdown"}, "as `FORM`"),
			ChoicesOr(&agents, "agent", []string{"claude", "codex"}, func(string) bool { return false }, "of `NAME,NAME`"),
		}, nil
	}}
	for args, want := range map[string]string{
		"--week":                       "it is --since 7d: sess-demo --since 7d",
		"--before x":                   "see sess-demo -h",
		"--project=x":                  "it is --by project: sess-demo --by project",
		"--search x":                   "it is sess grep",
		"--to codex":                   "it is sess handoff --to",
		"-3":                           "it is --limit 3: sess-demo --limit 3",
		"-12 x":                        "it is --limit 12: sess-demo --limit 12 x",
		"--budget 20k":                 "it is sess handoff --to AGENT --budget 20k AGENT:",
		"--forse":                      "see sess-demo -h",
		"--sincee x":                   "did you mean --since?",
		"--last":                       "it is --limit",
		"-a --last 5 s.jsonl":          "it is --limit: sess-demo -a --limit 5 s.jsonl",
		"--max=5":                      "it is --limit: sess-demo --limit 5",
		"--format md claude:":          "it is --as: sess-demo --as markdown claude:",
		"--format=yaml":                "it is --as",
		"--md claude:":                 "it is --as markdown: sess-demo --as markdown claude:",
		"--html":                       "it is sess show -o FILE.html",
		"-o json":                      "it is --json: sess-demo --json",
		"-o x":                         "it is > FILE; --json prints JSON",
		"--codex x":                    "it is --agent codex: sess-demo --agent codex x",
		"--as md x":                    "did you mean markdown? sess-demo --as markdown x",
		"--as=MD":                      "did you mean markdown? sess-demo --as=markdown",
		"--as pdf":                     "see sess-demo -h",
		"--agent Claude,codex-cli -a":  "did you mean claude,codex? sess-demo --agent claude,codex -a",
		"--agent claude,no-such-thing": "see sess-demo -h",
	} {
		var out, errs strings.Builder
		if status := Run(t.Context(), tool, strings.NewReader(""), &out, &errs, strings.Fields(args)); status != ExitUsage || !strings.HasSuffix(errs.String(), "hint: "+want+"\n") {
			t.Errorf("%s: %d, %s", args, status, errs.String())
		}
	}
	seen := map[string]bool{}
	for _, m := range commands {
		if is, ok := Meant(m.word); !ok || is != m.is || seen[m.word] {
			t.Errorf("%s: %q, twice %v", m.word, is, seen[m.word])
		}
		seen[m.word] = true
	}
	if is, ok := Meant("grep"); ok {
		t.Errorf("a command is %q", is)
	}
}

// The command line of a hint is one that the tool takes: it is not refused with another hint.
func TestMeantLines(t *testing.T) {
	t.Parallel()
	for _, m := range flagged {
		if !strings.HasPrefix(m.is, "--") || strings.Contains(m.is, ";") {
			continue
		}
		name, value, has := strings.Cut(strings.TrimPrefix(m.is, "--"), " ")
		var text string
		var is bool
		ran := false
		tool := Tool{Name: "sess-demo", New: func() ([]Flag, Action) {
			f := Bool(&is, name, "is")
			if has {
				f = String(&text, name, "", "is")
			}
			return []Flag{f}, func(context.Context, *Streams, []string) error { ran = true; return nil }
		}}
		if value == "DIR" {
			continue
		}
		p := &parser{flags: func() []Flag { f, _ := tool.New(); return f }(), set: flag.NewFlagSet("sess-demo", flag.ContinueOnError), args: []string{"--" + m.word}}
		line, ok := p.instead("--"+m.word, m.is)
		if !ok {
			t.Errorf("--%s, which is %s, has no line", m.word, m.is)
			continue
		}
		var out, errs strings.Builder
		if status := Run(t.Context(), tool, strings.NewReader(""), &out, &errs, strings.Fields(line)[1:]); status != 0 || !ran || text != value {
			t.Errorf("--%s: %s: status %d, %q: %s", m.word, line, status, text, errs.String())
		}
	}
}

// A command line at the end of a hint is not broken on a terminal: it is copied from there.
func TestHintsAreNotBroken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"hint: several words are one pattern: sess-grep --agent all 'refresh token'": "hint: several words are one\n  pattern:\n  sess-grep --agent all 'refresh token'\n",
		"hint: short: sess-ls -a":                                         "hint: short: sess-ls -a\n",
		"hint: nothing to copy in all of this sentence":                   "hint: nothing to copy in all\n  of this sentence\n",
		"a message that has a colon: sess-grep is a program of this size": "a message that has a colon:\n  sess-grep is a program of\n  this size\n",
	} {
		p := &page{width: 30}
		p.message(text, 2)
		if got := p.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The command line of a tool that takes secrets as patterns is not repeated in a hint.
func TestMeantRepeatsNoSecret(t *testing.T) {
	t.Parallel()
	var pattern, file, with string
	var all bool
	tool := Tool{Name: "sess-demo", New: func() ([]Flag, Action) {
		return []Flag{String(&pattern, "regexp, e", "", "look for `PATTERN`"), String(&file, "secret-file", "", "lines of `FILE`"), Choice(&with, "with", []string{"kind", "hash"}, "with `AS`"), Bool(&all, "all", "all")}, nil
	}}
	for args, want := range map[string]string{"-e hunter2 --with HASH": "did you mean hash?", "-e hunter2 -R": "it is --all"} {
		var out, errs strings.Builder
		if status := Run(t.Context(), tool, strings.NewReader(""), &out, &errs, strings.Fields(args)); status != ExitUsage || !strings.HasSuffix(errs.String(), "hint: "+want+"\n") || strings.Contains(errs.String(), "hunter2") {
			t.Errorf("%s: %d, %s", args, status, errs.String())
		}
	}
}
