package opencode

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
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
		sources[name] = must.Read(t, corpus.Dir()+"/opencode/genuine/"+name+".json")
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

// export exports a session.
func export(t testing.TB, r formatstest.Result) (string, []string) {
	t.Helper()
	out, losses := formatstest.Export(t, Format, r.Session(t), "")
	var said []string
	for _, l := range losses {
		said = append(said, l.String())
	}
	return out, said
}

func TestHome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, db, home, want string }{
		{"", "", "/h", "/h/.local/share/opencode/opencode.db"},
		{"/d", "", "/h", "/d/opencode/opencode.db"},
		{"", "other.db", "/h", "/h/.local/share/opencode/other.db"},
		{"/d", "/abs/x.db", "/h", "/abs/x.db"},
		{"", "/abs/x.db", "", "/abs/x.db"},
		{"/d", ":memory:", "/h", ""},
		{"", "", "", ""},
	} {
		env := formats.Env{Home: c.home, Getenv: func(name string) string {
			return map[string]string{"XDG_DATA_HOME": c.data, "OPENCODE_DB": c.db}[name]
		}}
		if got, err := Format.About().Home(env); filepath.ToSlash(got) != c.want && err == nil || (err != nil) != (c.want == "") {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	db := corpus.Golden(t, "opencode/databases-1.18")["07-subagent.db"]
	head := func(s []byte) []byte { return s[:min(len(s), formats.HeadSize)] }
	for name, data := range exports(t) {
		if strings.HasSuffix(name, ".json") && name != "o48-jsonl-not-json.json" && !Format.Detect(name, head(data)) {
			t.Errorf("%s: not recognized", name)
		}
	}
	for _, c := range []struct {
		name, head string
		want       bool
	}{
		{"x", string(head(db)), true},
		{"opencode.db", sqldb.Magic, true},
		{"opencode-beta.db", sqldb.Magic, true},
		{"other.db", sqldb.Magic, false},
		{"opencode.db", "", false},
		{"x.json", `{"messages":[],"info":{"id":"ses_1"}}`, false},
		{"x.json", `{"info":{"id":"x"}}`, false},
		{"x.json", `{"info":{"id":"ses_1","tit`, true},
		{"x.json", `Exporting session: ses_1{"info":{"id":"ses_1","tit`, true},
		{"x.json", `Exporting session: ses_1`, false},
		{"x.json", `[{"role":"user"}]`, false},
		{"state.json", `{"id":"session_1","version":2,"cwd":"/p"}`, false}, // what Kimi Code says of a session
	} {
		if got := Format.Detect(c.name, []byte(c.head)); got != c.want {
			t.Errorf("%s %.40q: %t", c.name, c.head, got)
		}
	}
}
