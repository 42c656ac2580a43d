package opencode

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// The tables of a database of opencode 2, and those that it has from release 1.
const (
	sessions     = `CREATE TABLE session (id, slug, directory, title, version, model, cost, tokens_input, tokens_output, tokens_reasoning, tokens_cache_read, tokens_cache_write, time_created, time_updated, parent_id);`
	secondTables = `CREATE TABLE session_message (id, session_id, type, seq, time_created, time_updated, data);`
	firstTables  = `CREATE TABLE message (id, session_id, time_created, data); CREATE TABLE part (id, message_id, session_id, data);`
)

// ofSession inserts a session with what it counts: input, output, reasoning, read and written.
func ofSession(id, tokens string) string {
	return fmt.Sprintf(`INSERT INTO session VALUES ('%s','sl-%[1]s','/w','t','2.0.12','{"id":"gpt-5.5","providerID":"openai"}',0,%s,1788000000000,1788000009000,NULL);`, id, tokens)
}

// secondRows inserts rows of a session, "TYPE DATA" each, in their order, whose ids are in another.
func secondRows(id string, list ...string) string {
	var b strings.Builder
	for i, row := range list {
		typ, data, _ := strings.Cut(row, " ")
		fmt.Fprintf(&b, `INSERT INTO session_message VALUES ('msg_%c%d','%s','%s',%d,%d,0,'%s');`, 'z'-rune(i), i, id, typ, i, 1788000000000+int64(i)*1000, data)
	}
	return b.String()
}

const gpt = `"agent":"build","model":{"id":"gpt-5.5","providerID":"openai"}`

