//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sess-tools/sess/internal/test/corpus"
)

// rowSchemas is the directory with a schema of the rows of each tool.
const rowSchemas = "../../../docs/rows"

// rowLines are commands that print rows, each in the directory that [rowWorld] makes. The
// first word is the tool whose rows they are.
var rowLines = []string{
	`sess-ls --json --exact full.jsonl damaged.jsonl bare.jsonl empty.jsonl s.v2`,
	`sess-ls --json corpus/*`,
	`sess-ls --all --json`,
	`sess-ls --agent all --json`,
	`sess-ls remote: --json`,
	`sess-ls --agent claude --json .claude/projects`,
	`sess-sync ls --json`,
	`sess-import claude --list`,
	`sess-import codex --list`,
	`sess-import opencode --list`,
	`sess-import zeroclaw --list`,
	`sess-import aider --list chat.md`,
	`sess-import pi --list`,
	`sess-import claude --list .claude/projects`,
	`sess-import --homes --list --cwd /`,
	`sess-import --prompts history.db`,
	`sess-import -q --losses l1 openai chat.json >/dev/null; cat l1`,
	`for f in pi omp codex; do sess-import -q --losses l-$f $f --all -o made >/dev/null; cat l-$f; done; for f in corpus/*/*; do sess-import -q --losses l-5 omp "$f" >/dev/null; cat l-5; rm l-5; done`,
	`sess-import openai --list - <chat.json`,
	`sess-import openai --all -o gathered --json - <chat.json`,
	`mkdir none && printf x >none/a.jsonl; sess-import claude --all -o gathered --json none`,
	`sess-import claude --all -o gathered --json`,
	`mkdir owned && sed '1s/}$/,"harness":"claude","host":"h","user":"u","git":{"remote":"r"}}/' full.jsonl >owned/s.jsonl; sess-ls --json owned`,
	`sed '1s/}$/,"host":"h","user":"u","git":{"remote":"r"}}/' full.jsonl >owned.jsonl; sess-stat --json --usage --by host,user,repo owned.jsonl priced.jsonl`,
	`sess-export -q claude --losses l3 -o made.claude full.jsonl >/dev/null; cat l3`,
	`for f in corpus/*/*; do for to in pi omp claude codex openai; do sess-export -q --losses l-6 $to "$f" >/dev/null; cat l-6; rm -f l-6; done; done 2>/dev/null`,
	`sess-export -q pi --for pi-0.73 --losses l4 -o made.jsonl full.jsonl >/dev/null; cat l4`,
	`sess-grep --json --in all needle full.jsonl fork.jsonl bare.jsonl`,
	`sess-grep --json --in all needle titled.jsonl`,
	`sess-grep --json -C 2 --in all needle full.jsonl`,
	`sess-grep --json -C 1 --in all needle <full.jsonl`,
	`sess-grep --json -a --agent all -i the`,
	`sess-grep --json --in all pi: corpus/*/*`,
	`sess-grep --json --max-tokens 100 --in all needle full.jsonl fork.jsonl bare.jsonl`,
	`sess-calls --json full.jsonl bare.jsonl corpus/*/*`,
	`sess-calls --json --branches --agent all`,
	`sess-calls --json <full.jsonl`,
	`{ head -n 1 full.jsonl; echo '{"type":"message","id":"p1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":[{"type":"providerCall","id":"s1","name":"web_search","arguments":{"query":"x"}},{"type":"toolCall","id":"m1","name":"codemode","arguments":{}}]}}'; ` +
		`echo '{"type":"message","id":"p2","parentId":"p1","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"toolResult","toolCallId":"m1","toolName":"codemode","content":[],"isError":false,"nestedCalls":{"calls":[{"id":"m1/1","name":"bash","status":"ok","arguments":{"command":"ls"}}],"complete":true}}}'; } | sess-calls --json`,
	`sed 's/"id":"c[0-9a-z]*",//; s/"name":"[a-z]*",//; s/"arguments":{[^}]*}/"arguments":{}/; 2,$s/"timestamp":"20[^"]*"/"timestamp":"?"/' calls.jsonl | sess-calls --json`,
	`sess-assert --json --no-call run --call none --order none,run --fixed none --wrote-only none --answer x --no-answer . --max-calls 0 full.jsonl bare.jsonl calls.jsonl`,
	`{ head -n 1 full.jsonl; echo '{"type":"message","id":"p1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"m1","name":"bash","arguments":{"command":"eval \"$X\""}}]}}'; } | sess-assert --json --strict --no-call 'run:git push*'`,
	`sess-assert --json --max-calls 0 --agent all`,
	`sess-assert --json --max-calls 0 <calls.jsonl`,
	`cd gitw && sess-git log -v --json`,
	`cd gitw && sess-git show --json HEAD`,
	`cd gitw && sess-git blame --json a.go`,
	`cd gitw && sess-git blame --json b.go`,
	`sess-watch --once --json full.jsonl fork.jsonl calls.jsonl`,
	`head -n 1 calls.jsonl | sess-watch --once --json`,
	`sess-watch --once --json --agent codex`,
	`SESS_SETTLE=0s sess-watch --after null --json --state waiting full.jsonl; cp calls.jsonl told.jsonl; sess-append -q -t x told.jsonl >told.id; sess-watch --after null --json --state waiting --timeout 1ms told.jsonl`,
	`for a in codex claude opencode; do SESS_SETTLE=0s sess-watch --after null --agent $a --json --state working --timeout 1ms; done`,
	`sed 's/"timestamp":"20[^"]*"/"timestamp":"?"/' full.jsonl >dateless.jsonl; sess-watch --after null --json --state waiting --timeout 1ms dateless.jsonl fork.jsonl`,
	`sess-history --json -a`,
	`sess-history --json --agent all`,
	`sess-history --json -a --db history.db`,
	`sess-stat --json --usage --by hour,day,week,month,model,provider full.jsonl bare.jsonl`,
	`sess-stat --json --usage --by agent,project,branch,purpose,stop-reason full.jsonl bare.jsonl`,
	`sess-stat --json --usage --by session --tree full.jsonl fork.jsonl bare.jsonl`,
	`sess-stat --json --usage --by model free.jsonl`,
	`sess-stat --json --usage --by model unpriced.jsonl`,
	`sess-stat --json --usage --by model --prices prices.json priced.jsonl`,
	`sess-stat --json --usage priced.jsonl`,
	`sess-stat --json --usage <full.jsonl`,
	`sess-stat --json --agent all --by session`,
	`sess-stat --json --agent all --by agent,model`,
	`sess-stat --json --usage --by session full.jsonl remote:11111111`,
	`sess-stat --json --usage corpus/*/*`,
	`sess-stat --json --context --by role,tool full.jsonl`,
	`sess-stat --json --context --by file,entry <full.jsonl`,
	`sess-stat --json --context --by file,tool again.jsonl`,
	`for f in corpus/*/*; do sess-stat --json --context --by role,tool "$f"; sess-stat --json --context --by entry,kind "$f"; done 2>/dev/null`,
	`sess-stat --json --usage --by hour,day,week,month,model,provider,project untimed.jsonl`,
	`sess-stat --json --usage silent.jsonl`,
	`{ cat priced.jsonl; echo '{"type":"usage","id":"ffff0001","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","kind":"rest","provider":"anthropic","model":"m","usage":{"input":0,"totals":{"parts":1234,"total":1000}}}'; } | sess-stat --json --usage`,
	`sess-stat --json --context priced.jsonl`,
	`sess-stat --json --compactions full.jsonl bare.jsonl`,
	`sess-stat --json --compactions <bare.jsonl`,
	`sess-stat --json --compactions --prices prices.json corpus/*/*`,
	`sess-tree --json full.jsonl`,
	`sess-tree --json damaged.jsonl`,
	`sess-tree --json <full.jsonl`,
	`sess-tree --json claude:/tmp/w`,
	`for f in corpus/*/*; do sess-tree --json "$f"; sess-tree --heads --json "$f"; sess-tree --labels --json "$f"; done 2>/dev/null`,
	`sess-tree --heads --json <full.jsonl`,
	`sess-tree --heads --json full.jsonl`,
	`sess-tree --heads --json damaged.jsonl`,
	`sess-tree --heads --json odd.jsonl`,
	`sess-tree --labels --json full.jsonl`,
	`sess-tree --labels --json <full.jsonl`,
	`sess-tree --labels --json damaged.jsonl`,
	`sess-check --json damaged.jsonl wide.jsonl full.jsonl`,
	`sess-check --json <damaged.jsonl`,
	`sess-redact --check --json secret.jsonl`,
	`sess-redact --check --json <secret.jsonl`,
	`sess-redact --check --json --write-baseline base secret.jsonl`,
	`sess-doctor --json --offline`,
	`SESS_NOTHING=1 sess-doctor --json --offline`,
	`sess-handoff -q -n --to pi full.jsonl; sess-handoff -q --json --to pi --cwd . full.jsonl; sess-handoff -q --json --to pi --cwd . full.jsonl`,
	`sed '1s/"cwd":"[^"]*"/"cwd":""/' full.jsonl >nowhere.jsonl; sess-handoff -q -n --to claude nowhere.jsonl`,
	`sess-merge -n --json full.jsonl more.jsonl`,
	`sess-merge -n --json full.jsonl other.jsonl`,
	`sess-merge -n --json empty.jsonl empty.jsonl`,
	`grep -v needle.two full.jsonl >cut.jsonl; sess-merge --git -n --json base.jsonl cut.jsonl more.jsonl; sess-merge --git -n --json base.jsonl full.jsonl cut.jsonl`,
	`sess-compact --if-needed -n --window 20000 full.jsonl`,
	`for f in corpus/*/*; do sess-compact --if-needed -n --window 20000 "$f"; sess-compact --report --json --keep 1 "$f"; done 2>/dev/null`,
	`sess-compact --plan --strategy keep-user long.jsonl`,
	`sess-compact --plan --keep 1 --instructions brief full.jsonl`,
	`sess-compact --plan --keep 1 long.jsonl`,
	`sess-compact --plan --strategy last-turn long.jsonl`,
	`sess-compact --plan --branch u1 full.jsonl`,
	`sess-compact --plan --branch null long.jsonl`,
	`sess-compact --report --json --keep 1 full.jsonl`,
	`sess-compact --report --json --keep 1 long.jsonl`,
	`sess-compact --report-of k1 --json full.jsonl`,
	`sess-compact --report-of e1 --json full.jsonl`,
	`sess-compact --report-of e2 --json full.jsonl`,
	`sess-seg status --json s.v2`,
	`sess-seg status --json --source s.v2`,
	`cp headed.jsonl e.jsonl; sess-seg migrate --json e.jsonl; sess-seg status --json e.v2`,
	`tar -xzf "$STORES" && sess-seg status --json vectors/era2.v2`,
	`sess-seg verify --json broken.v2`,
	`sess-seg migrate -n --json again.jsonl`,
	`sess-seg migrate --json again.jsonl`,
	`sess-seg checkpoint --json s.v2`,
	`sess-seg checkpoint --list --json s.v2`,
	`sess-path --as state full.jsonl`,
	`sess-path --as state bare.jsonl`,
	`sess-path --as state empty.jsonl`,
	`sess-path --as state state.jsonl`,
	`sess-path --as state odd.jsonl`,
	`for f in corpus/*/*; do sess-path --as state "$f"; done 2>/dev/null`,
}

