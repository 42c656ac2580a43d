package filter

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

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
