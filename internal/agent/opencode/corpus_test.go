package opencode

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/formatstest"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/js"
)

func TestFormatLaws(t *testing.T) {
	t.Parallel()
	sources := map[string]string{}
	files := exports(t)
	for _, name := range names(files, ".json") {
		if strings.HasPrefix(name, "genuine-") {
			sources[name] = string(files[name+".json"])
			if lost := importOne(t, files[name+".json"]).Losses; len(lost) > 0 {
				t.Errorf("%s: lost %v", name, lost)
			}
		}
	}
	for _, name := range []string{"aborted", "compacted", "tools"} {
		sources[name] = formatstest.Content(t, corpus.Dir()+"/opencode/genuine/"+name+".json")
	}
	formatstest.Laws(t, Format, formatstest.Corpus{
		Sources: sources, File: "e.json", Whole: true, Usage: usage,
		IDs: []*regexp.Regexp{regexp.MustCompile(`"id": ?"(msg_[^"]+)"`), regexp.MustCompile(`"id": ?"(prt_[^"]+)"`), regexp.MustCompile(`"callID": ?"([^"]+)"`)},
	})
}

// usage sums up the replies of an export.
func usage(source string) (input, output int64) {
	for m := range js.Value(source).Get("messages").Elements() {
		tokens := m.Get("info").Get("tokens")
		input, output = input+tokens.Get("input").Int(), output+tokens.Get("output").Int()+tokens.Get("reasoning").Int()
	}
	return input, output
}

// In the list of a shared session, too, a message whose id another one has is a message, with the
// parts behind it.
func TestSharedTwins(t *testing.T) {
	t.Parallel()
	item := func(typ, data string) string { return `{"type":"` + typ + `","data":` + data + `}` }
	list := []string{item("session", strings.TrimPrefix(info, `"info":`))}
	for n, text := range []string{"one", "two"} {
		list = append(list, item("message", fmt.Sprintf(`{"id":"REDACTED","role":"user","time":{"created":%d},"agent":"build","model":{"providerID":"p","modelID":"m"}}`, 1000+n)),
			item("part", fmt.Sprintf(`{"id":"prt_%d","messageID":"REDACTED",%s}`, n, textPart(text))))
	}
	check(t, importOne(t, []byte("["+strings.Join(list, ",")+"]")), 1, `["user","one"]`, `["user","two"]`)
}
