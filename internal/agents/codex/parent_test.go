package codex_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// A thread names the one it comes from in one of several ways.
func TestParent(t *testing.T) {
	t.Parallel()
	const parent = "019c0000-0000-7000-8000-000000000009"
	with := func(member string) string { return strings.Replace(meta, `"cwd"`, member+`,"cwd"`, 1) }
	for text, want := range map[string]string{
		with(`"forked_from_id":"` + parent + `"`):                                                      parent,
		with(`"parent_thread_id":"` + parent + `"`):                                                    parent,
		with(`"source":{"subagent":{"thread_spawn":{"parent_thread_id":"` + parent + `","depth":1}}}`): parent,
		with(`"session_id":"` + parent + `"`):                                                          parent,
		meta + strings.Replace(meta, thread, parent, 1):                                                parent,
		meta + meta:                                                            "",
		with(`"session_id":"` + thread + `"`):                                  "",
		with(`"source":{"subagent":"review"}`):                                 "",
		with(`"source":"cli","forked_from_id":null`):                           "",
		meta + asked + strings.ReplaceAll(asked, "q1", "session_meta "+parent): "",
	} {
		path := formatstest.File(t, "rollout-2026-02-03T04-05-06-"+thread+".jsonl", text)
		r := formatstest.One(t, codex.Format, &formats.Source{Path: path})
		if got := r.Session(t).Header.ParentSession; got != want || r.Info.ParentSession != want {
			t.Errorf("parent %q, listed as %q, want %q of\n%s", got, r.Info.ParentSession, want, text)
		}
	}
}
