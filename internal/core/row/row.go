package row

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// A Kind is embedded in a row. Its tag is the value of kind, the first member of the row.
type Kind struct{}

// A Tag is what the tag row of a field says.
type Tag struct {
	Name              string
	Null, Known, Omit bool // Null: the zero value is written as null
}

// TagOf returns the tag of a field. It panics for one that says something else.
func TagOf(f reflect.StructField) Tag {
	name, option, _ := strings.Cut(f.Tag.Get("row"), ",")
	t := Tag{Name: name, Null: option == "null" || option == "known", Known: option == "known", Omit: option == "omit"}
	if option != "" && !t.Null && !t.Omit || name == "" && !f.Anonymous {
		panic(fmt.Sprintf("row: the tag of %s: %q", f.Name, f.Tag))
	}
	switch f.Type {
	case reflect.TypeFor[Time](), reflect.TypeFor[Number](), reflect.TypeFor[Null](), reflect.TypeFor[js.Value]():
		t.Null = true
	}
	t.Null = t.Null || f.Type.Kind() == reflect.Pointer
	return t
}

// A Place says which session a row is about.
type Place struct {
	Address string `row:"address,null"`  // What every tool takes for the session as an operand: a path, AGENT:ID or remote:ID; null for a session on standard input.
	Path    string `row:"path,null"`     // The session's file, or the directory of its segmented store; null if the session was not read from a file.
	Session string `row:"session,known"` // The session's id.
}

// A Time is null if it is not known, else a text, in UTC with milliseconds.
type Time struct {
	ms    int64 // since the epoch
	known bool
}

// At returns a time, given in milliseconds since the epoch.
func At(ms int64, known bool) Time {
	if !known {
		return Time{}
	}
	return Time{ms, true}
}

// TimeOf returns a time as a session has it: null for a text that is no time.
func TimeOf(text string) Time { return At(js.ParseTime(text)) }

// Known returns a value that a row has, nil for one that is not known.
func Known[T any](value T, known bool) *T {
	if !known {
		return nil
	}
	return &value
}

// A Null is null: a member that another row of the same shape has.
type Null struct{}

// Some are some of the members that T has.
type Some[T any] []js.Field

// All returns T.
func (Some[T]) All() reflect.Type { return reflect.TypeFor[T]() }

// Tokens are what calls of models used.
type Tokens struct {
	Input      int64 `row:"input"`      // Tokens of the prompt that no cache had.
	Output     int64 `row:"output"`     // Tokens of the answer, with those of reasoning.
	CacheRead  int64 `row:"cacheRead"`  // Tokens of the prompt that came from a cache.
	CacheWrite int64 `row:"cacheWrite"` // Tokens of the prompt that were written to a cache.
	Reasoning  int64 `row:"reasoning"`  // Tokens of reasoning, which output has, too.
	Total      int64 `row:"total"`      // The sum of input, output, cacheRead and cacheWrite.
}

// A Number is the text of a decimal number, "" for one that is not known.
type Number string

// costDigits is how many decimals a cost has at most: those of prices.Money, so sums of
// rows are the sums that a tool prints.
const costDigits = 12

// Cost returns a cost in USD. One that is no number is not known.
func Cost(usd float64, known bool) Number {
	if !known || math.IsInf(usd, 0) || math.IsNaN(usd) {
		return ""
	}
	return USD(strconv.FormatFloat(usd, 'f', costDigits, 64))
}

// USD returns a decimal number without zeros at the end of its fraction.
func USD(decimal string) Number {
	if !strings.Contains(decimal, ".") {
		return Number(decimal)
	}
	text := strings.TrimSuffix(strings.TrimRight(decimal, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return Number(text)
}
