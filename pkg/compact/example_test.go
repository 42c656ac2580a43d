package compact_test

import (
	"fmt"
	"strings"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// examplePath is the path of a short session.
func examplePath() []session.Entry {
	const file = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/src"}
{"type":"message","id":"00000001","parentId":null,"message":{"role":"user","content":"Fix the parser"}}
{"type":"message","id":"00000002","parentId":"00000001","message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"edit","arguments":{"path":"parser.go"}}]}}
{"type":"message","id":"00000003","parentId":"00000002","message":{"role":"toolResult","toolCallId":"1","content":[{"type":"text","text":"ok"}],"isError":false}}
{"type":"message","id":"00000004","parentId":"00000003","message":{"role":"assistant","content":[{"type":"text","text":"Done."}]}}
{"type":"message","id":"00000005","parentId":"00000004","message":{"role":"user","content":"Now the printer, please"}}
`
	s, err := session.Read(strings.NewReader(file))
	if err != nil {
		panic(err)
	}
	leaf, _ := s.Leaf()
	path, _ := s.Path(leaf)
	return path
}

func Example() {
	plan, err := compact.New(examplePath(), compact.Options{Keep: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	summary := plan.Answer("## Goal\nA working parser") // of a model asked with plan.Prompt
	entry, err := plan.AddTo(&session.Batch{Leaf: plan.Leaf}, summary)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"summary", "firstKeptEntryId", "tokensBefore", "details"} {
		fmt.Println(name, entry.Get(name))
	}
	// Output:
	// summary "## Goal\nA working parser\n\n<modified-files>\nparser.go\n</modified-files>"
	// firstKeptEntryId "00000005"
	// tokensBefore 19
	// details {"readFiles":[],"modifiedFiles":["parser.go"]}
}

func ExampleNew() {
	path := examplePath()
	plan, err := compact.New(path, compact.Options{Keep: 5})
	fmt.Println(plan.FirstKept, len(plan.Summarize), plan.SplitTurn, err)
	_, err = compact.New(path, compact.Options{}) // all of it fits
	fmt.Println(err)
	// Output:
	// 00000005 4 false <nil>
	// nothing to compact
}

func ExampleRequest() {
	plan, _ := compact.New(examplePath(), compact.Options{Keep: 5})
	r := plan.Requests(compact.PromptOptions{Focus: "the tests"})[0]
	prompt, chunk, chunks, err := r.Next()
	conversation, _, _ := strings.Cut(prompt, "\n\nAbove is")
	fmt.Println(conversation)
	fmt.Println("prompt", chunk, "of", chunks, err)
	// Output:
	// <conversation>
	// [User]: Fix the parser
	//
	// [Assistant tool calls]: edit(path="parser.go")
	//
	// [Tool result]: ok
	//
	// [Assistant]: Done.
	// </conversation>
	// prompt 1 of 1 <nil>
}

func ExampleShouldCompact() {
	fmt.Println(compact.ShouldCompact(190_000, 200_000, compact.DefaultReserve))
	// Output: true
}
