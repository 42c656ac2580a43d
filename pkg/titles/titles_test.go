package titles_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/titles"
	"github.com/sess-tools/sess/pkg/typed"
)

// examples are prompts as people write them, and the titles that tell their sessions apart.
var examples = []struct {
	name, stored string
	prompts      []string
	title, from  string
}{
	{"nothing", "", nil, "", ""},
	{"blank", " \n", []string{"", " \n\t"}, "", ""},
	{"stored", "Lexer\n bugs", []string{"fix it"}, "Lexer bugs", "stored"},
	{"stored by a hand-off of old", "# Work handed over from Codex Made by", []string{"Fix the lexer"}, "Fix the lexer", "prompt"},
	{"one line", "", []string{"Fix the lexer"}, "Fix the lexer", "prompt"},
	{"a full stop", "", []string{"List the files."}, "List the files", "prompt"},
	{"a question", "", []string{"why is the lexer slow?"}, "why is the lexer slow?", "prompt"},
	{"a plan", "", []string{"Implement the following plan:\n\n# Plan: Cache the tokens\n\n## Context\n\nIt is slow."}, "Cache the tokens", "prompt"},
	{"a plan in another language", "", []string{"Implement the following plan:\n\n# 修复滚动布局\n\nx"}, "修复滚动布局", "prompt"},
	{"a plan without a heading", "", []string{"Implement the following plan:\n\n1. cache the tokens of each file"}, "1. cache the tokens of each file", "prompt"},
	{"a task", "", []string{"# Task: Rename the parser\n\nDo it well."}, "Rename the parser", "prompt"},
	{"a wrapper", "", []string{"[[ ## user_query ## ]]\n\nWrite a lexer in Python.\n\n[[ ## completed ## ]]"}, "Write a lexer in Python", "prompt"},
	{"words of a system in front", "", []string{"[[ ## user_query ## ]]\n@[System]:\nAnswer PASS.\n\n@[User]:\nReturn the token."}, "Return the token", "prompt"},
	{"an introduction of a log", "", []string{"when running:\n❯ lex a.txt\n\n✓ done\n\nI would like it to say what it read"}, "I would like it to say what it read", "prompt"},
	{"a short heading of a comment", "", []string{"Low Severity\n\nThe error of readTokens() is wrapped twice, which nobody reads."}, "The error of readTokens() is wrapped twice, which nobody reads", "prompt"},
	{"a log in front", "", []string{"➜ src git:(main) ✗ git push\nerror: failed to push\n\nfix. it no longer uses hooks"}, "fix. it no longer uses hooks", "prompt"},
	{"a log alone", "", []string{"$ git push\nerror: failed\nfatal: stop", "why does make fail?"}, "why does make fail?", "prompt"},
	{"fences alone", "", []string{"```\nx := 1\n```", "explain this"}, "explain this", "prompt"},
	{"a list alone", "", []string{"- cache the tokens\n- then measure"}, "- cache the tokens - then measure", "prompt"},
	{"a command with words", "", []string{"/review the lexer of this branch"}, "/review the lexer of this branch", "prompt"},
	{"a bare command first", "", []string{"/clear", "ok", "make the lexer fast"}, "make the lexer fast", "prompt"},
	{"a bare command alone", "", []string{"/init"}, "/init", "prompt"},
	{"answers alone", "", []string{"Yes!", "go on"}, "Yes!", "prompt"},
	{"a note of a hand-off", "", []string{"# Work handed over from Codex\n\nMade by x.", "[Moved here by sess-handoff from codex:1, 2 messages.]", "and the parser"}, "and the parser", "prompt"},
	{"an agent's words", "", []string{"<environment_context>\n</environment_context>", "[Request interrupted by user]", "look at the lexer"}, "look at the lexer", "prompt"},
	{"a reminder in front", "", []string{"<system-reminder>\nx\n</system-reminder>\nlook at the lexer"}, "look at the lexer", "prompt"},
	{"politely", "", []string{"Can you please let's look at the lexer"}, "look at the lexer", "prompt"},
	{"a link", "", []string{"read [the notes](docs/notes.md) and say what is missing"}, "read the notes and say what is missing", "prompt"},
	{"a pull request", "", []string{"look at https://github.com/acme/lexer/pull/12, and merge it"}, "look at lexer#12, and merge it", "prompt"},
	{"another address", "", []string{"why did it fail? https://ci.example.com/acme/lexer/jobs/871?x=1\nsay it in one line"}, "why did it fail? ci.example.com/…/871 say it in one line", "prompt"},
	{"a host alone", "", []string{"read https://example.com/ and say what it sells"}, "read example.com and say what it sells", "prompt"},
	{"sentences", "", []string{"Look at src/lexer.go. What is the problem with brackets there? Then mend it."}, "Look at src/lexer.go. What is the problem with brackets there?", "prompt"},
	{"long", "", []string{strings.Repeat("word ", 30)}, strings.TrimSpace(strings.Repeat("word ", 16)) + "…", "prompt"},
	{"one long word", "", []string{strings.Repeat("w", 200)}, strings.Repeat("w", 79) + "…", "prompt"},
	{"wide", "", []string{strings.Repeat("語", 50)}, strings.Repeat("語", 39) + "…", "prompt"},
	{"nothing but a colon", "", []string{":"}, ":", "prompt"},
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for _, test := range examples {
		if title, from := titles.Of(test.stored, test.prompts); title != test.title || from != test.from {
			t.Errorf("%s: %q from %q, want %q from %q", test.name, title, from, test.title, test.from)
		}
	}
}

// FuzzTitle holds titles of prompts to their laws: one line, at most 80 columns, empty only without a prompt, and the title
// of a title is that title.
func FuzzTitle(f *testing.F) {
	for _, test := range examples {
		f.Add(strings.Join(test.prompts, "\x00"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		prompts := strings.Split(text, "\x00")
		title, from := titles.Of("", prompts)
		if (title == "") != (from == "") {
			t.Fatalf("%q from %q", title, from)
		}
		if strings.ContainsAny(title, "\r\n\u0085\u2028\u2029") || strings.TrimSpace(title) != title {
			t.Errorf("%q is not one line", title)
		}
		if n := width(title); n > 80 {
			t.Errorf("%q takes %d columns", title, n)
		}
		if title == "" {
			for _, prompt := range prompts {
				m := session.NewMessage(`{"role":"user","content":` + js.Quote(prompt) + `}`)
				e, err := session.ParseEntry(`{"type":"message","id":"a","message":` + m.Raw() + `}`)
				if err != nil {
					t.Fatal(err)
				}
				if words, ok := typed.Prompt(e); ok {
					t.Errorf("no title of %q", words)
				}
			}
			return
		}
		if again, _ := titles.Of("", []string{title}); again != title {
			t.Errorf("%q has the title %q", title, again)
		}
	})
}

// width counts the columns of a text: two for the scripts and symbols that are wide.
func width(text string) int {
	n := 0
	for _, r := range text {
		if n++; r >= 0x1100 && r < 0x1160 || r >= 0x2e80 {
			n++
		}
	}
	return n
}
