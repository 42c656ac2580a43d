package filter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/itchyny/gojq"

	"github.com/sess-tools/sess/pkg/js"
)

// A Filter is a compiled expression. It may be used concurrently.
type Filter struct {
	code   *gojq.Code
	halted atomic.Bool
}

// Compile compiles expr. A malformed expression is a [*SyntaxError].
func Compile(expr string) (*Filter, error) {
	query, err := gojq.Parse(expr)
	if err != nil {
		return nil, newSyntaxError(expr, err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, newSyntaxError(expr, err)
	}
	return &Filter{code: code}, nil
}

// Match reports whether the expression has a result for raw, one JSON value,
// that is neither false nor null: what select keeps. It stops at the first such
// result. The first error is final, even if results would follow it; an error
// after the deciding result is not looked for.
//
// After the expression called halt nothing matches any more.
func (f *Filter) Match(ctx context.Context, raw string) (bool, error) {
	found := false
	err := f.each(ctx, raw, func(v any) error {
		if v == nil || v == false {
			return nil
		}
		found = true
		return errEnough
	})
	return found, err
}

// Project calls emit with each result for raw, one JSON value, as one line of
// JSON without a line feed. The slice is emit's to keep. The first error, the
// expression's or emit's, is final; results before it were emitted.
//
// After the expression called halt there are no results any more.
func (f *Filter) Project(ctx context.Context, raw string, emit func(json []byte) error) error {
	return f.each(ctx, raw, func(v any) error {
		b, err := gojq.Marshal(v)
		if err != nil {
			return fmt.Errorf("printing a result: %w", err)
		}
		return emit(b)
	})
}

// errEnough ends each without being an error.
var errEnough = errors.New("enough")

// each calls yield with each result for raw until something ends the run.
func (f *Filter) each(ctx context.Context, raw string, yield func(any) error) error {
	if f.halted.Load() {
		return nil
	}
	v, err := decode(raw)
	if err != nil {
		return err
	}
	iter := f.code.RunWithContext(ctx, v)
	for {
		v, ok := iter.Next()
		if !ok {
			return nil
		}
		if err, ok := v.(error); ok {
			return f.failure(err)
		}
		switch err := yield(v); {
		case err == errEnough: //nolint:errorlint // our own, unwrapped
			return nil
		case err != nil:
			return err
		}
	}
}

// failure turns an error of gojq into ours. That of a cancelled context, and
// whatever else it wraps, stays recognisable.
func (f *Filter) failure(err error) error {
	if halt, ok := errors.AsType[*gojq.HaltError](err); ok {
		f.halted.Store(true)
		switch v := halt.Value().(type) {
		case nil:
			return nil
		case string:
			return fmt.Errorf("running the expression: %s", strings.TrimRight(v, "\n"))
		}
	}
	return fmt.Errorf("running the expression: %w", err)
}

// A SyntaxError is the error of an expression that cannot be compiled.
type SyntaxError struct {
	Expr   string // the whole expression
	Offset int    // of the offending token in Expr, in bytes; -1 if not known
	Reason string
}

func newSyntaxError(expr string, err error) error {
	e := &SyntaxError{Expr: expr, Offset: -1, Reason: err.Error()}
	if pe, ok := errors.AsType[*gojq.ParseError](err); ok {
		e.Offset = min(max(pe.Offset-len(pe.Token), 0), len(expr))
	}
	return e
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("compiling the expression: %s", e.Reason)
}

// Detail returns two lines to print under the message: the line of the
// expression that holds the offending token, and a caret below the token. It
// returns nothing when the place is not known.
func (e *SyntaxError) Detail() []string {
	if e.Offset < 0 {
		return nil
	}
	start := strings.LastIndexByte(e.Expr[:e.Offset], '\n') + 1
	line := e.Expr[start:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	column := utf8.RuneCountInString(e.Expr[start:e.Offset])
	return []string{"    " + strings.Map(blank, line), strings.Repeat(" ", 4+column) + "^"}
}

// blank replaces what would move the caret away from its token.
func blank(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return ' '
}

// decode reads one JSON value the way gojq wants it: numbers keep their text, so
// that what is only passed through keeps every digit. Texts without escapes are parts
// of raw, which may be huge; encoding/json would hold the value three times over.
func decode(raw string) (any, error) {
	if !js.Valid(unsafe.Slice(unsafe.StringData(raw), len(raw))) {
		return nil, errors.New("decoding the value: it is not one JSON value")
	}
	d := decoder{raw: raw}
	return d.value(), nil
}

// A decoder reads valid JSON. Objects and arrays nest no deeper than js.MaxDepth.
type decoder struct {
	raw string
	at  int
}

// next skips white space, and returns the byte behind it.
func (d *decoder) next() byte {
	for {
		switch c := d.raw[d.at]; c {
		case ' ', '\t', '\r', '\n':
			d.at++
		default:
			return c
		}
	}
}

// more goes to the next member or element, and reports false at the end of the
// object or array.
func (d *decoder) more() bool {
	switch d.next() {
	case '}', ']':
		d.at++
		return false
	case ',':
		d.at++
		d.next()
	}
	return true
}

func (d *decoder) value() any {
	switch d.next() {
	case '{':
		object := map[string]any{}
		for d.at++; d.more(); {
			key := d.text()
			d.next()
			d.at++                  // the colon
			object[key] = d.value() // of several with one key the last counts
		}
		return object
	case '[':
		array := []any{}
		for d.at++; d.more(); {
			array = append(array, d.value())
		}
		return array
	case '"':
		return d.text()
	}
	switch word := d.literal(); word {
	case "true", "false":
		return word == "true"
	case "null":
		return nil
	default:
		return json.Number(word)
	}
}

// literal returns a string, a number or a word.
func (d *decoder) literal() string {
	from := d.at
	d.at = js.ValueEnd(d.raw, d.at)
	return d.raw[from:d.at]
}

func (d *decoder) text() string { return js.ValidText(js.Unquote(d.literal())) }
