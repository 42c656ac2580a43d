package brief_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/brief"
	"github.com/sess-tools/sess/pkg/session"
)

func TestLines(t *testing.T) {
	t.Parallel()
	b := everything(t)
	got := brief.Of(b.path, "/w").Lines(strings.ToUpper)
	want := []string{
		"", "**Asked** (1)", "- MAKE THE PARSER FASTER DO NOT CHANGE THE API.",
		"", "**Answered:** I WILL PROFILE IT FIRST.",
		"", "**Failed:** THE MODEL FAILED: OVERLOADED",
		"", "**Did:** 5 calls: 2 run, 1 read, 1 write, 1 plan",
		"", "**Wrote:** PARSER.GO",
		"", "**Commands that failed** (1)", "- ENDED WITH 2: GO TEST ./...",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// However much there is, the lines are 22, and each has its bounds.
func TestLinesBounds(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	for i := range 40 {
		b.user(strings.Repeat("word ", 100))
		b.assistant(strings.Repeat("answer\n", 100))
		b.call("1", "bash", fmt.Sprintf(`{"command":"go test %d"}`, i), "2", "write", fmt.Sprintf(`{"path":"f%d.go","content":"x"}`, i%30))
		b.result("1", "Command exited with code 1", true)
		b.result("2", "ok", false)
	}
	b.message(`{"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded"}`)
	got := brief.Of(b.path, "/w").Lines(func(text string) string { return text })
	if len(got) != 22 {
		t.Errorf("%d lines:\n%s", len(got), strings.Join(got, "\n"))
	}
	text := strings.Join(got, "\n")
	for _, want := range []string{"**Asked** (40)\n- 37 before\n", "**Wrote:** f0.go ×2, f1.go ×2, ", ", and 20 more\n", "**Commands that failed** (40)\n- 35 before\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, line := range got {
		if len([]rune(line)) > 230 {
			t.Errorf("%d characters: %s", len([]rune(line)), line)
		}
	}
}

// A failure is told as long as nothing was said behind it; a run that ended with another status than 0 has failed.
func TestFailure(t *testing.T) {
	t.Parallel()
	const failed, answered, run, status = "failed", "answered", "run", "status"
	for steps, want := range map[[3]string]string{
		{failed}:                      "the model failed: overloaded",
		{failed, answered}:            "",
		{answered, run, status}:       "the program ended with status 1",
		{failed, status}:              "the model failed: overloaded",
		{status, answered}:            "",
		{run, answered, run}:          "",
		{answered, status, "request"}: "",
	} {
		b := &builder{t: t}
		for _, step := range steps {
			switch step {
			case failed:
				b.message(`{"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded"}`)
			case answered:
				b.assistant("yes")
			case run:
				b.add(session.TypeCustom, `"customType":"sess:run","data":{"agent":"claude","status":0}`)
			case status:
				b.add(session.TypeCustom, `"customType":"sess:run","data":{"status":1,"seconds":2}`)
			case "request":
				b.user("again")
			}
		}
		if got := brief.Of(b.path, "/w").Failure.Text; got != want {
			t.Errorf("%v: %q, want %q", steps, got, want)
		}
	}
}
