package claude

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// A line is one line, taken apart as far as it is understood. Members that are
// not given are "".
type line struct {
	typ, uuid, parent, session string
	parentRaw                  string // JSON text of parentUuid, null included
	logical                    string // parent across a compaction
	timestamp, cwd, subtype    string
	leaf, summary, title       string // of a line that names a session
	message                    string // JSON texts from here on
	attachment, rendered       string
	toolUseResult              string
	compacted                  string
	forkedFrom                 string
	content                    string

	sidechain, compactSummary, apiError bool

	notification bool // of a background task, not said by the user
}

// parse takes a line apart. ok is false for what is no JSON object.
func parse(text string) (l line, ok bool) {
	text = strings.Trim(text, " \t\r")
	if !strings.HasPrefix(text, "{") || !js.Valid([]byte(text)) {
		return line{}, false
	}
	for key, value := range js.Members(text) {
		l.member(js.Unquote(key), value)
	}
	return l, true
}

func (l *line) member(key, value string) {
	switch key {
	case "type":
		l.typ = js.Value(value).Str()
	case "uuid":
		l.uuid = strings.Clone(js.Value(value).Str())
	case "parentUuid":
		l.parentRaw, l.parent = value, strings.Clone(js.Value(value).Str())
	case "logicalParentUuid":
		l.logical = strings.Clone(js.Value(value).Str())
	case "sessionId":
		l.session = js.Value(value).Str()
	case "timestamp":
		l.timestamp = js.Value(value).Str()
	case "cwd":
		l.cwd = js.Value(value).Str()
	case "subtype":
		l.subtype = js.Value(value).Str()
	case "leafUuid":
		l.leaf = js.Value(value).Str()
	case "summary":
		l.summary = js.Value(value).Str()
	case "customTitle", "aiTitle":
		l.title = js.Value(value).Str()
	case "message":
		l.message = value
	case "attachment":
		l.attachment = value
	case "rendered":
		l.rendered = value
	case "toolUseResult":
		l.toolUseResult = value
	case "compactMetadata":
		l.compacted = value
	case "forkedFrom":
		l.forkedFrom = value
	case "content":
		l.content = value
	case "origin":
		l.notification = js.Value(value).Get("kind").Str() == "task-notification"
	default:
		l.flag(key, value == "true")
	}
}

func (l *line) flag(key string, on bool) {
	switch key {
	case "isSidechain":
		l.sidechain = on
	case "isCompactSummary":
		l.compactSummary = on
	case "isApiErrorMessage":
		l.apiError = on
	}
}

// time returns when the line was written in milliseconds since the epoch, 0 if it
// does not say.
func (l *line) time() int64 {
	ms, _ := js.ParseTime(l.timestamp)
	return ms
}

// isMessage reports whether the line is one of a conversation's.
func (l *line) isMessage() bool {
	return l.uuid != "" && (l.typ == "user" || l.typ == "assistant") && strings.HasPrefix(l.message, "{")
}

// hasResults reports whether the line holds results of tools.
func (l *line) hasResults() bool {
	content := string(js.Value(l.message).Get("content"))
	if l.typ != "user" || !strings.HasPrefix(content, "[") {
		return false
	}
	for block := range js.Elements(content) {
		if js.Value(block).Get("type").Str() == "tool_result" {
			return true
		}
	}
	return false
}
