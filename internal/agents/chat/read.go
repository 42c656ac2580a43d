package chat

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// maxDocument bounds a text that has to be in memory whole, in bytes.
const maxDocument = 1 << 30

// A shape is how the messages of a source are laid out.
type shape int

const (
	document shape = iota // one JSON value: messages or a request
	messages              // lines, each a message
	sessions              // lines, each messages or a request
)

func (f format) Open(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	file, err := src.Open(ctx)
	if err != nil {
		return nil, err
	}
	a := &archive{format: f, src: src, file: file}
	if a.shape, err = shapeOf(file.Reader(ctx)); err != nil {
		return nil, errors.Join(src.Located(err), file.Close())
	}
	return a, nil
}

// shapeOf looks at the first lines: a second one behind a first that is JSON makes
// the source one of lines.
func shapeOf(r io.Reader) (shape, error) {
	first := js.Value("")
	for l, err := range jsonl.Lines(r) {
		switch {
		case err != nil:
			return 0, err
		case len(bytes.TrimSpace(l.Data)) == 0:
			continue
		case first == "":
			if first = trimmed(l.Data); !js.Valid([]byte(first)) {
				return document, nil
			}
			continue
		}
		if first.IsArray() || messagesOf(first) != "" {
			return sessions, nil
		}
		return messages, nil
	}
	switch {
	case first == "":
		return 0, formats.Damaged("no messages: it is empty")
	case first.Get("role") != "":
		return messages, nil
	}
	return document, nil
}

func trimmed(line []byte) js.Value {
	return js.Value(bytes.TrimSpace(bytes.TrimPrefix(line, []byte(jsonl.ByteOrderMark))))
}

// An archive is a file of messages.
type archive struct {
	format format
	src    *formats.Source
	file   *formats.File
	shape  shape
}

func (a *archive) Close() error { return a.file.Close() }

func (a *archive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		for info, err := range a.units(ctx) {
			if err == nil && q.Detailed(info) {
				info, err = formats.Describe(ctx, a, info)
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// units yields the sessions, each with the facts that are known without reading it.
func (a *archive) units(ctx context.Context) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		if a.shape != sessions {
			h := sha256.New()
			if _, err := io.Copy(h, a.file.Reader(ctx)); err != nil {
				yield(a.info("", 0, 0, 0), a.src.Located(err))
				return
			}
			yield(a.info(hex.EncodeToString(h.Sum(nil)), 0, a.file.Size, 0), nil)
			return
		}
		for l, err := range jsonl.Lines(a.file.Reader(ctx)) {
			if err != nil {
				yield(a.info("", 0, 0, 0), a.src.Located(err))
				return
			}
			if len(bytes.TrimSpace(l.Data)) == 0 {
				continue
			}
			sum := sha256.Sum256(l.Data)
			if !yield(a.info(hex.EncodeToString(sum[:]), l.Offset, int64(len(l.Data)), l.Number), nil) {
				return
			}
		}
	}
}

// info describes the session in the bytes of the file from offset on; equal lines
// are different sessions.
func (a *archive) info(sum string, offset, size int64, line int) formats.Info {
	info := formats.Info{Row: store.Row{Path: a.src.Path, Size: size, ModTime: a.file.ModTime}}
	info.Key = fmt.Sprintf("%d %d %d", offset, size, line)
	info.Created, info.Modified = a.file.ModTime, a.file.ModTime
	if info.ID = formats.SessionID(a.format.name, sum); line > 0 {
		info.ID = formats.SessionID(a.format.name, sum, api.Int(int64(line)))
	}
	return info
}

func (a *archive) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	var offset, size int64
	line := 0
	if _, err := fmt.Sscanf(info.Key, "%d %d %d", &offset, &size, &line); err != nil {
		return fmt.Errorf("reading %s: no session %q", a.src.Name(), info.Key)
	}
	at := int64(0)
	if !a.file.ModTime.IsZero() {
		at = a.file.ModTime.UnixMilli()
	}
	t := &talk{
		format: a.format, src: a.src, b: b, line: line, tools: map[string]string{},
		header: session.HeaderFields{ID: info.ID, Time: at},
	}
	if a.shape == messages {
		for l, err := range jsonl.Lines(a.file.Reader(ctx)) {
			if err != nil {
				return t.src.Located(err)
			}
			t.line = l.Number
			for v := range t.b.Values(t.src, l) {
				for _, raw := range t.format.dialect.group(js.Value(api.Array(v.Text))) {
					if err := t.add(raw); err != nil {
						return err
					}
				}
			}
		}
		return t.done()
	}
	if size > maxDocument {
		return fmt.Errorf("reading %s: %d bytes of JSON in one piece; at most %d can be read, so have a message on each line", a.where(line), size, maxDocument)
	}
	data := make([]byte, size)
	if _, err := a.file.ReadAt(data, offset); err != nil && !errors.Is(err, io.EOF) {
		return a.src.Located(err)
	}
	text := trimmed(data)
	if !js.Valid([]byte(text)) {
		return formats.Damaged("%s: %s", a.where(line), notJSON(string(text)))
	}
	return t.document(js.Value(api.Compact(string(text))))
}