// unseen are the members of rows that no command above shows in one of both ways, and why.
var unseen = map[string]string{
	"sess-ls session.modified null": "each session of testdata has a time, or is in a file that has one",
	"sess-import loss.session null": "no session of testdata loses anything before its header",
	"sess-import prompt.cwd null":   "the database of testdata has a directory for each prompt",
}

// Every row that a tool prints is as its schema says, and the commands show every member of
// every schema: with a value, and null if it may be that.
func testRows(t *testing.T) {
	dir := rowWorld(t)
	tools := map[string]*rowSchema{}
	seen := &seenMembers{null: map[string]bool{}, value: map[string]bool{}}
	for _, file := range must(filepath.Glob(rowSchemas + "/*.json")) {
		tool := strings.TrimSuffix(filepath.Base(file), ".json")
		tools[tool] = readRowSchema(t, tool, seen)
	}
	for _, line := range rowLines {
		_, name, _ := strings.Cut(line, "sess-")
		tool := "sess-" + strings.Fields(name)[0]
		schema := tools[tool]
		rows, r := printRows(t, dir, line)
		if schema == nil || len(rows) == 0 {
			t.Errorf("%s: no rows, or no schema for them; status %d\n%s", line, r.status, r.stderr)
			continue
		}
		for _, row := range rows {
			schema.check(t, line, row)
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(tools)) {
		tools[tool].complete(t)
	}
}

// must returns what cannot fail here.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// printRows runs a line and returns the rows that it prints.
func printRows(t *testing.T, dir, line string) (rows []string, r result) {
	t.Helper()
	c := command(dir, "sh", "-uc", line)
	c.Env = append(c.Env, "SESS_REMOTE="+dir+"/remote", "ZEROCLAW_WORKSPACE="+dir+"/ws", "TZ=UTC", "STORES="+filepath.Join(corpus.Dir(), "v2", "stores.tar.gz"))
	r = wait(t, c)
	for row := range strings.Lines(r.stdout) {
		rows = append(rows, strings.TrimSuffix(row, "\n"))
	}
	return rows, r
}

// A rowSchema is the schema of the rows of a tool, and what was seen of it.
type rowSchema struct {
	compiled *jsonschema.Schema
	doc      map[string]any
	kinds    map[string]map[string]any // by the tool and the name of the schema
	seen     *seenMembers
}

// seenMembers are the members that rows had, by the file and the name of their schema and
// their path in it: with the value null, and with another one.
type seenMembers struct{ null, value map[string]bool }

func readRowSchema(t *testing.T, tool string, seen *seenMembers) *rowSchema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	file := must(filepath.Abs(filepath.Join(rowSchemas, tool+".json")))
	s := &rowSchema{doc: readSchemaFile(t, file), kinds: map[string]map[string]any{}, seen: seen}
	var err error
	if s.compiled, err = c.Compile(file); err != nil {
		t.Fatal(err)
	}
	for _, of := range s.doc["oneOf"].([]any) {
		ref := of.(map[string]any)["$ref"].(string)
		name := strings.Replace(ref, ".json#/$defs/", " ", 1)
		if ref[0] == '#' {
			name = tool + " " + strings.TrimPrefix(ref, "#/$defs/")
		}
		s.kinds[name] = s.resolve(t, ref)
	}
	return s
}

