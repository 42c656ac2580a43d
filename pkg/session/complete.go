package session

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// noUsage is the usage of a message nobody counted. A message without one
// crashes pi 0.73 and oh-my-pi 13.
const noUsage = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,` +
	`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`

// Roles returns the roles a message may be stored with, sorted.
func Roles() []string {
	return slices.Sorted(slices.Values([]string{
		RoleUser, RoleSystem, RoleDeveloper, RoleAssistant, RoleToolResult, RoleBashExecution, RolePythonExecution,
		RoleFileMention, RoleCustom,
	}))
}

// complete fills in what a message lacks by the rules of its role, and refuses
// one that lacks what cannot be filled in.
func (b *Batch) complete(m Message) (Message, error) {
	switch m.role {
	case RoleUser, RoleSystem, RoleDeveloper:
		return b.stamped(withBlocks(m), m, "content")
	case RoleAssistant:
		return b.assistant(m)
	case RoleToolResult:
		m = withDefault(m, "isError", "false")
		return b.stamped(withBlocks(m), m, "toolCallId", "toolName", "content")
	case RoleBashExecution:
		for _, f := range []js.Field{js.RawField("output", `""`), js.RawField("cancelled", "false"), js.RawField("truncated", "false")} {
			m = withDefault(m, f.Name, f.Raw)
		}
		return b.stamped(m, m, "command")
	case RolePythonExecution:
		return b.stamped(m, m, "code")
	case RoleFileMention:
		return b.stamped(m, m, "files")
	case RoleCustom:
		m = withDefault(m, "display", "true")
		return b.stamped(m, m, "customType", "content")
	case RoleBranchSummary, RoleCompactionSummary:
		return Message{}, fmt.Errorf("%w: a %s message is made from an entry, not stored", ErrRefused, m.role)
	case "":
		return Message{}, fmt.Errorf("%w: the message has no role", ErrRefused)
	}
	if !b.Force {
		return Message{}, fmt.Errorf("%w: unknown role %s", ErrRefused, quoteID(m.role))
	}
	return b.stamped(m, m)
}

// stamped returns m with a timestamp, after a look at what the message as
// given must have.
func (b *Batch) stamped(m, given Message, needs ...string) (Message, error) {
	for _, name := range needs {
		if raw := given.Get(name); raw == "" || raw == "null" {
			return Message{}, fmt.Errorf("%w: a message of role %s needs %s", ErrRefused, m.role, name)
		}
	}
	if content := given.Get("content"); content != "" && content[0] != '"' && content[0] != '[' {
		return Message{}, fmt.Errorf("%w: the content of a message is a string or an array", ErrRefused)
	}
	if err := b.understood(given); err != nil {
		return Message{}, err
	}
	return withDefault(m, "timestamp", strconv.FormatInt(b.Now, 10)), nil
}

// understood refuses a message of which every reader would ignore a part.
func (b *Batch) understood(m Message) error {
	if what := m.Foreign(); what != "" && !b.Force {
		return fmt.Errorf("%w: %s", ErrForeign, what)
	}
	return nil
}

func (b *Batch) assistant(m Message) (Message, error) {
	given := m
	m = withBlocks(m)
	stop := b.Defaults.StopReason
	if stop == "" {
		stop = "stop"
		if len(m.ToolCalls()) > 0 {
			stop = "toolUse"
		}
	}
	usage := b.Defaults.Usage
	if usage == "" {
		usage = noUsage
	}
	for _, f := range []js.Field{
		js.StringField("api", orUnknown(b.Defaults.API)),
		js.StringField("provider", orUnknown(b.Defaults.Provider)),
		js.StringField("model", orUnknown(b.Defaults.Model)),
		js.RawField("usage", usage),
		js.StringField("stopReason", stop),
	} {
		m = withDefault(m, f.Name, f.Raw)
	}
	if err := b.understood(m); err != nil { // before its usage gets the counters it lacks
		return Message{}, err
	}
	full, err := CompleteUsage(m.Get("usage"))
	if err != nil {
		return Message{}, err
	}
	if full != m.Get("usage") {
		m = NewMessage(string(js.Value(m.raw).With("usage", js.Value(full))))
	}
	return b.stamped(m, given, "content")
}

// CompleteUsage returns a usage with every counter pi wants, of tokens and of
// cost: those that lack or are null as 0, totals as the sum of their parts. The
// error is ErrRefused for what is no usage.
func CompleteUsage(raw string) (string, error) {
	raw, err := withCounters(raw, "usage", "totalTokens")
	if err != nil {
		return "", err
	}
	given := js.Member(raw, "cost")
	cost := given
	if cost == "" || cost == "null" {
		cost = "{}"
	}
	if cost, err = withCounters(cost, "the cost of a usage", "total"); err != nil {
		return "", err
	}
	if cost != given {
		raw = string(js.Value(raw).With("cost", js.Value(cost)))
	}
	return raw, nil
}

// withCounters fills in the four counters of the object raw and their total.
func withCounters(raw, what, total string) (string, error) {
	if !strings.HasPrefix(raw, "{") {
		return "", fmt.Errorf("%w: %s is no object", ErrRefused, what)
	}
	sum := 0.0
	for _, name := range []string{"input", "output", "cacheRead", "cacheWrite", total} {
		value := js.Member(raw, name)
		switch {
		case value == "" || value == "null":
			fill := 0.0
			if name == total {
				fill = min(sum, math.MaxFloat64)
			}
			raw = string(js.Value(raw).With(name, js.Value(js.Stringify(strconv.FormatFloat(fill, 'g', -1, 64)))))
		case js.Value(value).Type() != "number":
			return "", fmt.Errorf("%w: %s of %s is no number", ErrRefused, name, what)
		default:
			n, _ := strconv.ParseFloat(value, 64) // ±Inf beyond the range
			sum += n
		}
	}
	return raw, nil
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// withBlocks turns string content into one text block; only a system message
// keeps a string.
func withBlocks(m Message) Message {
	content := m.Get("content")
	if m.role == RoleSystem || !strings.HasPrefix(content, `"`) {
		return m
	}
	return m.WithContent("[" + TextBlock(content) + "]")
}

func withDefault(m Message, name, value string) Message {
	if m.Get(name) != "" {
		return m
	}
	return NewMessage(string(js.Value(m.raw).Add(js.RawField(name, value))))
}

// NewTextMessage returns a message of the role with one text, and the further
// fields given. A Batch completes it.
func NewTextMessage(role, text string, fields ...js.Field) Message {
	all := []js.Field{js.StringField("role", role)}
	var behind []js.Field
	for _, f := range fields {
		if f.Name == "toolCallId" || f.Name == "toolName" {
			all = append(all, f)
		} else {
			behind = append(behind, f)
		}
	}
	switch role {
	case RoleSystem, RoleCustom:
		all = append(all, js.StringField("content", text))
	case RoleBashExecution:
		all = append(all, js.StringField("command", text))
	default:
		all = append(all, js.RawField("content", "["+TextBlock(js.Quote(text))+"]"))
	}
	return NewMessage(js.Object(append(all, behind...)...))
}
