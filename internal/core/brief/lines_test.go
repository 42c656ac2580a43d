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
		"", "**Ended:** THE MODEL FAILED: OVERLOADED",
		"", "**Did:** 5 calls: 2 run, 1 read, 1 write, 1 plan",
		"", "**Wrote:** PARSER.GO",
		"", "**Commands that failed** (1)", "- ENDED WITH 2: GO TEST ./...",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a run failed of is told with its status and its time, once.
func TestLinesOfARunThatFailed(t *testing.T) {
	t.Parallel()
	header := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	for _, tt := range []struct{ reply, status, want string }{
		{`"content":[],"stopReason":"error","errorMessage":"the command ended with status 1: Invalid key"`, "1", "status 1 after 12 s: Invalid key"},
		{`"content":[],"stopReason":"error","errorMessage":"the command ended with status 1"`, "1", "status 1 after 12 s"},
		{`"content":[],"stopReason":"error","errorMessage":"529 overloaded"`, "0", "status 0 after 12 s: the model failed: 529 overloaded"},
		{`"content":[],"stopReason":"aborted","errorMessage":"the command took too long and was stopped"`, "124", "status 124 after 12 s: the command took too long and was stopped"},
		{`"content":"done","stopReason":"stop"`, "3", "status 3 after 12 s"},
		{`"content":"done","stopReason":"stop"`, "0", ""},
		{`"content":[],"stopReason":"error","errorMessage":"529 overloaded"`, "", "the model failed: 529 overloaded"},
	} {
		text := header + `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"assistant",` + tt.reply + `}}` + "\n"
		if tt.status != "" {
			text += `{"type":"custom","customType":"sess:run","data":{"command":["x"],"status":` + tt.status + `,"seconds":12.3},"id":"b","parentId":"a","timestamp":"2026-01-02T03:04:06.000Z"}` + "\n"
		}
		s, err := session.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, line := range brief.Of(s.Entries, "/w").Lines(func(s string) string { return s }) {
			if end, ok := strings.CutPrefix(line, "**Ended:** "); ok {
				got = end
			}
		}
		if got != tt.want {
			t.Errorf("%s, status %s: %q, want %q", tt.reply, tt.status, got, tt.want)
		}
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
