package zeroclaw

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// summaryPrefix begins the assistant's message that is a compaction's summary.
const summaryPrefix = "[Session Compaction Summary]\n"

// The names of states.
const (
	stateBoundary = "compaction_after_message_id"
	stateSummary  = "compaction_summary"
)

// boundaryOf returns the id of the last message that a compaction summarized, as
// ZeroClaw reads it: a JSON integer, or else the digits between quotes and spaces.
func boundaryOf(value string) (id int64, ok bool) {
	var n json.Number
	if json.Unmarshal([]byte(value), &n) == nil && !strings.HasPrefix(strings.TrimSpace(value), `"`) {
		id, err := strconv.ParseInt(string(n), 10, 64)
		if err == nil {
			return id, true
		}
	}
	id, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(strings.Trim(value, `"`)), "+"), 10, 64)
	return id, err == nil && id > 0
}

// summaryOf returns the summary that is kept as state: a JSON string or bare text.
func summaryOf(value string) string {
	if js.Valid([]byte(value)) && strings.HasPrefix(value, `"`) {
		return js.Value(value).Str()
	}
	return value
}

// isSummary reports whether a message is the summary of a compaction.
func isSummary(role, content string) bool {
	return role == "assistant" && strings.HasPrefix(content, summaryPrefix)
}

// loaded reports whether ZeroClaw shows messages of the role to the model.
func loaded(role string) bool { return role == "user" || role == "assistant" || role == "tool" }

// An estimate adds up what messages cost a model, as ZeroClaw does.
type estimate int64

func (e *estimate) add(content string) { *e += estimate(utf8.RuneCountInString(content) + 16) }

func (e *estimate) tokens() int64 { return int64(*e+3) / 4 }
