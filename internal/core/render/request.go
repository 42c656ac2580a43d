package render

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// An api is what an API demands of the parts of a request.
type api struct {
	maxID   int             // bytes
	idByte  func(byte) bool // may stand in the id of a call
	maxName int             // bytes
	media   func(string) bool
	empty   func(text string) bool // a text block the API refuses
}

var openAI = api{
	maxID: 40, idByte: func(c byte) bool { return ' ' < c && c < 0x7F }, maxName: 64,
	media: func(media string) bool { return strings.HasPrefix(media, "image/") && isToken(media[len("image/"):]) },
	empty: func(text string) bool { return text == "" },
}

var anthropic = api{
	maxID: 64, idByte: isNameByte, maxName: 128,
	media: func(media string) bool {
		switch media {
		case "image/jpeg", "image/png", "image/gif", "image/webp":
			return true
		}
		return false
	},
	empty: func(text string) bool { return js.Trim(text) == "" },
}

// isNameByte reports whether c may stand in the name of a tool.
func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// isToken reports whether s can be a media subtype, so that a data URL with it
// stays one.
func isToken(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i]) && s[i] != '.' && s[i] != '+' {
			return false
		}
	}
	return s != ""
}

// A namer gives each call an id that the API takes and no other call has. The
// id is the call's own wherever possible. Another depends on nothing but the
// id it stands for and on how often that occurred before, so a conversation
// that goes on keeps its ids, and the provider's cache its prefix.
type namer struct {
	api      *api
	seen     map[string]int
	taken    map[string]bool
	replaced int
}

func newNamer(a *api) *namer {
	return &namer{api: a, seen: map[string]int{}, taken: map[string]bool{}}
}

func (n *namer) name(id string) string {
	nth := n.seen[id]
	n.seen[id]++
	name := id
	if nth > 0 || !valid(id, n.api.maxID, n.api.idByte) {
		name = n.replacement(id, nth)
	}
	for n.taken[name] { // by an id that looks like a replacement
		nth = n.seen[id]
		n.seen[id]++
		name = n.replacement(id, nth)
	}
	n.taken[name] = true
	if name != id {
		n.replaced++
	}
	return name
}

func (n *namer) replacement(id string, nth int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", nth, id))
	suffix := "_" + hex.EncodeToString(sum[:4])
	return fit(id, n.api.maxID-len(suffix)) + suffix
}

func valid(s string, limit int, allowed func(byte) bool) bool {
	for i := range len(s) {
		if !allowed(s[i]) {
			return false
		}
	}
	return s != "" && len(s) <= limit
}

// fit returns at most limit bytes of s with underscores for what may stand in
// no name; "call" if s is empty.
func fit(s string, limit int) string {
	if s == "" {
		return "call"
	}
	b := []byte(s[:min(len(s), limit)])
	for i, c := range b {
		if !isNameByte(c) {
			b[i] = '_'
		}
	}
	return string(b)
}

// deepest is how deep the arguments of a call may nest: what JSON readers
// accept without the levels that a request puts around them.
const deepest = js.MaxDepth - 10

// arguments returns the arguments of a call as a JSON object, as
// JSON.stringify writes it. Nothing and null become {}; a string that holds the
// text of an object becomes that object, as streams that were cut off and
// other agents leave behind; any other value becomes the only member of one.
func (r *request) arguments(number int, c *call) string {
	raw := c.Arguments
	if raw == "" || raw == "null" {
		return "{}"
	}
	if text, ok := stringOf(raw); ok {
		raw = cmp.Or(string(js.ObjectIn(text)), raw)
	}
	if depth(raw) > deepest {
		r.report(number, "arguments of call %q nest too deep: left out", c.ID)
		return "{}"
	}
	object := wellFormed(js.Stringify(raw))
	if !strings.HasPrefix(object, "{") {
		r.report(number, "arguments of call %q are no object: put into one", c.ID)
		return `{"arguments":` + object + "}"
	}
	return object
}

// depth returns how deep a JSON text nests.
func depth(json string) int {
	level, most := 0, 0
	inString := false
	for i := 0; i < len(json); i++ {
		switch c := json[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			level++
			most = max(most, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return most
}

// wellFormed replaces the escapes of lone surrogates in a text from
// js.Stringify, which escapes no others.
func wellFormed(json string) string {
	if !strings.Contains(json, `\ud`) {
		return json
	}
	var b strings.Builder
	for i := 0; i < len(json); i++ {
		switch {
		case json[i] != '\\':
			b.WriteByte(json[i])
		case strings.HasPrefix(json[i:], `\ud`):
			b.WriteString("\uFFFD")
			i += len(`\ud800`) - 1
		default:
			b.WriteString(json[i : i+2])
			i++
		}
	}
	return b.String()
}

// Options say what goes into a request.
type Options struct {
	// System keeps system messages: folded into one, in the place where the API
	// wants it. Without it they are left out.
	System bool
}

// A request collects what both APIs have in common while one is built.
type request struct {
	api     *api
	ids     *namer
	reports []report
}

// A report is a repair and the number of the message it concerns, 0 for none
// and 1 for the first.
type report struct {
	number int
	text   string
}

func (r *request) report(number int, format string, args ...any) {
	r.reports = append(r.reports, report{number, fmt.Sprintf(format, args...)})
}

// repairs returns the reports in the order of the messages they speak of.
func (r *request) repairs() []string {
	slices.SortStableFunc(r.reports, func(a, b report) int { return cmp.Compare(a.number, b.number) })
	var out []string
	for _, rep := range r.reports {
		if rep.number > 0 {
			rep.text = fmt.Sprintf("message %d: %s", rep.number, rep.text)
		}
		out = append(out, rep.text)
	}
	if n := r.ids.replaced; n > 0 {
		out = append(out, fmt.Sprintf("tool call ids replaced because they occur twice or are not what the API takes: %d", n))
	}
	return out
}

// systemText returns what the system messages say together: their contents and
// then their sections, in the order of first occurrence. It is "" without any.
func systemText(messages []session.Message) string {
	m, ok := convo.FoldSystem(messages)
	if !ok {
		return ""
	}
	var parts []string
	if text := m.Text(""); text != "" {
		parts = append(parts, text)
	}
	if sections := m.Get("sections"); sections != "" {
		for _, value := range js.Members(sections) {
			if text, ok := stringOf(value); ok && text != "" {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, "\n\n")
}

func stringOf(raw string) (string, bool) {
	if !strings.HasPrefix(raw, `"`) {
		return "", false
	}
	return js.Unquote(raw), true
}