// Each type of a row is what release 1 has for it: words, calls, usage, models, a compaction.
func TestSecond(t *testing.T) {
	t.Parallel()
	sql := sessions + firstTables + secondTables + ofSession("ses_2", "1600,60,20,300,0") + secondRows(
		"ses_2",
		`model-switched {"time":{"created":1788000000000},"model":{"id":"gpt-5.5","providerID":"openai"}}`,
		`user {"time":{"created":1788000001000},"text":"where is the falcon","files":[{"uri":"data:image/png;base64,aGk=","mime":"image/png","name":"a.png"}],"agents":[]}`,
		`synthetic {"time":{"created":1788000002000},"sessionID":"ses_2","text":"a reminder"}`,
		`assistant {"time":{"created":1788000003000,"completed":1788000004000},`+gpt+`,"content":[{"type":"reasoning","id":"r","text":"hm","time":{"created":1788000003000}},{"type":"text","id":"x","text":"I look"},`+
			`{"type":"tool","id":"c1","name":"bash","state":{"status":"completed","input":{"command":"ls"},"structured":{"exit":2},"content":[{"type":"text","text":"no"},{"type":"text","text":"such"}]},"time":{"created":1788000003000,"ran":1788000003100,"completed":1788000003900}},`+
			`{"type":"tool","id":"c2","name":"read","state":{"status":"error","input":{"filePath":"a"},"error":{"type":"unknown","message":"not there"},"content":[],"structured":{}},"time":{"created":1788000003000}},`+
			`{"type":"tool","id":"c3","name":"read","state":{"status":"streaming","input":"{\"f"},"time":{"created":1788000003000}}],`+
			`"finish":"tool-calls","cost":0.5,"tokens":{"input":1000,"output":50,"reasoning":20,"cache":{"read":300,"write":0}}}`,
		`shell {"time":{"created":1788000005000,"completed":1788000006000},"callID":"s1","command":"make","output":"done"}`,
		`shell {"time":{"created":1788000006000,"completed":1788000006500},"shellID":"s2","command":"make test","status":"exited","exit":1,"output":{"output":"failed","truncated":false}}`,
		`compaction {"time":{"created":1788000007000},"reason":"auto","summary":"they looked","recent":"the end"}`,
		`compaction {"time":{"created":1788000007500},"status":"failed","reason":"auto","error":{"message":"x"}}`,
		`user {"time":{"created":1788000008000},"text":"and now?"}`,
		`assistant {"time":{"created":1788000009000},"agent":"build","model":{"id":"opus","providerID":"anthropic"},"content":[],"finish":"error","error":{"type":"aborted","message":"stopped"}}`,
		`newest {"time":{"created":1788000009500},"words":"a secret"}`,
	)
	r := formatstest.One(t, Format, source(formatstest.Database(t, sql)))
	s := r.Session(t)
	var got []string
	for _, e := range s.Entries {
		m, ok := e.Message()
		switch {
		case ok && m.Role() == session.RoleAssistant:
			usage, _ := m.Usage()
			got = append(got, fmt.Sprintf("assistant %s %q %d+%d+%d %s", m.Str("model"), m.Text(" "), usage.Input, usage.Output, usage.CacheRead, m.Str("stopReason")))
			for _, c := range m.ToolCalls() {
				got = append(got, "call "+c.ID+" "+c.Name+" "+js.Value(c.Arguments).Get("command").Str())
			}
		case ok:
			got = append(got, fmt.Sprintf("%s %q %s", m.Role(), m.Text(" "), m.Get("isError")))
		case e.Type() == session.TypeCompaction:
			got = append(got, "compaction "+e.Str("summary"))
		case e.Type() == session.TypeUsage:
			got = append(got, "usage "+e.Str("kind")+" "+e.Str("model")+" "+js.Value(e.Get("usage")).Get("input").Str()+string(js.Value(e.Get("usage")).Get("input")))
		}
	}
	want := []string{
		`user "where is the falcon" `,
		`user "a reminder" `,
		`assistant gpt-5.5 "I look" 1000+70+300 toolUse`,
		"call c1 bash ls", "call c2 read ", "call c3 read ",
		`toolResult "no\nsuch" true`, `toolResult "not there" true`, `toolResult "[Tool execution was interrupted]" true`,
		`user "The following tool was executed by the user" `, `assistant gpt-5.5 "" 0+0+0 toolUse`, "call s1 bash make", `toolResult "done" false`,
		`user "The following tool was executed by the user" `, `assistant gpt-5.5 "" 0+0+0 toolUse`, "call s2 bash make test", `toolResult "failed" true`,
		"compaction they looked\n\n<recent-context>\nthe end\n</recent-context>",
		`user "and now?" `,
		`assistant opus "" 0+0+0 aborted`,
		"usage rest opus 600", // what the session counts and no row says
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.Contains(r.Text(), `"words":"a secret"`) {
		t.Error("a row of a new type was not kept")
	}
	if len(r.Losses) != 1 || r.Losses[0].String() != `session_message of type "newest": a row of a type that is not known, kept aside` {
		t.Errorf("lost %v", r.Losses)
	}
	// What opencode 1 would take in: the messages as it has them.
	text, _ := export(t, r)
	importable(t, text)
	again := importOne(t, []byte(text))
	if diff := cmp.Diff(said(t, s), said(t, again.Session(t))); diff != "" {
		t.Errorf("an export says something else (-before +after)\n%s", diff)
	}
}

// Rows of release 2 alone, without a number or without a slug, and rows of messages that release 1 had.
func TestSecondTables(t *testing.T) {
	t.Parallel()
	const user, reply = `user {"time":{"created":1},"text":"hi"}`, `assistant {"time":{"created":2},` + gpt + `,"content":[{"type":"text","id":"x","text":"yes"}],"tokens":{"input":10,"output":5,"reasoning":0,"cache":{"read":0,"write":0}}}`
	both := []string{`["user","hi"]`, `["assistant","yes"]`}
	for name, c := range map[string]struct {
		sql  string
		want []string
		err  string
	}{
		"alone":         {sessions + secondTables + ofSession("ses_2", "10,5,0,0,0") + secondRows("ses_2", user, reply), both, ""},
		"without a seq": {sessions + strings.Replace(secondTables, "seq", "number", 1) + ofSession("ses_2", "10,5,0,0,0") + secondRows("ses_2", user, reply), both, ""},
		"taken over": {
			sessions + firstTables + secondTables + ofSession("ses_2", "10,5,0,0,0") + secondRows("ses_2", user, reply) +
				`INSERT INTO message VALUES ('msg_z0','ses_2',1788000000000,'{"role":"user"}'); INSERT INTO part VALUES ('prt_1','msg_z0','ses_2','{"type":"text","text":"hi"}');`,
			both, "",
		},
		"nothing but a type that is new": {sessions + secondTables + ofSession("ses_2", "0,0,0,0,0") + secondRows("ses_2", `newest {"words":"a"}`), nil, "not read: session_message has 1 row of it, and neither a message nor a call was found"},
		"no row":                         {sessions + secondTables + ofSession("ses_2", "10,5,0,0,0"), nil, "not read: its own total is 15 tokens, and neither a message nor a call was found"},
		"nothing":                        {sessions + secondTables + ofSession("ses_2", "0,0,0,0,0"), nil, ""},
		"no message table at all":        {sessions, nil, "it has no table message"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, err := formatstest.TryAll(t.Context(), Format, source(formatstest.Database(t, c.sql)))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%v, want %q", err, c.err)
				}
				return
			}
			if err != nil || len(list) != 1 {
				t.Fatalf("%d sessions, %v", len(list), err)
			}
			if diff := cmp.Diff(c.want, said(t, list[0].Session(t))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A home has the databases of all channels; of a session that two of them have, the later counts.
func TestChannels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	formatstest.Put(t, filepath.Join(dir, "opencode", "opencode-old.db.bak"), "no database")
	put := func(name, sql string) { formatstest.Execute(t, filepath.Join(dir, "opencode", name), sql) }
	env := formats.Env{Getenv: func(name string) string { return map[string]string{"XDG_DATA_HOME": dir}[name] }}
	home := func() string {
		path, err := Format.About().Home(env)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	row := func(text string) string { return `user {"time":{"created":1},"text":"` + text + `"}` }
	tables := sessions + secondTables
	put("opencode.db", tables+ofSession("ses_a", "0,0,0,0,0")+secondRows("ses_a", row("usual")))
	if want := filepath.Join(dir, "opencode", "opencode.db"); home() != want {
		t.Errorf("%s, want %s", home(), want)
	}
	put("opencode-dev.db", tables+strings.Replace(ofSession("ses_a", "0,0,0,0,0"), "1788000009000", "1788000019000", 1)+strings.ReplaceAll(secondRows("ses_a", row("later")), "msg_", "msg_d")+
		ofSession("ses_b", "0,0,0,0,0")+strings.ReplaceAll(secondRows("ses_b", row("of the channel")), "msg_", "msg_b"))
	if home() != filepath.Join(dir, "opencode") {
		t.Errorf("%s", home())
	}
	var got []string
	for _, r := range formatstest.Import(t, Format, &formats.Source{Path: home(), Env: env}, false) {
		got = append(got, r.Info.ID+" "+filepath.Base(r.Info.Path)+" "+strings.Join(said(t, r.Session(t)), ""))
	}
	want := []string{`ses_a opencode-dev.db ["user","later"]`, `ses_b opencode-dev.db ["user","of the channel"]`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