func readSchemaFile(t *testing.T, file string) (doc map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(readFile(t, file)), &doc); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return doc
}

// resolve returns what a reference means.
func (s *rowSchema) resolve(t *testing.T, ref string) map[string]any {
	t.Helper()
	file, name, _ := strings.Cut(ref, "#/$defs/")
	doc := s.doc
	if file != "" {
		doc = readSchemaFile(t, filepath.Join(rowSchemas, file))
	}
	return doc["$defs"].(map[string]any)[name].(map[string]any)
}

// check compares a row with the schema, and takes note of its members.
func (s *rowSchema) check(t *testing.T, line, row string) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(row))
	if err != nil {
		t.Errorf("%s: %v: %.300s", line, err, row)
		return
	}
	if err := s.compiled.Validate(v); err != nil {
		t.Errorf("%s: %.1500v\n%.500s", line, err, row)
		return
	}
	if !strings.HasPrefix(row, `{"kind":"`) {
		t.Errorf("%s: kind is not the first member: %.100s", line, row)
	}
	members := v.(map[string]any)
	for name, schema := range s.kinds {
		if fits(schema, members) {
			s.note(t, name, schema, v)
		}
	}
}

// fits reports whether a row is of the kind that a schema is of: several may have one name.
func fits(schema, members map[string]any) bool {
	kind := schema["properties"].(map[string]any)["kind"].(map[string]any)
	if several, ok := kind["enum"].([]any); kind["const"] != members["kind"] && !(ok && slices.Contains(several, members["kind"])) {
		return false
	}
	for _, name := range schema["required"].([]any) {
		if _, ok := members[name.(string)]; !ok {
			return false
		}
	}
	return true
}

