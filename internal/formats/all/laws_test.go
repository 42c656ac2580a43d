package all_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/all"
	"github.com/sess-tools/sess/internal/formats/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

// corpora are sources that every format is held to its laws by.
var corpora = map[string]formatstest.Corpus{
	"claude":   {Name: "20000000-0000-4000-8000-000000000000.jsonl", Text: harnessed["claude"], Said: []string{"OWN 1", "OWN 2"}, Input: 1, Lines: true},
	"codex":    {Name: "rollout.jsonl", Text: harnessed["codex"], Said: []string{"OWN 1", "OWN 2", "OWN 3"}, Lines: true},
	"opencode": {Name: "ses_1.json", Text: harnessed["opencode"], Said: []string{"OWN 1", "OWN 2"}, Input: 1, OneWay: true}, // its exports are indented
	"pi": {Name: "s.jsonl", Said: []string{"one", "two"}, Input: 5, Lines: true, Bytes: true, Text: `
{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":[{"type":"text","text":"one"}],"timestamp":1767323046000}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"two"}],"api":"a","provider":"p","model":"m","usage":{"input":3,"output":1,"cacheRead":2,"cacheWrite":0,"totalTokens":6,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767323047000}}
`},
	"aider": {Name: ".aider.chat.history.md", Said: []string{"first question", "an answer"}, Text: "\n# aider chat started at 2026-01-02 03:04:05\n\n> Aider v0.86.1  \n\n#### first question  \n\nan answer\n\n> Tokens: 3 sent, 2 received.  \n\n#### second  \n\nanother\n\n"},
	"openai": {Name: "chat.jsonl", Said: []string{"one", "two"}, Lines: true, OneWay: true, Text: `
{"role":"user","content":"one"}
{"role":"assistant","content":"two"}
`},
	"anthropic": {Name: "chat.jsonl", Said: []string{"one", "two"}, Lines: true, OneWay: true, Text: `
{"role":"user","content":[{"type":"text","text":"one","cache_control":{"type":"ephemeral"}}]}
{"role":"assistant","content":[{"type":"text","text":"two"}]}
`},
}

func TestLaws(t *testing.T) {
	t.Parallel()
	for agent, c := range corpora {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			f, ok := formats.Lookup(all.Formats(), agent)
			if !ok {
				t.Fatal("no such format")
			}
			formatstest.Laws(t, f, c)
		})
	}
}

// Every kind of block that a session may have is written by every exporter in a form that
// the format knows, or is a loss. Both spellings of encrypted thinking are one thing.
func TestBlocksThroughExporters(t *testing.T) {
	t.Parallel()
	blocks := map[string]string{
		"text":                    `{"type":"text","text":"MARK"}`,
		"thinking":                `{"type":"thinking","thinking":"MARK","thinkingSignature":"c2ln"}`,
		"unsigned thinking":       `{"type":"thinking","thinking":"MARK"}`,
		"encrypted thinking, pi":  `{"type":"thinking","thinking":"","thinkingSignature":"TUFSSw==","redacted":true}`,
		"encrypted thinking, omp": `{"type":"redactedThinking","data":"TUFSSw=="}`,
		"a call":                  `{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"MARK"}}`,
	}
	const head = `{"type":"session","version":3,"id":"019b7ca9-8f2e-7063-834b-74487a82aa03","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}
{"type":"message","id":"u1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":[{"type":"text","text":"go"}],"timestamp":1767323046000}}
`
	of := map[string]map[string]string{} // what is lost, by format and block
	for name, block := range blocks {
		s := head + `{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"answer"},` + block + `],"api":"anthropic-messages","provider":"anthropic","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767323047000}}
`
		for _, f := range all.Formats() {
			about := f.About()
			if about.ReadOnly || about.Name == "openoxide" || about.Name == "zeroclaw" {
				continue
			}
			version := ""
			if len(about.Versions) > 0 {
				version = about.Versions[0]
			}
			read, err := session.Read(strings.NewReader(s))
			if err != nil {
				t.Fatal(err)
			}
			got, losses := formatstest.Export(t, f, read, version)
			there := strings.Contains(got, "MARK") || strings.Contains(got, "TUFSSw==")
			if !there && len(losses) == 0 {
				t.Errorf("%s: %s is gone without a word:\n%s", about.Name, name, got)
			}
			if (about.Name == "claude" || about.Name == "opencode" || about.Name == "codex") && strings.Contains(got, "redactedThinking") {
				t.Errorf("%s: a spelling that it does not know:\n%s", about.Name, got)
			}
			if of[about.Name] == nil {
				of[about.Name] = map[string]string{}
			}
			what := "there"
			if !there {
				what = "lost"
			}
			for _, l := range losses {
				what += " " + l.Kind
			}
			of[about.Name][name] = what
		}
	}
	for agent, lost := range of {
		if one, other := lost["encrypted thinking, pi"], lost["encrypted thinking, omp"]; one != other {
			t.Errorf("%s: encrypted thinking of pi's is %s, and of oh-my-pi's %s", agent, one, other)
		}
	}
}
