package all_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/convo"
)

// Law: the image of a file that the user mentioned is carried over, or its loss is
// told.
func TestMentionedImage(t *testing.T) {
	t.Parallel()
	text := must.Read(t, "testdata/fm.jsonl")
	first, _, _ := strings.Cut(text, `{"type":"message","id":"a2"`) // which has an image as well
	s := formatstest.Parse(t, first)
	carried := 0
	for _, f := range all.Formats() {
		if f.About().ReadOnly {
			continue
		}
		name := f.About().Name
		_, losses := formatstest.Export(t, f, s, "")
		told := false
		for _, l := range losses {
			told = told || l.Kind == formats.KindMedia || strings.Contains(l.What, "shows no model")
		}
		if told {
			continue
		}
		carried++
		images := 0
		for _, m := range convo.ToLLM(formatstest.Shown(there(t, t, f, s, ""))) {
			for b := range m.Blocks() {
				if b.Type == "image" && b.Str("data") == "AAAA" {
					images++
				}
			}
		}
		if images != 1 {
			t.Errorf("%s: %d images are shown, and no loss is told: %v", name, images, losses)
		}
	}
	if carried < 4 {
		t.Errorf("only %d formats carry it", carried)
	}
}
