package opencode

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/formatstest"
)

// What was reverted is a branch; the session stands where it was reverted to.
func TestRevert(t *testing.T) {
	t.Parallel()
	talk := []string{
		msg(1, "user", "", textPart("one")), msg(2, "assistant", answers(1), textPart("two"), toolPart("c", "three", "")),
		msg(3, "user", "", textPart("four")), msg(4, "assistant", answers(3), textPart("five")),
	}
	for name, c := range map[string]struct {
		revert string
		said   []string
		left   int // messages on other branches
	}{
		"message":       {`{"messageID":"msg_03"}`, []string{`["user","one"]`, `["assistant","two",[["c","bash","{}"]]]`, `["tool","c","three"]`}, 2},
		"first message": {`{"messageID":"msg_01"}`, nil, 5},
		"part":          {`{"messageID":"msg_02","partID":"prt_0201"}`, []string{`["user","one"]`, `["assistant","two"]`}, 4},
		"first part":    {`{"messageID":"msg_02","partID":"prt_0200"}`, []string{`["user","one"]`}, 4},
		"unknown":       {`{"messageID":"msg_99"}`, []string{`["user","one"]`, `["assistant","two",[["c","bash","{}"]]]`, `["tool","c","three"]`, `["user","four"]`, `["assistant","five"]`}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := exportOf(`,"revert":`+c.revert, slices.Clone(talk)...)
			r := importOne(t, data)
			check(t, r, 0, c.said...)
			if name != "unknown" { // of which nothing is known to opencode either
				reversible(t, data, r)
			}
			s := r.Session(t)
			leaf, _ := s.Leaf()
			path, _ := s.Path(leaf)
			if left := len(messagesOf(s.Entries)) - len(messagesOf(path)); left != c.left {
				t.Errorf("%d messages on other branches", left)
			}
			more := append(slices.Clone(r.Lines), fmt.Sprintf(`{"type":"message","id":"next","parentId":%q,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"on","timestamp":1}}`, path[len(path)-1].ID()))
			text, losses := export(t, formatstest.Result{Lines: more})
			if strings.Contains(text, `"revert"`) || c.left > 0 && (len(losses) == 0 || !strings.Contains(losses[0], fmt.Sprint(c.left, " message"))) || strings.Contains(text, `"four"`) != (c.left == 0) {
				t.Errorf("going on, %q:\n%s", losses, text)
			}
			check(t, importOne(t, []byte(text)), 0, append(slices.Clone(c.said), `["user","on"]`)...)
		})
	}
}