// note takes note of a value and of what is in it.
func (s *rowSchema) note(t *testing.T, path string, schema map[string]any, v any) {
	if v == nil {
		s.seen.null[path] = true
		return
	}
	s.seen.value[path] = true
	if ref, ok := schema["$ref"].(string); ok {
		schema = s.resolve(t, ref)
	}
	switch v := v.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for name, member := range properties {
			if value, ok := v[name]; ok {
				s.note(t, path+"."+name, member.(map[string]any), value)
			}
		}
	case []any:
		if items, ok := schema["items"].(map[string]any); ok {
			for _, item := range v {
				s.note(t, path+"[]", items, item)
			}
		}
	}
}

// complete fails for members that were not seen.
func (s *rowSchema) complete(t *testing.T) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		s.expect(t, name, s.kinds[name])
	}
}

func (s *rowSchema) expect(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	description, _ := schema["description"].(string)
	if ref, ok := schema["$ref"].(string); ok {
		schema = s.resolve(t, ref)
	}
	if description == "" && !strings.HasSuffix(path, "[]") || strings.Contains(description, "\n") {
		t.Errorf("%s: no description in one line", path)
	}
	types, _ := schema["type"].([]any)
	nullable, always := slices.Contains(types, any("null")), schema["type"] == "null"
	missing := func(what string) {
		if unseen[path+" "+what] == "" {
			t.Errorf("%s is never %s", path, what)
		}
	}
	if (nullable || always) && !s.seen.null[path] {
		missing("null")
	}
	if !always && !s.seen.value[path] {
		missing("there")
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		s.expect(t, path+"."+name, properties[name].(map[string]any))
	}
	if items, ok := schema["items"].(map[string]any); ok && items["properties"] != nil {
		s.expect(t, path+"[]", items)
	}
}

