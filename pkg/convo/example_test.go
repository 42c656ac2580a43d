package convo_test

import (
	"fmt"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

const talk = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/home/u/proj"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":[{"type":"text","text":"Which tests fail?"}],"timestamp":1767323046000}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"bashExecution","command":"make test","output":"FAIL TestRead","exitCode":2,"cancelled":false,"truncated":false,"timestamp":1767323047000}}
{"type":"label","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-01-02T03:04:08.000Z","targetId":"aaaa0001","label":"start"}
{"type":"mess`

func ExampleContextOf() {
	s, err := session.Read(strings.NewReader(talk))
	if err != nil {
		fmt.Println(err)
		return
	}
	leaf, _ := s.Leaf()
	path, _ := s.Path(leaf)
	c := convo.ContextOf(convo.Project(path), path)
	for _, m := range convo.ToLLM(c.Messages) {
		fmt.Printf("%s: %q\n", m.Role(), m.Text(""))
	}
	fmt.Println(convo.EstimateContext(c.Messages, convo.Estimate), "tokens")
	// Output:
	// user: "Which tests fail?"
	// user: "Ran `make test`\n```\nFAIL TestRead\n```\n\nCommand exited with code 2"
	// 11 tokens
}

func ExampleProject() {
	s, err := session.Read(strings.NewReader(join(
		head, user("a", "", "old"), user("b", "a", "kept"), compaction("c", "b", "b"), user("d", "c", "new"),
	)))
	if err != nil {
		fmt.Println(err)
		return
	}
	path, _ := s.Path(3)
	for _, p := range convo.Project(path) {
		fmt.Println(p.Entry.ID(), p.Messages[0].Role())
	}
	// Output:
	// c compactionSummary
	// b user
	// d user
}

// A result that stands in front of its call is found all the same.
func ExamplePair() {
	messages := []session.Message{
		session.NewMessage(`{"role":"toolResult","toolCallId":"1","toolName":"ls","content":"a.go"}`),
		session.NewMessage(`{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"ls","arguments":{}},{"type":"toolCall","id":"2","name":"cat","arguments":{}}]}`),
	}
	pairs := convo.Pair(messages)
	for i := range messages {
		if call, ok := convo.CallOf(pairs, i); ok {
			fmt.Printf("message %d answers %s of message %d\n", i, call.Name, pairs[i].Reply)
		}
		for _, n := range pairs[i].Unanswered() {
			fmt.Printf("message %d waits for %s: %q\n", i, pairs[i].Calls[n].Name, convo.NoResult)
		}
	}
	// Output:
	// message 0 answers ls of message 1
	// message 1 waits for cat: "No result provided"
}
