package session_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

const talk = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/home/u/proj"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":[{"type":"text","text":"Which tests fail?"}],"timestamp":1767323046000}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"bashExecution","command":"make test","output":"FAIL TestRead","exitCode":2,"cancelled":false,"truncated":false,"timestamp":1767323047000}}
{"type":"label","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-01-02T03:04:08.000Z","targetId":"aaaa0001","label":"start"}
{"type":"mess`

// Damage is no error: what cannot be used is skipped and reported.
func ExampleRead() {
	s, err := session.Read(strings.NewReader(talk))
	if err != nil {
		fmt.Println(err)
		return
	}
	leaf, _ := s.Leaf()
	path, _ := s.Path(leaf)
	for _, e := range path {
		fmt.Println(e.Line(), e.ID(), e.Type())
	}
	for _, p := range s.Problems {
		fmt.Printf("line %d: %v\n", p.Line, p)
	}
	// Output:
	// 2 aaaa0001 message
	// 3 aaaa0002 message
	// 4 aaaa0003 label
	// line 5: torn last line of 13 bytes skipped
}

func ExampleRead_notASession() {
	_, err := session.Read(strings.NewReader("# notes\n"))
	fmt.Println(err)
	fmt.Println(errors.Is(err, session.ErrNotSession))
	// Output:
	// not a session: no session header
	// true
}

func ExampleSession_Resolve() {
	s, err := session.Read(strings.NewReader(talk))
	if err != nil {
		fmt.Println(err)
		return
	}
	leaf, _ := s.Leaf()
	for _, ref := range []string{".", ".~2", "@start", "aaaa0002^", "aaaa"} {
		i, err := s.Resolve(ref, leaf)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(ref, s.Entries[i].ID())
	}
	// Output:
	// . aaaa0003
	// .~2 aaaa0001
	// @start aaaa0001
	// aaaa0002^ aaaa0001
	// ambiguous reference aaaa: aaaa0001, aaaa0002, aaaa0003
}

func ExampleSession_Branch() {
	s, err := session.Read(strings.NewReader(talk))
	if err != nil {
		fmt.Println(err)
		return
	}
	at, _ := s.Index("aaaa0001")
	entries, err := s.Branch(at, func(func(string) bool) (string, error) { return "bbbb0001", nil })
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range entries {
		fmt.Printf("%s %s, parent %s\n", e.Type(), e.ID(), e.Get("parentId"))
	}
	fmt.Println(session.ForkTitle("parser (fork #1)"))
	// Output:
	// message aaaa0001, parent null
	// label bbbb0001, parent "aaaa0001"
	// parser (fork #2)
}

// A batch fills in what an entry needs, and refuses what it cannot mend.
func ExampleBatch() {
	b := session.Batch{
		Leaf: "aaaa0003", Now: 1767323050000,
		Known: func(id string) bool { return id == "aaaa0003" },
		NewID: func(func(string) bool) (string, error) { return "cccc0001", nil },
	}
	if _, err := b.AddJSON(`{"role":"user","content":"Mend it."}`); err != nil {
		fmt.Println(err)
	}
	if _, err := b.AddJSON(`{"type":"label","targetId":"ffff"}`); err != nil {
		fmt.Println(err)
	}
	for _, line := range b.Lines() {
		fmt.Printf("%s\n", line)
	}
	// Output:
	// entry refused: targetId ffff names no entry
	// {"type":"message","id":"cccc0001","parentId":"aaaa0003","timestamp":"2026-01-02T03:04:10.000Z","message":{"role":"user","content":[{"type":"text","text":"Mend it."}],"timestamp":1767323050000}}
}

// Only the field that changes changes.
func ExampleEntry_WithParent() {
	e, err := session.ParseEntry(`{"id":"a", "parentId" : "b","cost":1.0,"big":12345678901234567890}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.WithParent("").Raw())
	// Output: {"id":"a", "parentId" : null,"cost":1.0,"big":12345678901234567890}
}

func ExampleReadTail() {
	t, err := session.ReadTail(strings.NewReader(talk), int64(len(talk)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Header.CWD, t.Leaf.ID())
	// Output: /home/u/proj aaaa0003
}

func ExampleScanInfo() {
	info, err := session.ScanInfo(strings.NewReader(talk))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d messages, the first %q, modified %v\n", info.Messages, info.FirstMessage, info.Modified)
	// Output: 2 messages, the first "Which tests fail?", modified 2026-01-02 03:04:06 +0000 UTC
}
