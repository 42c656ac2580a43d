package opencode

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agent/formatstest"
)

// A fork has ids of its own, so that opencode takes it for another session.
func TestFork(t *testing.T) {
	t.Parallel()
	data := exports(t)["genuine-05-compacted-auto-e03e51aedffeSpAUGWhbkIFG5n.json"]
	r := importOne(t, data)
	fork := slices.Clone(r.Lines)
	fork[0] = strings.Replace(fork[0], "ses_e03e51aedffeSpAUGWhbkIFG5n", "01a1fc13-4173-73d3-8273-e3e1ca1285c1", 1)
	first, _ := export(t, r)
	second, losses := export(t, formatstest.Result{Lines: fork})
	importable(t, second)
	for _, id := range regexp.MustCompile(`"(?:ses|msg|prt)_[^"]*"`).FindAllString(first, -1) {
		if strings.Contains(second, id) {
			t.Errorf("%s is in the fork too", id)
		}
	}
	if diff := cmp.Diff(said(t, r.Session(t)), said(t, importOne(t, []byte(second)).Session(t))); diff != "" || len(losses) > 0 {
		t.Errorf("%q\n%s", losses, diff)
	}
}

// Entries that are no longer those of their message: what is there is written.
func TestEditedByHand(t *testing.T) {
	t.Parallel()
	r := importOne(t, exportOf("", msg(1, "user", "", textPart("one")), msg(2, "assistant", answers(1), textPart("two"), toolPart("c", "three", "")), msg(3, "user", "", textPart("four"))))
	for name, c := range map[string]struct {
		old, new string
		said     []string
	}{
		"another text":   {`"text":"two"`, `"text":"deux"`, []string{`["user","one"]`, `["assistant","deux",[["c","bash","{}"]]]`, `["tool","c","three"]`, `["user","four"]`}},
		"another result": {`"text":"three"`, `"text":"trois"`, []string{`["user","one"]`, `["assistant","two",[["c","bash","{}"]]]`, `["tool","c","trois"]`, `["user","four"]`}},
		"failed":         {`"isError":false`, `"isError":true`, []string{`["user","one"]`, `["assistant","two",[["c","bash","{}"]]]`, `["tool","c","three"]`, `["user","four"]`}},
		"another call":   {`"name":"bash"`, `"name":"zsh"`, []string{`["user","one"]`, `["assistant","two",[["c","zsh","{}"]]]`, `["tool","c","three"]`, `["user","four"]`}},
		"no result":      {`"type":"message","id":"prt_0201"`, `"type":"note","id":"prt_0201"`, []string{`["user","one"]`, `["assistant","two",[["c","bash","{}"]]]`, `["tool","c","No result provided"]`, `["user","four"]`}},
		"no reply":       {`"type":"message","id":"msg_02"`, `"type":"note","id":"msg_02"`, []string{`["user","one"]`, `["user","four"]`}},
		"not kept":       {`"kept":{"opencode"`, `"kept":{"other"`, []string{`["user","one"]`, `["assistant","two",[["c","bash","{}"]]]`, `["tool","c","three"]`, `["user","four"]`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := slices.Clone(r.Lines)
			for i := range lines {
				lines[i] = strings.ReplaceAll(lines[i], c.old, c.new)
			}
			changed := formatstest.Result{Lines: lines}
			if slices.Equal(lines, r.Lines) {
				t.Fatal("nothing changed")
			}
			if diff := cmp.Diff(c.said, said(t, changed.Session(t))); diff != "" {
				t.Fatalf("sess-path says otherwise:\n%s", diff)
			}
			text, _ := export(t, changed)
			importable(t, text)
			check(t, importOne(t, []byte(text)), 0, c.said...)
		})
	}
}