func (a *archive) where(line int) string {
	if line == 0 {
		return a.src.Name()
	}
	return a.src.At(line)
}

// notJSON says where a text ceases to be JSON.
func notJSON(text string) string {
	var v json.RawMessage
	err := json.Unmarshal([]byte(text), &v)
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("not JSON, at byte %d: %v", s.Offset, s)
	}
	return "not JSON"
}

// OpenAI is the format of chat completions, Anthropic that of the messages API.
var (
	OpenAI    formats.Format = format{name: "openai", dialect: openAI{}}
	Anthropic formats.Format = format{name: "anthropic", dialect: anthropic{}}
)

type format struct {
	name    string
	dialect dialect
}

// A dialect is what the messages of an API look like.
type dialect interface {
	// system adds the messages for what a request says beside its messages.
	system(t *talk, request js.Value) error

	// message adds the entries for one message.
	message(t *talk, raw js.Value) error

	// group returns the elements of an array, with those put together that are one message.
	group(list js.Value) []js.Value
}

func (f format) About() formats.About {
	return formats.AboutOf(f.name)
}

// roles are those of a first message.
var roles = []string{"system", "developer", "user", "assistant", "tool", "function"}

// signs are the texts that only Anthropic's messages have.
var signs = []string{`"tool_use"`, `"tool_result"`, `"media_type"`, `"thinking"`, `"redacted_thinking"`, `"stop_reason"`, `"cache_control"`, `"input_schema"`, `"anthropic_version"`}

// Detect takes messages, by their roles, and tells the two APIs apart by what only
// one of them has; what both could be is OpenAI's.
func (f format) Detect(_ string, head []byte) bool {
	text := js.Value(bytes.TrimLeft(head, " \t\r\n"))
	if text.Get("object").Str() == "response" {
		return f.name == "openai"
	}
	first := firstMessage(text)
	role := first.Get("role").Str()
	if role == "" || !slices.Contains(roles, role) {
		return false
	}
	if first.IsObject() && first.Get("content") == "" && first.Get("tool_calls") == "" && first.Get("refusal") == "" {
		return false // it has a role, but nothing to say
	}
	theirs := false
	for _, sign := range signs {
		theirs = theirs || bytes.Contains(head, []byte(sign))
	}
	return theirs == (f.name == "anthropic")
}

// firstMessage returns the first message of a text, which may be cut anywhere: of
// a message, a request, a chat completion, or an array of one of them.
func firstMessage(v js.Value) js.Value {
	for range 3 {
		if list := messagesOf(v); list != "" {
			v = list
		}
		if api.IsCompletion(v) {
			v = firstOf(v.Get("choices")).Get("message")
		}
		if !v.IsArray() {
			return v
		}
		v = firstOf(v)
	}
	return ""
}

// firstOf returns the first element of an array, "" if it has none.
func firstOf(array js.Value) js.Value {
	for element := range array.Elements() {
		return element
	}
	return ""
}

// messagesOf returns the messages of a request, or the input of one to the Responses API, which may
// be a text. It is "" for a value that is no request.
func messagesOf(v js.Value) js.Value {
	if v.Get("role") != "" {
		return ""
	}
	if list := v.Get("messages"); list.IsArray() {
		return list
	}
	if input := v.Get("input"); (input.IsArray() || input.IsString()) && (v.Get("model").IsString() || v.Get("instructions").IsString()) {
		return input
	}
	return ""
}

// Export is not done here: sess-path --as openai and --as anthropic print requests.
func (f format) Export(context.Context, *session.Session, *formats.Target) error {
	return formats.ErrReadOnly
}
