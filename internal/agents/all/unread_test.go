package all_test

import (
	"context"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"

	"github.com/sess-tools/sess/internal/test/formatstest"
)

// kept are where formats that keep a session in a file have it below their home; others say why they have none.
var kept = map[string]string{
	"pi": "--w--/2026-01-02T03-04-05-000Z_a.jsonl", "omp": "-w/2026-01-02T03-04-05-000Z_a.jsonl", "claude": "-w/11111111-1111-4111-8111-111111111111.jsonl",
	"codex":   "sessions/2026/01/02/rollout-2026-01-02T03-04-05-019b7ca9-8f2e-7063-834b-74487a82aa03.jsonl",
	"copilot": "11111111-1111-4111-8111-111111111111/events.jsonl", "gemini": "ab12/chats/session-2026-01-02T03-04-a.jsonl", "qwen": "-w/chats/11111111-1111-4111-8111-111111111111.jsonl",
	"amp": "T-a.json", "antigravity": "antigravity/brain/s1/.system_generated/logs/transcript.jsonl", "cline": "s1/s1.messages.json",
	"continue": "11111111-1111-4111-8111-111111111111.json", "cursor": "w/agent-transcripts/s1/s1.jsonl", "droid": "-w/11111111-1111-4111-8111-111111111111.jsonl",
	"kiro": "11111111-1111-4111-8111-111111111111.jsonl", "vibe": "session_1/messages.jsonl",
	"kimi": "wd_w/session_1/agents/main/wire.jsonl", "kimicli": "ab12/11111111-1111-4111-8111-111111111111/context.jsonl", "grok": "%2Fw/s1/chat_history.jsonl",
}

var keptElsewhere = map[string]string{
	"opencode": "a database", "openoxide": "a database", "zeroclaw": "a database", "aider": "a file of each project", "entire": "branches of git",
	"crush": "databases", "cursoride": "a database", "goose": "a database", "hermes": "databases", "zed": "a database", "kilo": "a database",
	"openclaw": "databases", "roo": "directories of editors", "vscode": "directories of editors", "values": "none", "anthropic": "none", "openai": "none",
}

// TestNothingUnread: each JSON Lines file at the home of an agent is listed, with its session or with why it is none, or told as
// one that no tool reads; and none is both. Strangers stand beside a session, in each directory above it, and further down.
func TestNothingUnread(t *testing.T) {
	t.Parallel()
	for _, f := range all.Formats() {
		name := f.About().Name
		place, is := kept[name]
		if !is {
			if f.About().Home != nil && keptElsewhere[name] == "" {
				t.Errorf("%s has a home, and no place in it is known here", name)
			}
			continue
		}
		home := t.TempDir()
		files := []string{place, path.Join(path.Dir(place), "further", "down", "stranger.jsonl")}
		for dir := path.Dir(place); ; dir = path.Dir(dir) {
			if files = append(files, path.Join(dir, "a stranger.jsonl")); dir == "." {
				break
			}
		}
		for _, file := range files {
			file = filepath.Join(home, filepath.FromSlash(file))
			formatstest.Put(t, file, "{}\n")
		}
		a, err := f.Open(t.Context(), &formats.Source{Path: home})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		told := map[string]string{}
		for info, err := range a.List(t.Context(), formats.Query{}) {
			if told[info.Path] = "listed"; err != nil {
				told[info.Path] = "listed: " + err.Error()
			}
		}
		others, is := a.(interface {
			Others(ctx context.Context) []formats.Other
		})
		if !is {
			t.Errorf("%s: what else is at its home is not asked for", name)
			continue
		}
		for _, other := range others.Others(t.Context()) {
			if told[other.Path] != "" {
				t.Errorf("%s: %s is %s, and no tool is said to read it", name, other.Path, told[other.Path])
			}
			told[other.Path] = "other"
		}
		for _, file := range files {
			if told[filepath.Join(home, filepath.FromSlash(file))] == "" {
				t.Errorf("%s: %s is neither listed nor told", name, file)
			}
		}
		if !strings.HasPrefix(told[filepath.Join(home, filepath.FromSlash(place))], "listed") {
			t.Errorf("%s: its session is not listed", name)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
