package command

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

// TestAnswer has what models put around a summary, and what looks like it.
func TestAnswer(t *testing.T) {
	t.Parallel()
	goal := Answer{Heading: "## Goal"}
	const code = "## Goal\n- run\n```sh\nmake\n```\n## Next\n- x"
	tests := []struct {
		name   string
		answer Answer
		reply  string
		want   string // "" is as it was
		err    error
	}{
		{"plain", goal, "## Goal\n- x", "", nil},
		{"no heading", goal, "It loops.", "", ErrLacking},
		{"heading inside a line", goal, "see ## Goal", "", ErrLacking},
		{"words first", goal, "Sure! Here is the summary:\n\n## Goal\n- x", "## Goal\n- x", nil},
		{"a title first", goal, "# Summary\n\n## Goal\n- x", "## Goal\n- x", nil},
		{"a section first", goal, "## Constraints\n- none\n\n## Goal\n- x", "", nil},
		{"words and fence", goal, "Sure! Here is the summary:\n\n```markdown\n## Goal\n- x\n```", "## Goal\n- x", nil},
		{"fence alone", goal, "```\n## Goal\n- x\n```", "## Goal\n- x", nil},
		{"tildes", goal, "~~~md\n## Goal\n- x\n~~~", "## Goal\n- x", nil},
		{"farewell", goal, "```\n## Goal\n- x\n```\n\nTell me if you need more.", "## Goal\n- x", nil},
		{"long farewell", goal, "```\n## Goal\n- x\n```\n" + strings.Repeat("It goes on. ", 40), "", nil},
		{"goes on behind the fence", goal, "```\n## Goal\n- x\n```\n## Next\n- y", "", nil},
		{"fence without end", goal, "```markdown\n## Goal\n- x", "## Goal\n- x", nil},
		{"code inside", goal, code, "", nil},
		{"code inside a fence", goal, "```markdown\n" + code + "\n```", code, nil},
		{"code inside a fence, last", goal, "```markdown\n## Goal\n```sh\nmake\n```\n```", "## Goal\n```sh\nmake\n```", nil},
		{"code inside a longer fence", goal, "````markdown\n" + code + "\n````", code, nil},
		{"code last", goal, "## Goal\n```\nmake\n```", "", nil},
		{"code first", goal, "I ran\n```\nmake\n```\n## Goal\n- x", "## Goal\n- x", nil},
		{"anything", Answer{}, "It loops.", "", nil},
		{"anything in a fence", Answer{}, "```markdown\nIt loops.\n```", "It loops.", nil},
		{"a piece of code", Answer{}, "```json\n{}\n```", "", nil},
		{"two pieces of code", Answer{}, "```\na\n```\nand\n```\nb\n```", "", nil},
		{"one mark", Answer{}, "```", "", nil},
		{"pattern", Answer{Heading: "## Goal", Require: regexp.MustCompile(`(?m)^- `)}, "Words.\n- x", "", nil},
		{"pattern in a fence", Answer{Require: regexp.MustCompile(`(?m)^- `)}, "```md\n- x\n```", "- x", nil},
		{"pattern lacking", Answer{Heading: "## Goal", Require: regexp.MustCompile(`(?m)^- `)}, "## Goal", "", ErrLacking},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, left, err := tt.answer.Take("Summarize this, please.", tt.reply)
			if !errors.Is(err, tt.err) {
				t.Fatalf("got %v, want %v", err, tt.err)
			}
			want := tt.want
			if want == "" && err == nil {
				want = tt.reply
			}
			if got != want || (left == "") != (got == tt.reply || err != nil) {
				t.Errorf("got %q, left out %q, want %q", got, left, want)
			}
			if err == nil {
				if again, left, _ := tt.answer.Take("Summarize this, please.", got); again != got || left != "" {
					t.Errorf("taken again: %q, left out %q", again, left)
				}
			}
		})
	}
}

func TestEcho(t *testing.T) {
	t.Parallel()
	prompt := "You write summaries.\n<conversation>\n" + strings.Repeat("[User]: one more of the questions\n", 200) +
		"[Assistant]: the last of the answers\n</conversation>\n\nUse these headings:\n\n## Goal\n[What the user wants]\n"
	tests := []struct {
		name, reply string
		want        bool
	}{
		{"all", prompt, true},
		{"all, then an answer", prompt + "## Goal\n- x", true},
		{"indented", "  | " + strings.ReplaceAll(prompt, "\n", "\n    "), true},
		{"the beginning", prompt[:4000], true},
		{"the end", prompt[len(prompt)-4000:], true},
		{"a quotation", "## Goal\n" + strings.Repeat("[User]: one more of the questions\n", 10), false},
		{"a summary", "## Goal\n- x", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := Answer{Heading: "## Goal"}.Take(prompt, tt.reply)
			if got := errors.Is(err, errEcho); got != tt.want {
				t.Errorf("got %v, want an echo: %v", err, tt.want)
			}
		})
	}
	if _, _, err := (Answer{}).Take("hi", "hi"); err != nil {
		t.Errorf("a short prompt: %v", err)
	}
}

// FuzzAnswer states that what is taken is part of the reply, and stays as it is
// when it is taken again.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"x\n```md\n## Goal\n```\ny", "```\n```", "~~~\n## Goal\n```\n~~~", "## Goal\n## Goal"} {
		f.Add("## Goal", s)
		f.Add("", s)
	}
	f.Fuzz(func(t *testing.T, heading, reply string) {
		a := Answer{Heading: heading}
		got, left, err := a.Take("", reply)
		if err != nil {
			return
		}
		if !strings.Contains(reply, got) || left == "" && got != reply {
			t.Errorf("%q of %q, left out %q", got, reply, left)
		}
	})
}