// The address of every row is what every tool takes for the session, and its entry what tools
// take for the entry.
func TestAddressesOfRows(t *testing.T) {
	t.Parallel()
	dir := rowWorld(t)
	type place struct{ address, entry string }
	seen := map[place]bool{}
	of := map[string]int{} // entries tried by session
	tools := map[string]bool{}
	for _, line := range []string{
		`sess-ls --json full.jsonl s.v2 corpus/pi`, `sess-ls --all --json`, `sess-ls --agent all --json`, `sess-ls remote: --json`, `sess-sync ls --json`,
		`sess-import claude --list`, `sess-import codex --list`, `sess-import opencode --list`, `sess-import zeroclaw --list`, `sess-import pi --list`,
		`sess-grep --json -a --agent all -i the`, `sess-grep --json --in all needle full.jsonl fork.jsonl`, `sess-grep --json needle claude:/tmp/w remote:11111111`,
		`sess-history --json -a`, `sess-history --json --agent all`, `sess-stat --json --agent all --by session`, `sess-stat --json --usage --by session full.jsonl remote:1111 s.v2`,
		`sess-stat --json --context claude:/tmp/w`, `sess-stat --json --compactions full.jsonl`, `sess-tree --json full.jsonl`, `sess-tree --heads --json codex:01a1fc10`, `sess-tree --labels --json labels.jsonl`,
		`sess-check --json wide.jsonl`, `sess-redact --check --json secret.jsonl`,
	} {
		rows, r := printRows(t, dir, line)
		if len(rows) == 0 {
			t.Errorf("%s: status %d\n%s", line, r.status, r.stderr)
		}
		for _, text := range rows {
			var row struct{ Kind, Address, Entry, Path string }
			check(t, json.Unmarshal([]byte(text), &row))
			at := place{row.Address, row.Entry}
			tools[strings.Fields(line)[0]] = tools[strings.Fields(line)[0]] || at.address != ""
			switch {
			case row.Kind == "total" || seen[at] || of[row.Address] > 2:
				continue
			case row.Address == "":
				t.Errorf("%s: no address: %.300s", line, text)
			default:
				seen[at] = true
				of[row.Address]++
				taken(t, dir, line, row.Address, row.Entry)
			}
		}
	}
	if len(tools) != 9 || len(of) < 40 {
		t.Errorf("%d sessions in rows of %v", len(of), tools)
	}
}

// taken fails unless every tool takes an address, and an entry of that session.
func taken(t *testing.T, dir, line, address, entry string) {
	t.Helper()
	for _, args := range [][]string{{"sess-path"}, {"sess-show", "--as", "text"}, {"sess-stat", "--context"}, {"sess-tree", "--full"}} {
		if entry != "" && args[0] != "sess-stat" {
			args = append(args, "--leaf", entry)
		}
		c := command(dir, append(args, "--", address)...)
		c.Env = append(c.Env, "SESS_REMOTE="+dir+"/remote", "ZEROCLAW_WORKSPACE="+dir+"/ws")
		r := wait(t, c)
		empty := r.status == 1 && entry == "" && (args[0] == "sess-tree" || args[0] == "sess-stat") // the answer no, of a session without entries
		if r.status != 0 && !empty {
			t.Errorf("%s: %v %s: status %d: %s", line, args, address, r.status, r.stderr)
		}
	}
}

