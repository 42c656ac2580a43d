package jq

import (
	"errors"

	"github.com/itchyny/gojq"
)

// Offset returns where in an expression the token stands at which parsing it ended with err,
// in bytes; -1 if err does not say.
func Offset(expr string, err error) int {
	if pe, ok := errors.AsType[*gojq.ParseError](err); ok {
		return min(max(pe.Offset-len(pe.Token), 0), len(expr))
	}
	return -1
}
