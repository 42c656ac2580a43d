package codex_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/titles"
	"github.com/sess-tools/sess/pkg/typed"
)

// TestSpawned: whoever spawned a thread speaks there in the user's name. That is no prompt, and the title of the session; the rollout comes
// back as it was.
func TestSpawned(t *testing.T) {
	t.Parallel()
	spawned := strings.Replace(meta, `"cwd"`, `"source":{"subagent":{"thread_spawn":{"parent_thread_id":"019c0000-0000-7000-8000-000000000009","depth":1}}},"cwd"`, 1)
	task := item(`{"type":"message","role":"user","content":[{"type":"input_text","text":"Test the parser of dates."}]}`)
	for name, tt := range map[string]struct {
		head    string
		prompts int
	}{
		"by a person":                {meta, 1},
		"by a thread":                {spawned, 0},
		"as its thread_source says":  {strings.Replace(meta, `"cwd"`, `"thread_source":"subagent","cwd"`, 1), 0},
		"a fork, which a person has": {strings.Replace(meta, `"cwd"`, `"forked_from_id":"019c0000-0000-7000-8000-000000000009","cwd"`, 1), 1},
	} {
		text := tt.head + task + reply("Done.")
		s := imported(t, text)
		prompts := 0
		for _, e := range s.Entries {
			if _, ok := typed.Prompt(e); ok {
				prompts++
			}
		}
		if title, _ := titles.OfSession(s.Header, s.Entries); prompts != tt.prompts || title != "Test the parser of dates" {
			t.Errorf("%s: %d prompts, title %q", name, prompts, title)
		}
		lines := s.Header.Raw() + "\n"
		for _, e := range s.Entries {
			lines += e.Raw() + "\n"
		}
		info, err := session.ScanInfo(strings.NewReader(lines))
		if title, _ := titles.Of(info.Name, info.Prompts); err != nil || title != "Test the parser of dates" {
			t.Errorf("%s: a listing has the title %q, %v", name, title, err)
		}
		if back := exported(t, s, "legacy"); back != text {
			t.Errorf("%s: comes back as\n%s", name, back)
		}
	}
}
