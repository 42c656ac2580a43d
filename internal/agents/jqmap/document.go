package jqmap

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
)

// maxDocument is how large a document may be, which has to be in memory whole, in bytes.
const maxDocument = 1 << 30

// document returns the values of a file that is one document: its members but each, and then the elements of
// that. It returns nil for a file of lines.
func document(ctx context.Context, src *formats.Source, f *formats.File, each string) ([]string, error) {
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
	text := formats.OneLine(trimmed(string(data)))
	if !js.Valid([]byte(text)) {
		return nil, formats.Damaged("%s: not one JSON document", src.Name())
	}
	return elements(text, each), nil
}

// isDocument reports whether a file that begins with head is one document: the member is in its first line, or
// that is only the beginning of a value.
func isDocument(head, each string) bool {
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
	var members []js.Field
	var out []string
	for key, value := range js.Members(text) {
		name := js.Unquote(key)
		if name != each {
			if js.Valid([]byte(value)) {
				members = append(members, js.RawField(name, value))
			}
			continue
		}
		for element := range js.Elements(value) {
			if js.Valid([]byte(element)) {
				out = append(out, element)
			}
		}
	}
	return append([]string{js.Object(members...)}, out...)
}
