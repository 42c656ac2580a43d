package session_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/session"
)

func said(id, role, content, stamp string) string {
	return line("message", id, "", `"message":{"role":"`+role+`","content":`+content+stamp+`}`)
}

func TestScanInfo(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	full := session.Info{ID: "s1", CWD: "/p", Version: 3, Created: created, Modified: created, Exact: true}
	for _, c := range []struct {
		name, in string
		change   func(*session.Info)
	}{
		{"header only", join(head), func(*session.Info) {}},
		{
			"messages", join(head, said("a", "user", `"first"`, `,"timestamp":1767323050000`), said("b", "assistant", `[{"type":"text","text":"the"},{"type":"image"},{"type":"text","text":"last"}]`, `,"timestamp":1767323047000`)),
			func(i *session.Info) {
				i.Entries, i.Messages, i.FirstMessage, i.LastMessage = 2, 2, "first", "the last"
				i.Modified = time.UnixMilli(1767323050000).UTC()
			},
		},
		{
			"other roles and types", join(head, said("a", "toolResult", `"x"`, `,"timestamp":9e15`), said("b", "custom", `"y"`, ""), line("odd", "c", "")),
			func(i *session.Info) { i.Entries, i.Messages = 3, 2 },
		},
		{
			"a copy that a compaction put back", join(head, said("a", "user", `"first"`, ""), line("message", "b", "", `"message":{"role":"user","content":"again"},"copy":true`)),
			func(i *session.Info) {
				i.Entries, i.Messages, i.FirstMessage, i.LastMessage = 1, 1, "first", "first"
				i.Modified = created.Add(time.Second)
			},
		},
		{
			"no text", join(head, said("a", "user", `[]`, ""), said("b", "user", `""`, ""), said("c", "user", `null`, ""), said("d", "assistant", `"only"`, "")),
			func(i *session.Info) {
				i.Entries, i.Messages, i.LastMessage = 4, 4, "only"
				i.Modified = created.Add(time.Second)
			},
		},
		{
			"messages without content have no time", join(head, line("message", "a", "", `"message":{"role":"user","timestamp":1767323050000}`), line("message", "b", "", `"message":7`)),
			func(i *session.Info) { i.Entries, i.Messages = 2, 2 },
		},
		{
			"damage", "\xef\xbb\xbf\n" + join("x", head, "42", head, user("a", "", "t")[:30], said("a", "user", `"t"`, `,"timestamp":-1`)) + "{",
			func(i *session.Info) { i.Entries, i.Messages, i.FirstMessage, i.LastMessage = 1, 1, "t", "t" },
		},
		{
			"words of an agent", join(head,
				said("a", "user", `[{"type":"text","text":"be brief","harness":"claude"}]`, `,"timestamp":1767323090000`),
				said("b", "user", `[{"type":"text","text":"noise","harness":"claude"},{"type":"text","text":"fix it"}]`, `,"timestamp":1767323050000`),
				said("i", "user", `[{"type":"image","data":"AA==","mimeType":"image/png","harness":"claude"}]`, `,"timestamp":1767323095000`),
				line("custom", "k", "", `"customType":"claude:line"`), line("custom", "x", "", `"customType":"todo:list"`)),
			func(i *session.Info) {
				i.Entries, i.Messages, i.FirstMessage, i.LastMessage = 4, 1, "fix it", "fix it"
				i.Modified = time.UnixMilli(1767323050000).UTC()
			},
		},
		{
			"prompts", join(head, said("a", "user", `[{"type":"text","text":" one"},{"type":"text","text":"two "}]`, ""), said("b", "user", `"by itself"`, `,"synthetic":true`),
				said("c", "user", `"by an agent"`, `,"attribution":"agent"`), said("d", "user", `"three"`, `,"attribution":"user"`)),
			func(i *session.Info) {
				i.Entries, i.Messages, i.FirstMessage, i.LastMessage, i.Prompts = 4, 4, " one two ", "three", []string{"one\ntwo", "three"}
				i.Modified = created.Add(time.Second)
			},
		},
		{
			"parent and title", join(`{"type":"session","id":"s","title":"t","parentSession":"/f","timestamp":"?"}`),
			func(i *session.Info) {
				*i = session.Info{ID: "s", Name: "t", ParentSession: "/f", Version: 1, Exact: true}
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := full
			c.change(&want)
			if want.FirstMessage != "" && want.Prompts == nil {
				want.Prompts = []string{want.FirstMessage}
			}
			got, err := session.ScanInfo(strings.NewReader(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Of many prompts the first are read, and of a long one whole lines from its beginning and whole paragraphs from its end.
func TestPromptsAreBounded(t *testing.T) {
	t.Parallel()
	lines := []string{head, said("a", "user", `"begin\n`+strings.Repeat("x", 7000)+`\nmiddle\n\n`+strings.Repeat(`y\n`, 3000)+`\n\nthe end"`, "")}
	for range 20 {
		lines = append(lines, said("b", "user", `"more"`, ""))
	}
	got, err := session.ScanInfo(strings.NewReader(join(lines...)))
	if err != nil || len(got.Prompts) != session.MostPrompts || got.Prompts[0] != "begin\n\n\nthe end" {
		t.Errorf("%d prompts, the first %.100q, %v", len(got.Prompts), got.Prompts, err)
	}
	tail := "cut\n" + join(said("z", "user", `"late"`, ""))
	if got, err = (session.InfoReader{}).Ends([]byte(join(head)), []byte(tail)); err != nil || got.FirstMessage != "" || got.Prompts != nil || got.LastMessage != "late" {
		t.Errorf("%+v, %v, but what was said last may not have been said first", got, err)
	}
}

// ScanInfo counts what Read reads and refuses what it refuses.
func TestScanInfoAgreesWithRead(t *testing.T) {
	t.Parallel()
	for _, path := range allSessions(t) {
		data := corpus.Session(t, path)
		s, want := session.Read(bytes.NewReader(data))
		got, err := session.ScanInfo(bytes.NewReader(data))
		if want != nil {
			if err != want {
				t.Errorf("%s: %+v, Read says %+v", path, err, want)
			}
			continue
		}
		if err != nil || got.Entries != len(s.Entries) || got.Name != s.Name || got.ID != s.Header.ID ||
			got.Version != s.Header.Version || got.CWD != s.Header.CWD || got.ParentSession != s.Header.ParentSession || !got.Exact {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
}

// From head and tail come the header's fields, exactly; the first message if it
// is in the head; the last message, name and time if they are in the tail; and
// counts that are no more than there are.
func TestScanHeadTail(t *testing.T) {
	t.Parallel()
	for _, path := range allSessions(t) {
		data := corpus.Session(t, path)
		whole, err := session.ScanInfo(bytes.NewReader(data))
		if err != nil {
			continue
		}
		for _, n := range []int{len(data) / 2, len(data) / 3, 4096} {
			n = min(n, len(data)/2)
			got, err := session.InfoReader{}.Ends(data[:n], data[len(data)-n:])
			if err != nil {
				if bytes.Count(data[:n], []byte("\n")) > 1 {
					t.Errorf("%s, %d bytes: %v", path, n, err)
				}
				continue // the header is longer than the head
			}
			if got.Exact || got.Entries > whole.Entries || got.Messages > whole.Messages || got.Modified.After(whole.Modified) && got.Modified != got.Created {
				t.Errorf("%s, %d bytes: %+v, whole %+v", path, n, got, whole)
			}
			if got.ID != whole.ID || got.CWD != whole.CWD || got.Created != whole.Created || got.Version != whole.Version || got.ParentSession != whole.ParentSession {
				t.Errorf("%s, %d bytes: header %+v, whole %+v", path, n, got, whole)
			}
		}
	}
}

func TestScanHeadTailEnds(t *testing.T) {
	t.Parallel()
	front := join(head, said("a", "user", `"first"`, `,"timestamp":1767323050000`))
	back := join(said("y", "assistant", `"last"`, `,"timestamp":1767323060000`), line("session_info", "z", "y", `"name":"n"`))
	middle := strings.Repeat(said("m", "user", `"middle"`, `,"timestamp":1767323055000`)+"\n", 50)
	whole := front + middle + back
	want, err := session.ScanInfo(strings.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	got, err := session.InfoReader{}.Ends([]byte(whole[:len(front)+70]), []byte(whole[len(whole)-len(back)-70:]))
	if err != nil {
		t.Fatal(err)
	}
	want.Exact, want.Entries, want.Messages, want.Prompts = false, 3, 2, []string{"first"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Name != "n" || got.FirstMessage != "first" || got.LastMessage != "last" {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct{ head, tail string }{{"", back}, {head[:30], back}, {user("a", "", "") + "\n", back}, {join(strings.Replace(head, "3", "4", 1)), back}} {
		if got, err := (session.InfoReader{}).Ends([]byte(c.head), []byte(c.tail)); err == nil {
			t.Errorf("%q: %+v", c.head, got)
		}
	}
	// A tail that is the end of one long line says nothing.
	if got, err := (session.InfoReader{}).Ends([]byte(front), []byte(strings.Repeat("x", 50))); err != nil || got.LastMessage != "first" || got.Entries != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestScanWritten(t *testing.T) {
	t.Parallel()
	const head = `{"type":"session","version":3,"id":"a","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	broken := errors.New("broken")
	for _, tt := range []struct {
		text      string
		fails     error
		failed    error
		malformed bool
	}{{head, nil, nil, false}, {head, broken, broken, true}, {"{}\n" + strings.Repeat(head, 1<<10), nil, nil, true}} {
		info, failed, err := session.ScanWritten(func(w io.Writer) error {
			if _, err := io.WriteString(w, tt.text); err != nil {
				return err
			}
			return tt.fails
		})
		if !errors.Is(failed, tt.failed) || (err != nil) != tt.malformed || err == nil && info.ID != "a" {
			t.Errorf("%.20q: %+v, %v, %v", tt.text, info, failed, err)
		}
	}
}
