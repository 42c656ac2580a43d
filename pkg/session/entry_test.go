package session_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/session"
)

func TestParseEntry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ raw, typ, id, parent string }{
		{`{"type":"t","id":"i","parentId":"p"}`, "t", "i", "p"},
		{` { "id" : "i" , "parentId" : null } `, "", "i", ""},
		{`{}`, "", "", ""},
		{`{"type":7,"id":null,"parentId":[]}`, "", "", ""},
		{`{"id":"a","id":"b","parentId":"x","parentId":null}`, "", "b", ""},
		{`{"id":"a","id":7}`, "", "", ""},
		{`{"ID":"a","Type":"t"}`, "", "", ""},
		{`{"\u0069d":"a","t\u0079pe":"t","\u0070arentId":"p","x\n":1}`, "t", "a", "p"},
		{`{"id":"\u0041\n\ud83d\ude00"}`, "", "A\n\U0001f600", ""},
		{`{"x":{"id":"inner","type":"t"},"id":"outer"}`, "", "outer", ""},
	} {
		e := entry(t, c.raw)
		if e.Raw() != c.raw || e.Type() != c.typ || e.ID() != c.id || e.ParentID() != c.parent || e.Line() != 0 {
			t.Errorf("%s: %q %q %q", c.raw, e.Type(), e.ID(), e.ParentID())
		}
	}
	for _, bad := range []string{"", " ", "x", "{", "{}{}", "[]", "null", `"s"`, "\xef\xbb\xbf{}", "{}\x00", `{"a":1,}`} {
		if e, err := session.ParseEntry(bad); err == nil {
			t.Errorf("%q: %+v", bad, e)
		}
	}
}

