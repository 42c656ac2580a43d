package compact_test

import (
	"fmt"
	"testing"

	"github.com/sess-tools/sess/pkg/compact"
)

// TestExtractTurns: what the assistant reported at the end of a turn is done
// once the user goes on; before, it is where the work stands.
func TestExtractTurns(t *testing.T) {
	t.Parallel()
	got := extracted(t, func(b *builder) {
		b.user("Fix the menu")
		b.message(`{"role":"assistant","content":[{"type":"text","text":"Let me look at it first."},{"type":"toolCall","id":"1","name":"read","arguments":{"path":"menu.go"}}],"stopReason":"toolUse"}`)
		b.result("1", "text", false)
		b.assistant("Perfect! The menu closes again when a key is pressed.\n\n- one\n- two")
		b.user("Now the title")
		b.message(`{"role":"assistant","content":[{"type":"text","text":"I am going to look where it is set"}],"stopReason":"aborted"}`)
	})
	checkSection(t, got, "### Done", "- [x] The menu closes again when a key is pressed. [00000004]")
	checkSection(t, got, "### In Progress", "- [ ] I am going to look where it is set [00000006]")
}

// TestExtractQuestions: a question and its answer are a decision; a question
// without one is open.
func TestExtractQuestions(t *testing.T) {
	t.Parallel()
	got := extracted(t, func(b *builder) {
		b.user("Make a release")
		b.assistant("There are two ways to do that. Shall I tag it?")
		b.user("yes")
		b.assistant("Tagged it, as you said. Which name shall it have?")
		b.user("what names are there?")
		b.message(`{"role":"assistant","content":[],"stopReason":"aborted"}`)
		b.user("Take any and push")
		b.assistant("Pushed it to the server. 次はどうしますか？")
	})
	checkSection(t, got, "## Key Decisions",
		"- Shall I tag it? The user: yes [00000003]\n- 次はどうしますか？ The user: Keep this message: "+long(20)+" [00000009]")
	checkSection(t, got, "## Next Steps", "1. Go on with: Keep this message: "+long(20)+" [00000009]\n2. not answered: what names are there? [00000005]")
	checkSection(t, got, "### Blocked", "")
}

// TestExtractUnanswered: text answers a question, unless it was broken off; a
// question behind it asks on.
func TestExtractUnanswered(t *testing.T) {
	t.Parallel()
	const open = "\n2. not answered: why is it slow? [00000001]"
	aborted := `{"role":"assistant","content":[{"type":"text","text":"Let me think about that"}],"stopReason":"aborted"}`
	for _, c := range []struct{ name, reply, next, want string }{
		{"answered", `{"role":"assistant","content":[{"type":"text","text":"It reads every file twice."}],"stopReason":"stop"}`, "Mend that then", ""},
		{"broken off", aborted, "Mend the menu", open},
		{"failed", `{"role":"assistant","content":[],"stopReason":"error","errorMessage":"x"}`, "Mend the menu", open},
		{"asked on", aborted, "is it the menu?", ""},
		{"said on at once", `{"role":"custom","content":"x"}`, "I mean the menu", ""},
		{"said on while it works", `{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"ls","arguments":{}}],"stopReason":"toolUse"}`, "I mean the menu", ""},
	} {
		got := extracted(t, func(b *builder) {
			b.user("why is it slow?")
			b.message(c.reply)
			b.user(c.next)
			b.assistant("It is the menu which does that.")
		})
		t.Run(c.name, func(t *testing.T) {
			checkSection(t, got, "## Next Steps", "1. Go on with: Keep this message: "+long(20)+" [00000005]"+c.want)
		})
	}
}

// TestExtractAsked: a question nobody has answered stands in the way, until it
// is answered behind the next compaction.
func TestExtractAsked(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("Make a release")
	b.assistant("There are two ways to do that. Shall I tag it?")
	b.message(`{"role":"bashExecution","command":"git tag","output":"` + long(20) + `","exitCode":0}`)
	p, err := compact.New(b.path, compact.Options{Keep: 10})
	if err != nil {
		t.Fatal(err)
	}
	s := compact.Extract(p)
	checkSection(t, s.History, "### Blocked", "- asked the user: Shall I tag it? [00000002]")
	b.path = p.After(entryOf(t, p, s))
	b.user("no, wait")
	b.assistant("I wait for the word.")
	b.user("Keep this message: " + long(20))
	got := extractPath(t, b.path)
	checkSection(t, got, "### Blocked", "")
	checkSection(t, got, "## Key Decisions", "- Shall I tag it? The user: no, wait [00000005]")
	checkSection(t, got, "### Done", "- [x] There are two ways to do that. [00000002]\n- [x] I wait for the word. [00000006]")
}

