package jq

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/sess-tools/sess/internal/core/cli"
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
		return nil, &SyntaxError{Expr: expr, Offset: Offset(expr, err), Reason: err.Error()}
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, &SyntaxError{Expr: expr, Offset: Offset(expr, err), Reason: err.Error()}
	}
	return &Filter{code: code}, nil
}

// Flag compiles the value of a flag called name; the filter is nil for "". The error is one of usage.
func Flag(name, expr string) (*Filter, error) {
	if expr == "" {
		return nil, nil
	}
	f, err := Compile(expr)
	if err != nil {
		return nil, cli.UsageError("%s: %v", name, err)
	}
	return f, nil
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
	v, err := Decode(raw)
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
			// The error of a cancelled context, and any other that gojq wraps, stays recognisable.
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
		switch err := yield(v); {
		case err == errEnough: //nolint:errorlint // our own, unwrapped
			return nil
		case err != nil:
			return err
		}
	}
}

// A SyntaxError is the error of an expression that cannot be compiled.
type SyntaxError struct {
	Expr   string // the whole expression
	Offset int    // of the offending token in Expr, in bytes; -1 if not known
	Reason string
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
	line = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' ' // it would move the caret away from its token
	}, line)
	return []string{"    " + line, strings.Repeat(" ", 4+column) + "^"}
}

// Offset returns where in an expression the token stands at which parsing it ended with err,
// in bytes; -1 if err does not say.
func Offset(expr string, err error) int {
	if pe, ok := errors.AsType[*gojq.ParseError](err); ok {
		return min(max(pe.Offset-len(pe.Token), 0), len(expr))
	}
	return -1
}
