package calls

import (
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Answers returns what the user was asked in a call, and what the result says that the answer was, "question → answer"
// for each question; a plan is asked for approval. It is nil for a call that asks nothing. The answers are those of
// Claude Code and opencode, by the question, of codex, by its id, and of Gemini CLI, by its place.
func Answers(c session.ToolCall, result session.Message) (rows []string) {
	if KindOf(c.Name) != Ask {
		return nil
	}
	arguments, text, end := js.Value(js.Trim(c.Arguments)), result.Text("\n"), End(result)
	given := js.Value(result.Get("details")).Get("answers")
	if given == "" {
		given = js.ObjectIn(text).Get("answers")
	}
	add := func(question, answer string) {
		line, _, _ := strings.Cut(strings.TrimSpace(question), "\n")
		switch {
		case result.Role() == "":
			answer = "not answered"
		case end.Outcome == Denied || answer == "" && end.Outcome == Fail:
			answer = "refused"
		case answer == "":
			answer = "?"
		}
		rows = append(rows, line+" → "+answer)
	}
	if plan := arguments.Get("plan").Str(); plan != "" {
		add(plan, "approved")
		return rows
	}
	n := 0
	for q := range arguments.Get("questions").Elements() {
		question, answer := question(js.Value(js.Object(js.RawField("questions", "["+string(q)+"]")))), ""
		for _, key := range []string{question, q.Get("id").Str(), strconv.Itoa(n)} {
			if answer == "" && key != "" {
				answer = words(given.Get(key))
			}
		}
		if _, behind, ok := strings.Cut(text, js.Quote(question)+`="`); answer == "" && ok {
			answer, _, _ = strings.Cut(behind, `"`)
		}
		add(question, answer)
		n++
	}
	if asked := arguments.Get("question").Str(); n == 0 && asked != "" {
		answer, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		add(asked, answer)
	}
	return rows
}

// words returns an answer: a text, or several of them, or an object of codex with several.
func words(v js.Value) string {
	if inner := v.Get("answers"); inner != "" {
		v = inner
	}
	all := []string{}
	for one := range v.Elements() {
		all = append(all, one.Str())
	}
	if v.IsString() {
		return v.Str()
	}
	return strings.Join(all, ", ")
}
