package opencode

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/sqldb"
	"github.com/sess-tools/sess/internal/test/corpus"
)

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
		{"x.json", `[{"role":"user"}]`, false},
	} {
		if got := Format.Detect(c.name, []byte(c.head)); got != c.want {
			t.Errorf("%s %.40q: %t", c.name, c.head, got)
		}
	}
}