func TestEntryFields(t *testing.T) {
	t.Parallel()
	e := entry(t, `{"type":"message","s":"x\ny","n":1.50,"o":{ "a" : 1 },"e":"","z":null,"d":1,"d":2,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"a"},"message":{"role":"user","role":"tool"}}`)
	for name, want := range map[string]string{"s": `"x\ny"`, "n": "1.50", "o": `{ "a" : 1 }`, "e": `""`, "z": "null", "d": "2", "none": "", "": "", "a": ""} {
		if got := e.Get(name); got != want {
			t.Errorf("Get(%q) = %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"s": "x\ny", "n": "", "o": "", "e": "", "z": "", "none": ""} {
		if got := e.Str(name); got != want {
			t.Errorf("Str(%q) = %q, want %q", name, got, want)
		}
	}
	if ms, ok := e.Timestamp(); !ok || ms != 1767323045678 {
		t.Errorf("%d, %v", ms, ok)
	}
	if e.Role() != "tool" {
		t.Errorf("role %q: of repeated members the last counts", e.Role())
	}
	if m, ok := e.Message(); !ok || m.Role() != e.Role() || m.Raw() != `{"role":"user","role":"tool"}` {
		t.Errorf("%s, %v", m.Raw(), ok)
	}
	for raw, want := range map[string]string{
		`{"type":"custom_message"}`: "custom", `{"type":"custom","message":{"role":"user"}}`: "", `{"type":"message"}`: "",
		`{"type":"message","message":[{"role":"user"}]}`: "", `{"type":"message","message":{"role":1}}`: "",
	} {
		if got := entry(t, raw).Role(); got != want {
			t.Errorf("role of %s: %q", raw, got)
		}
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	m := session.NewMessage(`{"role":"assistant","content":[7,{"type":"text","text":"a"},"s",{"type":"toolCall","id":"i","name":"n","arguments":{ "x":1.0 }},{"type":"text","text":"b"},{"type":"text"},{}],"n":1,"usage":{"input":1,"output":2.9,"cacheRead":"3","cacheWrite":-4,"input":5}}`)
	if got := m.Text("|"); got != "a|b|" {
		t.Errorf("text %q", got)
	}
	if calls := m.ToolCalls(); len(calls) != 1 || calls[0] != (session.ToolCall{ID: "i", Name: "n", Arguments: `{ "x":1.0 }`}) {
		t.Errorf("calls %+v", calls)
	}
	if u, ok := m.Usage(); !ok || u != (session.Usage{Input: 5, Output: 2, CacheWrite: -4}) || u.ContextTokens() != 3 {
		t.Errorf("usage %+v: of repeated members the last counts, a string is no number", u)
	}
	var types []string
	for b := range m.Blocks() {
		types = append(types, b.Type)
		if b.Type == "toolCall" {
			if b.Str("name") != "n" || b.Get("arguments") != `{ "x":1.0 }` || !strings.HasPrefix(b.Raw(), `{"type":"toolCall"`) {
				t.Errorf("block %s", b.Raw())
			}
			break
		}
	}
	if got := strings.Join(types, " "); got != "text toolCall" {
		t.Errorf("blocks %s", got)
	}
	if m.Get("n") != "1" || m.Str("n") != "" {
		t.Error("members")
	}
	if calls := session.NewMessage(`{"role":"user","content":[{"type":"toolCall"}]}`).ToolCalls(); calls != nil {
		t.Errorf("only assistants call tools: %v", calls)
	}
	for _, raw := range []string{`{"role":"user","content":"x"}`, `{"role":"user","content":[{"type":"text","text":"x"}]}`} {
		if got := session.NewMessage(raw).Text(""); got != "x" {
			t.Errorf("%s: %q", raw, got)
		}
	}
	for _, raw := range []string{`{}`, `{"usage":null}`, `{"usage":[]}`} {
		if u, ok := session.NewMessage(raw).Usage(); ok {
			t.Errorf("%s: %+v", raw, u)
		}
	}
	huge := session.NewMessage(`{"usage":{"input":1e400,"output":9223372036854775807,"cacheRead":1e30,"cacheWrite":-1e400}}`)
	if u, _ := huge.Usage(); u.Input != 1<<53 || u.Output != 1<<53 || u.CacheWrite != -1<<53 || u.ContextTokens() != 1<<54 {
		t.Errorf("%+v", u)
	}
}

func TestHeader(t *testing.T) {
	t.Parallel()
	raw := session.NewHeader(session.HeaderFields{ID: "i", Time: 1767323045678, CWD: "/a<b>"})
	if want := `{"type":"session","version":3,"id":"i","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/a<b>"}`; raw != want {
		t.Errorf("%s, want %s", raw, want)
	}
	raw = session.NewHeader(session.HeaderFields{ID: "i", Title: "t\n", ParentSession: "/p"})
	if want := `{"type":"session","version":3,"id":"i","timestamp":"1970-01-01T00:00:00.000Z","cwd":"","title":"t\n","parentSession":"/p"}`; raw != want {
		t.Errorf("%s, want %s", raw, want)
	}
	h, err := session.HeaderOf([]byte(raw))
	if err != nil || h.Raw() != raw || h.ID != "i" || h.Version != session.Version || h.Title != "t\n" || h.ParentSession != "/p" {
		t.Errorf("%+v, %v", h, err)
	}
	for _, bad := range []string{"", "x", "[]", "{}", user("a", "", "")} {
		if _, err := session.HeaderOf([]byte(bad)); err == nil {
			t.Errorf("%q is a header", bad)
		}
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	before := time.Now().Truncate(time.Millisecond)
	seen := map[string]bool{}
	for range 10_000 {
		text := session.NewSessionID()
		id, err := uuid.Parse(text)
		sec, ns := id.Time().UnixTime()
		if at := time.Unix(sec, ns); err != nil || id.String() != text || id.Version() != 7 || id.Variant() != uuid.RFC4122 || at.Before(before) || time.Since(at) < 0 || seen[text] {
			t.Fatalf("session id %q of %v after %v, %v", text, at, before, err)
		}
		seen[text] = true
	}
	tries := 0
	short := session.NewEntryID(func(string) bool { tries++; return tries < 50 })
	if tries != 50 || !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(short) {
		t.Errorf("entry id %q after %d tries", short, tries)
	}
	tries = 0
	long := session.NewEntryID(func(string) bool { tries++; return true })
	if tries != 100 || len(long) != 36 {
		t.Errorf("entry id %q after %d tries", long, tries)
	}
	for id, want := range map[string]bool{
		"a": true, "A.b_c-9": true, "": false, "-a": false, "a-": false, "a b": false, "a/b": false, "..": false, "a\n": false, "é": false, "a.": false, "_": false, "a..b": true, "0": true,
	} {
		if session.ValidSessionID(id) != want {
			t.Errorf("ValidSessionID(%q) = %v", id, !want)
		}
	}
	if session.PositionID(1) != "00000001" || session.PositionID(255) != "000000ff" {
		t.Error("position ids are hexadecimal")
	}
}

// Entries are what encoding/json reads, for keys of that exact case.
func TestEntryAgreesWithJSON(t *testing.T) {
	t.Parallel()
	for _, path := range corpus.PiSessions(t)[:10] {
		s, err := read(t, path)
		if err != nil {
			continue
		}
		for _, e := range s.Entries[:min(len(s.Entries), 50)] {
			var want map[string]json.RawMessage
			if err := json.Unmarshal([]byte(e.Raw()), &want); err != nil {
				t.Fatal(err)
			}
			for name, raw := range want {
				if e.Get(name) != string(raw) {
					t.Errorf("%s of %s: %s", name, e.ID(), e.Get(name))
				}
			}
		}
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	e := parse(t, user("z", "", "x"), user("y", "z", "x"), user("w", "y", "x"), user("v", "w", "x"), user("u", "v", "x"), `{"id":"a","parentId":"b" ,"type":"x"}`).Entries[5]
	root := e.WithParent("")
	if root.Raw() != `{"id":"a","parentId":null ,"type":"x"}` || root.ParentID() != "" || root.Line() != 7 || root.ID() != "a" {
		t.Errorf("%+v", root)
	}
	if odd := e.WithParent("a\"\u2028\xed\xa0\x80"); odd.Raw() != `{"id":"a","parentId":"a\"`+"\u2028"+`\ud800" ,"type":"x"}` {
		t.Errorf("%s", odd.Raw())
	}
	if id := e.WithRaw("id", `"c"`); id.ID() != "c" || id.Line() != 7 {
		t.Errorf("%+v", id)
	}
	if e.Raw() != `{"id":"a","parentId":"b" ,"type":"x"}` {
		t.Error("an entry is immutable")
	}
}

func TestWhatACallIsAbout(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string][4]string{ // file, command, asks, words
		`{"command":"ls","description":"list"}`:       {"", "ls", "", "list"},
		`{"cmd":["bash","-lc","go test ./..."]}`:      {"", "go test ./...", "", ""},
		`{"command":["go","vet"]}`:                    {"", "go vet", "", ""},
		`{"command":[1,"vet"]}`:                       {"", "vet", "", ""},
		`{"command":[]}`:                              {"", "", "", ""},
		`{"pattern":"TODO","path":"src"}`:             {"src", "", "TODO", ""},
		`{"url":"http://x","prompt":"what is it"}`:    {"", "", "http://x", "what is it"},
		` {"file_path":"a.go","content":"x"}`:         {"a.go", "", "", ""},
		`{"filename":"b.go"}`:                         {"b.go", "", "", ""},
		`{"file":"c.go","path":""}`:                   {"c.go", "", "", ""},
		`{"notebook_path":"n.ipynb"}`:                 {"n.ipynb", "", "", ""},
		`{"absolute_path":"/a"}`:                      {"/a", "", "", ""},
		`{"path":7,"command":{"a":1},"pattern":null}`: {},
		`["path"]`:                       {},
		`"path"`:                         {},
		``:                               {},
		`{"path":"first","path":"last"}`: {"last"},
		`{"task":"look around","name":"scout","x":"y"}`:  {"", "", "", "look around"},
		`{"target_file":"t.go","query":"where is main"}`: {"t.go", "", "where is main", ""},
	} {
		c := session.ToolCall{Name: "x", Arguments: arguments}
		if got := [4]string{c.File(), c.Command(), c.Asks(), c.Words()}; got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
	c := session.ToolCall{Arguments: `{"file":"b","path":"a","other":"c"}`}
	if got := c.Files(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("files: %q", got)
	}
}

// Both spellings of thinking that is encrypted are told to be that.
func TestEncryptedThinking(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		`{"type":"redactedThinking","data":"x"}`:                                    true,
		`{"type":"thinking","thinking":"","redacted":true,"thinkingSignature":"x"}`: true,
		`{"type":"thinking","thinking":"hm","redacted":false}`:                      false,
		`{"type":"thinking","thinking":"hm"}`:                                       false,
		`{"type":"text","text":"","redacted":true}`:                                 false,
	} {
		m := session.NewMessage(`{"role":"assistant","content":[` + raw + `]}`)
		for b := range m.Blocks() {
			if data, ok := b.Encrypted(); ok != want || ok && data != "x" {
				t.Errorf("%s: %q, %t", raw, data, ok)
			}
		}
	}
}

// Who an entry is of: the user's or the session's own words stay such, whatever they look like.
func TestHarness(t *testing.T) {
	t.Parallel()
	marked := session.HarnessBlock(`{"type":"text","text":"r"}`, "claude")
	image := session.HarnessBlock(`{"type":"image","data":"AA==","mimeType":"image/png"}`, "claude")
	for _, tt := range []struct {
		name, entry    string
		harness, aside string
		said           string // the content that stays
		agent          string // whose words are left out
		left           int64
	}{
		{"a custom message of an importer", `{"type":"custom_message","customType":"claude:context","content":"r"}`, "claude", "", "", "", 0},
		{"a custom message of an extension", `{"type":"custom_message","customType":"plan:context","content":"r"}`, "", "", "", "", 0},
		{"another one of an importer", `{"type":"custom_message","customType":"codex:agent_message","content":"r"}`, "", "", "", "", 0},
		{"all blocks", `{"type":"message","message":{"role":"user","content":[` + marked + `]}}`, "claude", "", "[]", "claude", 1},
		{"some blocks", `{"type":"message","message":{"role":"user","content":[` + marked + `,{"type":"text","text":"fix it"}]}}`, "", "", `[{"type":"text","text":"fix it"}]`, "claude", 1},
		{"a marked image beside own words", `{"type":"message","message":{"role":"user","content":[` + image + `,{"type":"text","text":"fix it"}]}}`, "", "", `[{"type":"text","text":"fix it"}]`, "claude", 0},
		{"a marked image", `{"type":"message","message":{"role":"user","content":[` + image + `]}}`, "claude", "", "[]", "claude", 0},
		{"no blocks", `{"type":"message","message":{"role":"user","content":[]}}`, "", "", "[]", "", 0},
		{"a text that says harness", `{"type":"message","message":{"role":"user","content":"a \"harness\": b"}}`, "", "", `"a \"harness\": b"`, "", 0},
		{"a developer message", `{"type":"message","message":{"role":"developer","content":[` + marked + `]}}`, "claude", "", "[]", "claude", 1},
		{"a result", `{"type":"message","message":{"role":"toolResult","content":[` + marked + `]}}`, "", "", "[" + marked + "]", "", 0},
		{"what an importer keeps", `{"type":"custom","customType":"claude:line","data":{}}`, "", "claude", "", "", 0},
		{"how a run ended", `{"type":"custom","customType":"sess:run","data":{}}`, "", "sess", "", "", 0},
		{"an extension's entry", `{"type":"custom","customType":"todo:list","data":{}}`, "", "", "", "", 0},
		{"an entry without type", `{"customType":"claude:line"}`, "", "", "", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, err := session.ParseEntry(tt.entry)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Harness(); got != tt.harness || e.IsHarness() != (tt.harness != "") {
				t.Errorf("harness %q, want %q", got, tt.harness)
			}
			if got := e.Aside(); got != tt.aside || e.IsAside() != (tt.aside != "") {
				t.Errorf("aside %q, want %q", got, tt.aside)
			}
			if m, ok := e.Message(); ok {
				said, agent, left := m.Said()
				if said.Get("content") != tt.said || agent != tt.agent || left != tt.left {
					t.Errorf("said %s, %d bytes of %q left out; want %s, %d of %q", said.Get("content"), left, agent, tt.said, tt.left, tt.agent)
				}
			}
		})
	}
}

// The name is the title without white space at its ends, and a
// session_info entry goes before it (docs/formats/omp.md).
func TestTitleIsTrimmed(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{`\t`: "", `\ta b\n`: "a b", "": ""} {
		for _, header := range []string{
			`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","title":"` + title + `"}`,
			`{"type":"title","v":1,"title":"` + title + `","updatedAt":"2026-01-02T03:04:05.000Z","pad":""}` + "\n" +
				`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`,
		} {
			if s := parseText(t, header+"\n"); s.Name != want {
				t.Errorf("title %q: %q, want %q", title, s.Name, want)
			}
			info := `{"type":"session_info","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","name":"named"}`
			if s := parseText(t, header+"\n"+info+"\n"); s.Name != "named" {
				t.Errorf("title %q and a session_info: %q", title, s.Name)
			}
		}
	}
}
