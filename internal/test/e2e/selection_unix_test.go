//go:build unix

package e2e

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// selecting are the tools that take many sessions, and how each says which ones it took.
var selecting = map[string]string{
	"ls":      "sess-ls --paths FLAGS",
	"grep":    "sess-grep -l -e . FLAGS",
	"stat":    "sess-stat --usage --by session FLAGS | grep -v ^total | cut -f1",
	"assert":  "sess-assert --max-calls 0 FLAGS",
	"calls":   "sess-calls FLAGS",
	"history": "sess-history --copies FLAGS | cut -f3",
	"redact":  "sess-redact --check FLAGS | cut -d: -f1,2",
}

// lacking are the flags that a tool does not have: a list of sess-ls names the sessions there.
var lacking = map[string]*regexp.Regexp{
	"ls":      regexp.MustCompile(`$^`),
	"grep":    regexp.MustCompile(`--subagents`),
	"stat":    regexp.MustCompile(`$^`),
	"assert":  regexp.MustCompile(`--cwd|--until`),
	"calls":   regexp.MustCompile(`--subagents`),
	"history": regexp.MustCompile(`--subagents`),
	"redact":  regexp.MustCompile(`--cwd|--subagents|--until`),
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// The same command line selects the same sessions in each tool that selects.
func TestSelection(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted(t, dir, `
mkdir one two three
call='{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"ls"}}],"model":"m","usage":{"input":3,"output":4},"stopReason":"toolUse"}'
n=0
for at in one two two; do
	for when in 202601010000 202602010000 202603010000; do
		n=$((n + 1))
		file=$(sess-new --store --cwd "$PWD/$at" --title "$at $n")
		sess-append -q -r user -t "take AKIAQ3EGRJ5TYU7XW4Z$(printf 'ABCDEFGHI' | cut -c $n) please" "$file"
		sess-append -q -r assistant --model m --usage-json '{"input":3,"output":4}' -t done "$file"
		echo "$call" | sess-append -q --entries "$file"
		case $n in 2 | 5) sess-append -q --type session_init --set task='a part' --set systemPrompt=x --set-json tools='[]' "$file" ;; esac
		sed "s/\"timestamp\":\"20[^\"]*\"/\"timestamp\":\"$(echo $when | cut -c 1-4)-$(echo $when | cut -c 5-6)-01T00:00:00.000Z\"/g; s/,\"timestamp\":[0-9][0-9]*//" "$file" >copy && cat copy >"$file" && rm copy
		touch -t $when "$file"
	done
done
for n in 2 3; do
	sess-new --cwd "$PWD/three" -o codex$n.in >/dev/null
	sess-append -q -r user -t "take AKIAQ3EGRJ5TYU7XW4Z$n please" codex$n.in
	sess-append -q -r assistant --provider openai --model m --usage-json '{"input":3,"output":4}' -t done codex$n.in
	echo "$call" | sess-append -q --provider openai --model m --entries codex$n.in
	mkdir -p .codex
	sess-export -q codex -o .codex codex$n.in >/dev/null
done
`)
	for flags, want := range map[string]int{
		"--all": 9, "--cwd one": 3, "--cwd two": 6, "--all --since 2026-01-15": 6, "--all --until 2026-02-15": 6, "--all --since 2026-01-15 --until 2026-02-15": 3,
		"--all --subagents no": 7, "--all --subagents only": 2, "--cwd two --subagents only": 1, "--agent codex": 2, "--agent codex --cwd three": 2,
		"--agent codex --cwd one": 0, "--agent codex,claude": 2, "--agent all --subagents no": 2, "--cwd two --since 2026-02-15": 2,
	} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			ids := map[string][]string{}
			for tool, line := range selecting {
				if flag := lacking[tool].FindString(flags); flag != "" {
					if r := runCommand(t, dir, "", "sh", "-c", strings.ReplaceAll(line, "FLAGS", flag+" x")); !strings.Contains(r.stderr, "unknown flag "+flag) {
						t.Errorf("%s has %s: %s", tool, flag, r.stderr)
					}
					continue
				}
				r := runCommand(t, dir, "", "sh", "-c", strings.ReplaceAll(line, "FLAGS", flags))
				for row := range strings.Lines(r.stdout) {
					ids[tool] = append(ids[tool], uuid.FindString(filepath.Base(row)))
				}
				slices.Sort(ids[tool])
				if got := slices.Compact(ids[tool]); len(got) != want || !slices.Equal(got, slices.Compact(ids["ls"])) && ids["ls"] != nil {
					t.Errorf("%s: %d of %d: %q, and sess-ls %q: %s", tool, len(got), want, got, ids["ls"], r.stderr)
				}
			}
		})
	}
	for operand, want := range map[string]int{"codex:": 0, "codex:./three": 1, "codex:./one": 0} {
		for tool, line := range selecting {
			if tool == "history" { // its operands are words
				continue
			}
			r := runCommand(t, dir, "", "sh", "-c", strings.ReplaceAll(line, "FLAGS", operand))
			got := map[string]bool{}
			for row := range strings.Lines(r.stdout) {
				got[uuid.FindString(row)] = true
			}
			if len(got) != want {
				t.Errorf("%s %s: %v, want %d: %s", tool, operand, got, want, r.stderr)
			}
		}
	}
}
