package jqmap

import (
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
)

// maxDocument is how large a document may be, which has to be in memory whole, in bytes.
const maxDocument = 1 << 30

// itself is the name for the elements of a document that is a list.
const itself = "."

// document returns the values of a file that is one document: its members but each, and then the elements of
// that. It returns nil for a file of lines. It tells b of bytes that are no UTF-8.
func document(ctx context.Context, src *formats.Source, f *formats.File, each string, b *formats.Builder) ([]string, error) {
	head := make([]byte, min(f.Size, formats.HeadSize))
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, src.Located(err)
	}
	if !isDocument(string(head), each) {
		return nil, nil
	}
	if f.Size > maxDocument {
		return nil, formats.Damaged("%s: a document of %d bytes; at most %d can be read", src.Name(), f.Size, maxDocument)
	}
	data, err := io.ReadAll(f.Reader(ctx))
	if err != nil {
		return nil, src.Located(err)
	}
	if !utf8.Valid(data) {
		b.Lose(src.Name(), formats.KindText, "invalid UTF-8, which became U+FFFD")
	}
	text := formats.OneLine(trimmed(string(data)))
	if !js.Valid([]byte(text)) {
		return nil, formats.Damaged("%s: not one JSON document", src.Name())
	}
	return elements(text, each), nil
}

// isDocument reports whether a file that begins with head is one document: the member is in its first line, or
// that is only the beginning of a value.
func isDocument(head, each string) bool {
	if each == itself {
		return strings.HasPrefix(trimmed(head), "[")
	}
	line, _, more := strings.Cut(trimmed(head), "\n")
	if line = trimmed(line); !strings.HasPrefix(line, "{") {
		return false
	}
	if js.Valid([]byte(line)) {
		return js.Value(line).Get(each).IsArray()
	}
	return more && strings.Contains(head, `"`+each+`"`) || js.Value(line).Get(each) != ""
}

// beginning returns the values at the beginning of a document as far as they are whole; none if the text is not
// the beginning of one.
func beginning(head, each string) []string {
	if !isDocument(head, each) {
		return nil
	}
	return elements(trimmed(head), each)
}

// elements returns the values of a document, which may be cut anywhere.
func elements(text, each string) []string {
	if each == itself {
		return append([]string{"{}"}, whole(text)...)
	}
	var members []js.Field
	var out []string
	for key, value := range js.Members(text) {
		switch name := js.Unquote(key); {
		case name == each:
			out = append(out, whole(value)...)
		case js.Valid([]byte(value)):
			members = append(members, js.RawField(name, value))
		}
	}
	return append([]string{js.Object(members...)}, out...)
}

// whole returns the elements of a list that are not cut.
func whole(list string) (out []string) {
	for element := range js.Elements(list) {
		if js.Valid([]byte(element)) {
			out = append(out, element)
		}
	}
	return out
}