// rowWorld makes a home with sessions of all agents, a store, a remote, and sessions that
// have what rows are about.
func rowWorld(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, data []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		check(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check(t, os.WriteFile(path, data, 0o600))
	}
	for _, from := range []string{"pi/genuine", "pi/sessions", "omp/genuine", "omp/edge", "show"} {
		for _, path := range corpus.Sessions(t, from) {
			put("corpus/"+strings.Split(path, "/")[0]+"/"+strings.ReplaceAll(path, "/", "_"), corpus.Session(t, path))
		}
	}
	for i, path := range corpus.Sessions(t, "pi/genuine") {
		put(fmt.Sprintf(".pi/agent/sessions/--w--/%d.jsonl", i), corpus.Session(t, path))
	}
	for i, path := range corpus.Sessions(t, "omp/genuine") {
		put(fmt.Sprintf(".omp/agent/sessions/-w/%d.jsonl", i), corpus.Session(t, path))
	}
	for _, path := range corpus.Sessions(t, "claude/genuine") {
		data := corpus.Session(t, path)
		name := filepath.Base(path)
		if _, rest, ok := bytes.Cut(data, []byte(`"sessionId":"`)); ok && !strings.HasPrefix(name, "agent-") {
			name = string(rest[:bytes.IndexByte(rest, '"')]) + ".jsonl"
		}
		put(".claude/projects/-tmp-w/"+name, data)
	}
	check(t, os.CopyFS(filepath.Join(dir, ".codex"), os.DirFS(filepath.Join(corpus.Dir(), "codex", "home"))))
	put(".local/share/opencode/opencode.db", corpus.Golden(t, "opencode/homes-1.18")["04-forked/opencode.db"])
	put("ws/memory/sessions.db", corpus.Session(t, "zeroclaw/memory.db"))
	put("chat.md", must(os.ReadFile(filepath.Join(corpus.Dir(), "aider", "sample1.md"))))
	put("calls.jsonl", []byte(`{"type":"session","version":3,"id":"019b0000-0000-7000-8000-00000000000c","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`+"\n"+
		`{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}}],"stopReason":"toolUse","timestamp":1}}`+"\n"))
	put("history.db", must(os.ReadFile(filepath.Join(corpus.Dir(), "omp", "history", "history.db"))))
	for name, text := range rowSessions() {
		put(name, []byte(text))
	}
	check(t, os.Chmod(filepath.Join(dir, "wide.jsonl"), 0o644)) //nolint:gosec // it is what sess-check reports
	c := command(dir, "sh", "-euc", `
		mkdir -p store/--w-- && cp full.jsonl store/--w--/1.jsonl && cp bare.jsonl store/--w--/2.jsonl
		cp labels.jsonl s.jsonl && sess-seg migrate -q s.jsonl && cp -r s.v2 broken.v2
		sed -i.old '2s/here/HERE/' broken.v2/segments/*.seg && rm broken.v2/segments/*.old
		mkdir -p gitw .pi/agent/sessions/--gitw--
		(cd gitw && git init -q -b main . && git config user.email a@example.com && git config user.name a && echo 'func other() { return 4 }' >b.go && git add -A && git commit -q -m root
		made=$(sess-new --cwd "$PWD" -o ../.pi/agent/sessions/--gitw--/made.jsonl) wrote=$(sess-new --store --from ../full.jsonl --cwd "$PWD")
		printf 'func parser() { return 1 }\nfunc writer() { return 2 }\nfunc reader() { return 3 }\n}\n' >a.go
		sess-append -q -r user -t 'write it' "$wrote"
		printf '%s\n' '{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"write","arguments":{"path":"a.go","content":"func parser() { return 1 }\nfunc writer() { return 2 }\nfunc reader() { return 3 }\n}\n"}},{"type":"toolCall","id":"c2","name":"other","arguments":{}}],"stopReason":"toolUse"}' | sess-append -q --entries "$wrote"
		printf '%s\n' '{"role":"assistant","content":[{"type":"toolCall","name":"bash","id":"c1","arguments":{"command":"git commit -m \"Add the parser of lines\""}}],"stopReason":"toolUse"}' | sess-append -q --entries "$made"
		git add -A && git commit -q -m 'Add the parser of lines' -m 'Session: 0123')
		export SESS_REMOTE="$PWD/remote"; sess-sync init remote; sess-sync push -q full.jsonl bare.jsonl empty.jsonl`)
	if r := wait(t, c); r.status != 0 {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	return dir
}

// rowSessions are sessions, and what goes with them, by the names of their files.
func rowSessions() map[string]string {
	header := func(id, more string) string {
		return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"` + more + `}`
	}
	message := func(id, parent, message string) string {
		return corpus.Line("message", id, parent, `"message":`+message)
	}
	answer := func(id, parent, text, more string) string {
		return message(id, parent, `{"role":"assistant","content":[{"type":"text","text":"`+text+`"}]`+more+`}`)
	}
	said := `,"provider":"anthropic","model":"claude-sonnet-4-5","stopReason":"stop","usage":{"input":100,"output":20,"cacheRead":3,"cacheWrite":4,"cacheWrite1h":2,"reasoning":5,"totalTokens":127`
	body := []string{
		corpus.User("u1", "", "needle one"),
		message("a1", "u1", `{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"grep needle a.go"}},{"type":"toolCall","id":"c2","name":"edit","arguments":{"path":"needle.go"}}]`+
			strings.Replace(said, `"stop"`, `"toolUse"`, 1)+`,"cost":{"total":0.5}}}`),
		message("t1", "a1", `{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"needle: exit code 1"}],"isError":true}`),
		message("t2", "t1", `{"role":"toolResult","toolCallId":"c2","toolName":"edit","content":[{"type":"text","text":"ok"}]}`),
		answer("a2", "t2", "needle answer", said+`}`),
		corpus.Line("compaction", "k1", "a2", `"summary":"needle so far"`, `"firstKeptEntryId":"a2"`, `"tokensBefore":127`, `"usage":{"input":9,"output":1,"cost":{"total":0.25}}`),
		corpus.Line("compaction", "k2", "k1", `"summary":"again"`, `"firstKeptEntryId":"a2"`, `"tokensBefore":127`, `"usage":{"input":9,"output":1}`),
		corpus.User("u2", "k2", "needle two"),
		corpus.Line("context_edit", "e1", "u2", `"targetId":"a2"`, `"replacement":{"content":"cut"}`),
		corpus.Line("context_edit", "e2", "e1", `"targetId":"gone"`, `"replacement":{"content":"cut"}`),
		answer("b1", "u1", "needle on another branch", `,"usage":{"input":1,"output":1}`),
		corpus.Label("l1", "e2", "u2", "here"), corpus.Label("l2", "l1", "gone", "lost"),
		corpus.Line("session_info", "n1", "l2", `"name":"a needle of a title"`),
		message("h1", "n1", `{"role":"bashExecution","command":"make","output":"done","exitCode":0}`),
	}
	all := func(head string, lines ...string) string { return corpus.Join(append([]string{head}, lines...)...) }
	id := "11111111-0000-7000-8000-000000000001"
	full := all(header(id, `,"parentSession":"before.jsonl"`), body...)
	return map[string]string{
		"full.jsonl":   full,
		"again.jsonl":  all(header("11111111-0000-7000-8000-00000000000a", ""), body[:5]...),
		"fork.jsonl":   all(header("22222222-0000-7000-8000-000000000002", `,"parentSession":"full.jsonl"`), body[:5]...),
		"labels.jsonl": all(header("22222222-0000-7000-8000-000000000003", ""), corpus.User("u1", "", "x"), corpus.Label("l1", "u1", "u1", "here")),
		"bare.jsonl": all(strings.Replace(header("33333333-0000-7000-8000-000000000003", ""), `,"cwd":"/w"`, "", 1),
			`{"type":"message","id":"u1","parentId":null,"timestamp":"x","message":{"role":"user","content":"needle"}}`, strings.Replace(answer("a1", "u1", "a needle", ""), `"timestamp":"2026-01-02T03:04:06.000Z"`, `"timestamp":"x"`, 1),
			`{"id":"x1","parentId":"a1","timestamp":"x","needle":"needle"}`,
			`{"type":"compaction","id":"k1","parentId":"x1","timestamp":"x","summary":"s","firstKeptEntryId":"x1"}`),
		"empty.jsonl":    all(strings.Replace(header("33333333-0000-7000-8000-000000000004", ""), "2026-01-02T03:04:05.000Z", "x", 1)),
		"headed.jsonl":   all(header("ffffffff-0000-7000-8000-00000000000f", "")),
		"titled.jsonl":   all(header("ffffffff-0000-7000-8000-0000000000ff", `,"title":"needle"`)),
		"odd.jsonl":      all(header("cccccccc-0000-7000-8000-00000000000c", ""), corpus.Line("mode_change", "m1", "")),
		"untimed.jsonl":  all(`{"type":"session","version":3,"id":"dddddddd-0000-7000-8000-00000000000d","timestamp":"x"}`, `{"type":"message","id":"a1","parentId":null,"timestamp":"x","message":{"role":"assistant","content":"x","usage":{"input":1}}}`),
		"silent.jsonl":   all(header("eeeeeeee-0000-7000-8000-00000000000e", ""), answer("a1", "", "x", `,"usage":{"input":0,"output":0,"totalTokens":0,"cost":{"total":0}}`)),
		"free.jsonl":     all(header("44444444-0000-7000-8000-000000000004", ""), answer("a1", "", "x", `,"usage":{"input":0,"output":0,"totalTokens":0,"cost":{"total":0,"totalFromProvider":true}}`)),
		"unpriced.jsonl": all(header("55555555-0000-7000-8000-000000000005", ""), answer("a1", "", "x", `,"provider":"nobody","model":"knows","usage":{"input":7,"output":1}`)),
		"priced.jsonl":   all(header("66666666-0000-7000-8000-000000000006", ""), answer("a1", "", "x", said+`}`)),
		"prices.json":    `{"source":"mine","date":"2026-01-01","providers":{"anthropic":{"claude-sonnet-4-5":{"prices":[{"input":1,"output":1}]}}}}`,
		"damaged.jsonl": all(header("77777777-0000-7000-8000-000000000007", ""), corpus.User("u1", "", "x"), "not JSON", corpus.User("u2", "gone", "orphan"),
			`{"type":"message","parentId":"u1","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"no id"}}`, corpus.Label("l1", "u1", "u2", "a label"),
			`{"type":"label","id":"l2","parentId":"l1","timestamp":"x","targetId":"u1","label":"untimed"}`, `{"id":"x2","parentId":"l2"}`),
		"wide.jsonl":   all(header("88888888-0000-7000-8000-000000000008", ""), corpus.User("u1", "", "x"), corpus.Label("l1", "u1", "gone", "l")),
		"secret.jsonl": all(header("99999999-0000-7000-8000-000000000009", ""), corpus.User("u1", "", "redis://:"+"hun"+"ter2@h"), corpus.User("u2", "u1", "ghp_"+"0123456789abcdefghijABCDEFGHIJ012345"), "ghp_"+"0123456789abcdefghijABCDEFGHIJ012346"),
		"more.jsonl":   full + corpus.Join(corpus.User("v1", "h1", "more")),
		"other.jsonl":  strings.Replace(full, "needle two", "another two", 1),
		"base.jsonl":   full,
		"long.jsonl": all(header("aaaaaaaa-0000-7000-8000-00000000000a", ""), corpus.User("u1", "", "one "+strings.Repeat("word ", 200)), answer("a1", "u1", "ok", ""),
			`{"type":"message","id":"u0","parentId":"a1","timestamp":"x","message":{"role":"user","content":"untimed"}}`,
			corpus.User("u2", "u0", "two"), answer("a2", "u2", strings.Repeat("word ", 200), ""), answer("a3", "a2", "done", "")),
		"state.jsonl": all(header("bbbbbbbb-0000-7000-8000-00000000000b", ""), corpus.Line("mode_change", "m1", "", `"mode":"plan"`, `"data":{"a":1}`),
			corpus.Line("service_tier_change", "m2", "m1", `"serviceTier":"flex"`), corpus.Line("thinking_level_change", "m3", "m2", `"thinkingLevel":"high"`),
			corpus.Line("model_change", "m4", "m3", `"provider":"p"`, `"modelId":"m"`)),
		"chat.json": `[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}]},{"role":"assistant","content":"x"}]`,
	}
}
