package all_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/all"
	"github.com/sess-tools/sess/internal/formats/formatstest"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// sayings returns what the messages of a source say, and the kinds of the losses.
func sayings(t *testing.T, agent, text string) (said string, kinds []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "source.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, _ := formats.Lookup(all.Formats(), agent)
	for _, r := range formatstest.Import(t, f, &formats.Source{Path: path}, true) {
		for _, e := range r.Session(t).Entries {
			if m, ok := e.Message(); ok {
				said += m.Role() + ": " + m.Text("|") + "\n"
			}
		}
		for _, l := range r.Losses {
			kinds = append(kinds, l.Kind)
		}
	}
	return said, kinds
}

// A byte order mark, the line ends of Windows, a torn tail and a byte that is no UTF-8
// change nothing but what they say.
func TestDamageChangesNothingElse(t *testing.T) {
	t.Parallel()
	for agent, text := range harnessed {
		text = strings.TrimPrefix(text, "\n")
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			want, before := sayings(t, agent, text)
			lines := agent != "opencode" // which is one JSON text
			for name, damaged := range map[string]string{
				"a byte order mark": jsonl.ByteOrderMark + text,
				"CRLF":              strings.ReplaceAll(text, "\n", "\r\n"),
				"a torn tail":       text + `{"type":"us`,
				"invalid UTF-8":     strings.Replace(text, "OWN 2", "OWN 2\xff", 1),
			} {
				if name == "a torn tail" && !lines {
					continue
				}
				said, kinds := sayings(t, agent, damaged)
				lost := 0
				switch name {
				case "a torn tail":
					lost = 1
				case "invalid UTF-8":
					said, lost = strings.Replace(said, "\ufffd", "", 1), 1
				}
				if said != want || len(kinds) != len(before)+lost {
					t.Errorf("%s: %d losses more, want %d (%v)\n%s\nwant\n%s", name, len(kinds)-len(before), lost, kinds, said, want)
				}
			}
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
