package codex_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

func goal(objective, status string) string {
	return event("thread_goal_updated", `,"goal":{"objective":`+js.Quote(objective)+`,"status":"`+status+`"}`)
}

func goalTold(objective string) string {
	return item(`{"type":"function_call_output","name":"goal_objective","namespace":"agent","output":` + js.Quote(objective) + `}`)
}

func reminded(objective string) string {
	return item(`{"type":"message","role":"user","content":[{"type":"input_text","text":` + js.Quote("<codex_internal_context source=\"goal\">\nGo on.\n\n<objective>\n"+objective+"\n</objective>\n</codex_internal_context>") + `}]}`)
}

const (
	reviewed  = `<user_action>\n  <context>User initiated a review task.</context>\n  <action>review</action>\n  <results>\n  Fine.\n  </results>\n  </user_action>\n`
	foxReview = `"target":{"type":"custom","instructions":"is the fox well?"},"user_facing_hint":"is the fox"`
)

// What a person asked by a command is a message of the user's, once, when it was asked; what codex makes of it is none. The second
// text is what a model is shown as the user's words.
func TestAsked(t *testing.T) {
	t.Parallel()
	result := strings.Replace(asked, "q1", reviewed, 1)
	const wrapped = "<user_action>…"
	for name, tt := range map[string]struct{ lines, typed, shown string }{
		"a goal":                 {goal("find the den", "active") + reply("I look."), "find the den", "find the den"},
		"paused and taken up":    {goal("find the den", "active") + reply("I look.") + goal("find the den", "paused") + goal("find the den", "active") + reply("There."), "find the den", "find the den"},
		"two goals":              {goal("find the den", "active") + reply("There.") + goal("find the fox", "active") + reply("Here."), "find the den|find the fox", "find the den|find the fox"},
		"with its output":        {goal("find the den", "active") + goalTold("find the den") + reply("I look."), "find the den", "find the den"},
		"its output alone":       {goalTold("find the den") + reply("I look."), "find the den", "find the den"},
		"its reminder alone":     {reminded("find the den &amp; the fox") + reply("I look.") + reminded("find the den &amp; the fox") + reply("There."), "find the den & the fox", "find the den & the fox"},
		"with its reminder":      {goal("find the den", "active") + reminded("find the den") + reply("I look."), "find the den", "find the den"},
		"behind a prompt":        {asked + reply("a1") + goal("find the den", "active") + reply("I look."), "q1|find the den", "q1|find the den"},
		"set by the model":       {asked + item(`{"type":"function_call","name":"create_goal","call_id":"g","arguments":"{\"objective\":\"find the den\"}"}`) + goal("find the den", "active") + output("g", "{}") + reply("I look."), "q1", "q1"},
		"in the midst of a call": {asked + calling("c", "x") + goal("find the den", "active") + output("c", "y") + reply("I look."), "q1|find the den", "q1|find the den"},
		"cleared":                {goal("", "active") + asked + reply("a1"), "q1", "q1"},
		"a review":               {event("entered_review_mode", ","+foxReview) + event("user_message", `,"message":"is the fox well?"`) + result + reply("Fine."), "is the fox well?", wrapped},
		"a review, by an item":   {event("item_completed", `,"item":{"type":"EnteredReviewMode","id":"r",`+foxReview+`}`) + result + reply("Fine."), "is the fox well?", wrapped},
		"of what changed":        {event("entered_review_mode", `,"target":{"type":"uncommittedChanges"},"user_facing_hint":"current changes"`) + result + reply("Fine."), "/review current changes", wrapped},
		"and a prompt":           {event("entered_review_mode", ","+foxReview) + result + reply("Fine.") + asked + reply("a1"), "is the fox well?|q1", wrapped + "|q1"},
		"words beside a wrapper": {strings.Replace(asked, "q1", "<user_action> is what?", 1) + reply("a1"), "<user_action> is what?", wrapped},
	} {
		text := meta + tt.lines
		s := imported(t, text)
		var said []string
		for _, e := range s.Entries {
			if words, ok := typed.Prompt(e); ok {
				said = append(said, words)
			}
		}
		if got := strings.Join(said, "|"); got != tt.typed {
			t.Errorf("%s: asked was %q, want %q", name, got, tt.typed)
		}
		var shown []string
		leaf, _ := s.Leaf()
		path, _ := s.Path(leaf)
		for _, m := range convo.ToLLM(convo.MessagesOf(convo.Project(path))) {
			if text := strings.TrimSpace(m.Text("")); m.Role() == session.RoleUser && !strings.HasPrefix(text, "<codex_internal") {
				if strings.HasPrefix(text, "<user_action>") {
					text = wrapped
				}
				shown = append(shown, text)
			}
		}
		if got := strings.Join(shown, "|"); got != tt.shown {
			t.Errorf("%s: a model is shown %q, want %q", name, got, tt.shown)
		}
		if back := exported(t, s, "legacy"); back != text {
			t.Errorf("%s comes back as\n%s", name, back)
		}
	}
}
