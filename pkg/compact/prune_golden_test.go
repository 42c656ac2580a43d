package compact_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// An opencodeExport is as much of an export as pruning looks at.
type opencodeExport struct {
	Messages []struct {
		Info struct {
			ID, Role string
			Summary  any // true on a summary; an object on user messages
		}
		Parts []opencodePart
	}
}

type opencodePart struct {
	ID, Type, Text, CallID, Tool string
	TailStartID                  string `json:"tail_start_id"`
	State                        struct {
		Status, Output, Error string
		Attachments           []any
		Time                  struct{ Compacted int64 }
	}
}

// An opencodeSession is an export as a path of ours.
type opencodeSession struct {
	builder
	first  map[string]string // id of the first entry of each message
	entry  map[string]string // id of the entry of each tool part that has a result
	part   map[string]string // and the other way round
	marked []opencodePart    // those the export has as pruned
	tail   string            // id of the message a compaction keeps first
}

func readOpencode(t *testing.T, name string) *opencodeSession {
	t.Helper()
	var export opencodeExport
	if err := json.Unmarshal(corpus.Session(t, "opencode/prune/"+name+".json"), &export); err != nil {
		t.Fatal(err)
	}
	s := &opencodeSession{builder: builder{t: t}, first: map[string]string{}, entry: map[string]string{}, part: map[string]string{}}
	for _, m := range export.Messages {
		before := len(s.path)
		switch {
		case m.Info.Role == "user" && m.Parts[0].Type == "compaction":
			s.tail = m.Parts[0].TailStartID
		case m.Info.Role == "user":
			s.user(m.Parts[0].Text)
		case m.Info.Summary == true:
			s.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"`+s.first[s.tail]+`","tokensBefore":1`)
		default:
			s.step(m.Parts)
		}
		if len(s.path) > before {
			s.first[m.Info.ID] = s.path[before].ID()
		}
	}
	return s
}

// step adds one step of the model: its message, and the results of its calls.
func (s *opencodeSession) step(parts []opencodePart) {
	var calls []string
	for _, p := range parts {
		if p.Type == "tool" {
			calls = append(calls, p.CallID, p.Tool, "{}")
		}
	}
	s.call(calls...)
	for _, p := range parts {
		if p.State.Status != "completed" && p.State.Status != "error" {
			continue
		}
		content := `{"type":"text","text":` + js.Quote(p.State.Output+p.State.Error) + `}`
		for range p.State.Attachments {
			content += `,{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`
		}
		id := s.message(fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":%q,"content":[%s],"isError":%t}`,
			p.CallID, p.Tool, content, p.State.Status == "error"))
		s.entry[p.ID], s.part[id] = id, p.ID
		if p.State.Time.Compacted != 0 {
			s.marked = append(s.marked, p)
		}
	}
}

// TestPruneOpencode compares with what the real opencode 1.18.33 pruned
// (testdata/README.md). Where it is another result on purpose, left says what
// opencode prunes and we do not, more the reverse.
func TestPruneOpencode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		left, more []string
	}{
		{name: "genuine"},
		{name: "last-turns"},
		{name: "pruned-before"},
		{name: "at-limits"},
		{name: "over-limits", left: []string{"04", "0a"}}, // of two characters
		{name: "mixed", left: []string{"0c", "0f"}},       // of 24 characters and of none
		{name: "compacted", more: []string{"09", "0c"}},   // in the part the compaction keeps
		{name: "compacted-just-now", more: []string{"09"}},
		{name: "compacted-last", left: []string{"04", "09"}}, // not in the context; in the last turns
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := readOpencode(t, c.name)
			var want []string
			if err := json.Unmarshal(corpus.Session(t, "opencode/prune/"+c.name+".pruned.json"), &want); err != nil {
				t.Fatal(err)
			}
			if c.name != "genuine" { // that one is the answer itself
				for _, p := range s.marked {
					content := js.Quote(fmt.Sprintf("%s%d characters]", compact.PrunedPrefix, js.Len(p.State.Output)))
					s.add(session.TypeContextEdit, `"targetId":"`+s.entry[p.ID]+`","replacement":{"content":`+content+`}`)
					want = slices.DeleteFunc(want, func(id string) bool { return id == p.ID })
				}
				s.user("NEXT")
				s.assistant("answer")
			}
			if diff := cmp.Diff(differing(t, want, c.left, c.more), s.pruned(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("pruned parts (-opencode +sess):\n%s", diff)
			}
		})
	}
}

func differing(t *testing.T, parts, left, more []string) []string {
	t.Helper()
	full := func(id string) string { return "prt_19c2153d10" + id + "AAAAAAAAAAAAAA" }
	for _, id := range left {
		i := slices.Index(parts, full(id))
		if i < 0 {
			t.Fatalf("opencode does not prune %s either", id)
		}
		parts = slices.Delete(parts, i, i+1)
	}
	for _, id := range more {
		if slices.Contains(parts, full(id)) {
			t.Fatalf("opencode prunes %s too", id)
		}
		parts = append(parts, full(id))
	}
	slices.Sort(parts)
	return parts
}

// pruned returns the tool parts whose results Prune replaces.
func (s *opencodeSession) pruned() (parts []string) {
	s.t.Helper()
	p, err := compact.Prune(s.path, compact.DefaultPruneProtect)
	if errors.Is(err, compact.ErrNothing) {
		return nil
	}
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range p.Edits {
		parts = append(parts, s.part[e.TargetID])
	}
	return parts
}
