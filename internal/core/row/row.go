package row

import (
	"math"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// Object returns a row of a kind. Kind is always the first member.
func Object(kind string, fields ...js.Field) string {
	return js.Object(append([]js.Field{Kind(kind)}, fields...)...)
}

// Kind returns the member that says what a row is about.
func Kind(kind string) js.Field { return js.StringField("kind", kind) }

// Null returns a member whose value is unknown, or does not exist.
func Null(name string) js.Field { return js.RawField(name, "null") }

// Text returns a member for a text that is never empty: "" is null. A text that may be
// empty, as what a message says, is a [js.StringField].
func Text(name, value string) js.Field {
	if value == "" {
		return Null(name)
	}
	return js.StringField(name, js.ValidText(value))
}

// Bool returns a member that is true or false.
func Bool(name string, value bool) js.Field { return js.RawField(name, strconv.FormatBool(value)) }

// Texts returns a member that is a list of texts.
func Texts(name string, values []string) js.Field {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = js.Quote(js.ValidText(v))
	}
	return List(name, list)
}

// List returns a member that is a list of JSON texts.
func List(name string, values []string) js.Field {
	return js.RawField(name, "["+strings.Join(values, ",")+"]")
}

// A Place says which session a row is about.
type Place struct {
	Address string // what every tool takes for it as an operand, "" for standard input
	Path    string // its file, "" if it is not in a file that tools read
	Session string // its id
}

// Fields returns the members of a place.
func (p Place) Fields() []js.Field {
	return []js.Field{Text("address", p.Address), Text("path", p.Path), Text("session", p.Session)}
}

// Entry returns the member with the id of an entry.
func Entry(id string) js.Field { return Text("entry", id) }

// Parent returns the member with the id of the parent of an entry, or with the session
// that a session comes from.
func Parent(id string) js.Field { return Text("parent", id) }

// Timestamp returns the member that says when what a row is about happened, in
// milliseconds since the epoch.
func Timestamp(ms int64, known bool) js.Field { return Time("timestamp", ms, known) }

// Time returns a member with a time in milliseconds since the epoch, in UTC.
func Time(name string, ms int64, known bool) js.Field {
	if !known {
		return Null(name)
	}
	return js.StringField(name, js.FormatTime(ms))
}

// TimeOf is [Timestamp] for a time as a session has it: null for what is no time.
func TimeOf(text string) js.Field {
	ms, ok := js.ParseTime(text)
	return Timestamp(ms, ok)
}

// Tokens are what calls of models used.
type Tokens struct {
	Input, Output, CacheRead, CacheWrite int64
	Reasoning                            int64 // of Output
	Total                                int64 // but for Reasoning, which Output has
}

// Field returns the member for tokens.
func (t Tokens) Field() js.Field {
	return js.RawField("tokens", js.Object(
		js.IntField("input", t.Input), js.IntField("output", t.Output),
		js.IntField("cacheRead", t.CacheRead), js.IntField("cacheWrite", t.CacheWrite),
		js.IntField("reasoning", t.Reasoning), js.IntField("total", t.Total)))
}

// costDigits is how many decimals a cost has at most: those of prices.Money, so sums of
// rows are the sums that a tool prints.
const costDigits = 12

// USD returns a member for an amount, as text of a decimal number.
func USD(name, decimal string) js.Field { return js.RawField(name, Number(decimal)) }

// Cost returns the member for a cost in USD. One that is no number is not known.
func Cost(usd float64, known bool) js.Field {
	if !known || math.IsInf(usd, 0) || math.IsNaN(usd) {
		return Null("cost")
	}
	return USD("cost", strconv.FormatFloat(usd, 'f', costDigits, 64))
}

// Number returns a decimal number without zeros at the end of its fraction.
func Number(decimal string) string {
	if !strings.Contains(decimal, ".") {
		return decimal
	}
	text := strings.TrimSuffix(strings.TrimRight(decimal, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}