func TestExtractPlan(t *testing.T) {
	t.Parallel()
	const plan = "I have read it all, and it is large.\n\n**Next steps:**\n1. Split the file\n2. Test it ✅\n3. Write the docs\n\nDone so far:\n- reading\n- [ ] measure it\n- [x] profile it\n\nNext I shall split the file."
	build := func(more ...string) string {
		return extracted(t, func(b *builder) {
			b.user("Clean up the parser")
			b.assistant(plan)
			for _, text := range more {
				b.user(text)
				b.assistant("I am at it, wait a moment please.")
			}
		})
	}
	const steps = "\n2. Split the file [00000002]\n3. Write the docs [00000002]\n4. measure it [00000002]\n5. Next I shall split the file. [00000002]"
	for _, c := range []struct {
		name, want string
		more       []string
	}{
		{"just made", steps, nil},
		{"agreed", steps, []string{"ok", "yes", "go on"}},
		{"overtaken by other requests", "", []string{"Do this first", "Rename the file", "And now this other thing"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := build(c.more...)
			id := fmt.Sprintf("%08x", 3+2*len(c.more))
			checkSection(t, got, "## Next Steps", "1. Go on with: Keep this message: "+long(20)+" ["+id+"]"+c.want)
		})
	}
	got := extracted(t, func(b *builder) {
		b.user("Clean up")
		b.assistant(plan)
		b.user("ok")
		b.assistant("TODO:\n* rename it all")
	})
	checkSection(t, got, "## Next Steps", "1. Go on with: Keep this message: "+long(20)+" [00000005]\n2. rename it all [00000004]")
}

// TestExtractGoOn: a yes says what to go on with only with the question.
func TestExtractGoOn(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("Make a release")
	b.assistant("All is ready for it now. Shall I push?")
	b.user("yes, do it")
	b.assistant(long(20))
	got := extractPath(t, b.path)
	checkSection(t, got, "## Next Steps", "1. Go on with: yes, do it (asked: Shall I push?) [00000002]")
	b = &builder{t: t}
	b.user("Make a release")
	b.assistant("All is ready for it now.")
	b.user("nice")
	b.assistant(long(20))
	checkSection(t, extractPath(t, b.path), "## Next Steps", "1. Go on with: Make a release [00000001]")
}

func TestExtractDecisions(t *testing.T) {
	t.Parallel()
	got := extracted(t, func(b *builder) {
		b.user("Clean up the parser")
		b.assistant("We decided on a table. It is fast. I use maps instead of lists here.\n```\nbecause of code\n```\n为了兼容，决定保留旧格式。")
	})
	checkSection(t, got, "## Key Decisions",
		"- We decided on a table. [00000002]\n- I use maps instead of lists here. [00000002]\n- 为了兼容，决定保留旧格式。 [00000002]")
	got = extracted(t, func(b *builder) {
		b.user("Clean up the parser")
		b.assistant("We decided on a table.")
		for i := range 30 {
			b.assistant(fmt.Sprintf("That is because of reason %d.", i))
		}
	})
	want := "- We decided on a table. [00000002]"
	for i := 26; i < 30; i++ {
		want += fmt.Sprintf("\n- That is because of reason %d. [%08x]", i, 3+i)
	}
	checkSection(t, got, "## Key Decisions", want)
}

// TestExtractCopies: the copies that one compaction kept are not read again by
// the next, as if the user had said it all once more.
func TestExtractCopies(t *testing.T) {
	t.Parallel()
	o := compact.Options{Strategy: compact.KeepUser, Keep: 1000}
	b := &builder{t: t}
	b.user("Clean up the parser")
	b.assistant("I could split it in two files. Shall I?")
	b.call("1", "bash", `{"command":"make"}`)
	b.result("1", "error: it broke", true)
	for i := range 5 {
		b.user(fmt.Sprintf("Then split file number %d", i))
	}
	b.assistant("They are all split now, each into two. Is that enough?")
	for range 3 {
		p, err := compact.New(b.path, o)
		if err != nil {
			t.Fatal(err)
		}
		s := compact.Extract(p)
		checkSection(t, s.History, "### Blocked", "- `make` failed: error: it broke [00000004]\n- asked the user: Is that enough? [0000000a]")
		b.path = p.After(batchOf(t, b.path, p, s).Entries...)
		b.message(`{"role":"bashExecution","command":"ls","output":"x","exitCode":0}`)
	}
}
