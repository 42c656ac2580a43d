package jqmap_test

import (
	"cmp"
	"fmt"
	goformat "go/format"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/agent"
	"github.com/sess-tools/sess/pkg/js"
)

// format returns an embedded map.
func format(t testing.TB, name string) formats.Format {
	t.Helper()
	f, ok := formats.Lookup(jqmap.Embedded(), name)
	if !ok {
		t.Fatalf("no map %s", name)
	}
	return f
}

// stored returns the sessions that the real program wrote while it was recorded, by scenario.
func stored(t testing.TB, program string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, data := range corpus.Golden(t, "streams/"+program) {
		if scenario, file, _ := strings.Cut(name, "/"); file == "stored" && len(data) > 0 {
			out[scenario] = string(data)
		}
	}
	if len(out) == 0 {
		t.Fatalf("no sessions of %s", program)
	}
	return out
}

// samples returns the sources in testdata that show what no recording has, by their names: those of a database are made of statements.
func samples(t testing.TB, name string) map[string]string {
	t.Helper()
	out := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(corpus.Dir(), "agents", name, "*"))
	must.Do(t, err)
	for _, path := range paths {
		text, ext := must.Read(t, path), filepath.Ext(path)
		if ext == ".sql" {
			text = must.Read(t, formatstest.Database(t, text))
		}
		out[strings.TrimSuffix(filepath.Base(path), ext)] = text
	}
	return out
}

// bases are what the file of a session is called, of agents whose maps read a name.
var bases = map[string]string{
	"cline": "s1/s1.messages.json", "roo": "1793613600000/api_conversation_history.json", "vibe": "session_20261102/messages.jsonl", "crush": ".crush/crush.db",
	"antigravity": "brain/s1/.system_generated/logs/transcript.jsonl",
}

// base returns what the file of a session of an agent may be called.
func base(name string) string { return cmp.Or(bases[name], "events.jsonl") }

// read reads a session of lines.
func read(t testing.TB, f formats.Format, base string, lines ...string) formatstest.Result {
	t.Helper()
	return formatstest.One(t, f, &formats.Source{Path: formatstest.File(t, base, corpus.Join(lines...))})
}

// outline returns the entries of a session: what they are, what they say, and behind which they stand.
func outline(t testing.TB, r formatstest.Result) (out []string) {
	t.Helper()
	for _, e := range r.Session(t).Entries {
		what := e.Type()
		if m, ok := e.Message(); ok {
			what = m.Role() + " " + m.Text("|")
			for _, c := range m.ToolCalls() {
				what += "(" + c.ID + " " + c.Name + ")"
			}
			if id := m.Str("toolCallId"); id != "" {
				what += "(" + id + " " + m.Str("toolName") + ")"
			}
		}
		for _, name := range []string{"customType", "summary", "name"} {
			if text := e.Str(name); text != "" {
				what += " " + text
			}
		}
		out = append(out, fmt.Sprintf("%s: %s < %s", e.ID(), strings.TrimSpace(what), e.ParentID()))
	}
	return out
}

func want(t testing.TB, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// kinds returns the kinds of the losses of a session.
func kinds(r formatstest.Result) (out []string) {
	for _, l := range r.Losses {
		out = append(out, l.Kind)
	}
	return out
}

// areLines reports whether sources are JSON Lines, rather than documents or databases.
func areLines(sources map[string]string) bool {
	for _, s := range sources {
		if first, _, _ := strings.Cut(s, "\n"); !js.Valid([]byte(first)) {
			return false
		}
	}
	return true
}

// own returns the embedded maps that are not like another format.
func own() []formats.Format {
	return slices.DeleteFunc(slices.Clone(jqmap.Embedded()), func(f formats.Format) bool {
		a, _ := agent.Named(f.About().Name)
		return a.Like != ""
	})
}

// recorded are the programs of whose sessions there are recordings.
var recorded = map[string]bool{"copilot": true, "gemini": true, "qwen": true}

// TestLaws holds each map to what all formats keep to.
func TestLaws(t *testing.T) {
	t.Parallel()
	for _, f := range own() {
		name := f.About().Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sources := samples(t, name)
			if recorded[name] {
				maps.Copy(sources, stored(t, name))
			}
			formatstest.Laws(t, f, formatstest.Corpus{
				Sources: sources, File: base(name), Lines: areLines(sources), Whole: !areLines(sources), Database: jqmap.IsDatabase(t, f), Usage: usageOf[name],
			})
		})
	}
}

// usageOf sums up what a source counts in all, as the law has it: compactions are among it, and what a
// cache held is not.
var usageOf = map[string]func(source string) (input, output int64){"copilot": copilotUsage, "gemini": geminiUsage, "qwen": qwenUsage, "kimi": kimiUsage}

func copilotUsage(source string) (input, output int64) {
	var total, compactions [2]int64
	add := func(sum *[2]int64, u js.Value) {
		sum[0] += u.Get("inputTokens").Int() - u.Get("cacheReadTokens").Int() - u.Get("cacheWriteTokens").Int()
		sum[1] += u.Get("outputTokens").Int()
	}
	for line := range strings.Lines(source) {
		data := js.Value(strings.TrimSpace(line)).Get("data")
		switch js.Value(strings.TrimSpace(line)).Get("type").Str() {
		case "session.usage_record":
			add(&total, data.Get("usage"))
		case "session.compaction_complete":
			add(&compactions, data.Get("compactionTokensUsed"))
		case "session.shutdown": // counts all runs so far
			var now [2]int64
			for _, metrics := range data.Get("modelMetrics").Members() {
				add(&now, metrics.Get("usage"))
			}
			total = [2]int64{max(total[0], now[0]), max(total[1], now[1])}
		}
	}
	return total[0] + compactions[0], total[1] + compactions[1]
}

// TestTable holds the generated table of package agent to the maps; with -update it writes the table.
func TestTable(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("maps/*.jq")
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	const path = "../../../pkg/agent/table_gen.go"
	table := "// Code generated by go generate ./pkg/agent; DO NOT EDIT.\n\npackage agent\n\nvar embedded = []Agent{\n"
	for _, file := range files {
		text := must.Read(t, file)
		a := jqmap.HeaderAgent(t, file, text)
		if name := strings.TrimSuffix(filepath.Base(file), ".jq"); a.Name != name || a.Program == "" || a.Summary == "" || len(a.Homes) == 0 {
			t.Errorf("%s: the header says %+v", file, a)
		}
		if n := strings.Count(text, "\n"); n > 110 {
			t.Errorf("%s has %d lines", file, n)
		}
		table += tableRow(a)
	}
	made, err := goformat.Source([]byte(table + "}\n"))
	must.Do(t, err)
	if *update {
		must.Do(t, os.WriteFile(path, made, 0o644))
	} else if must.Read(t, path) != string(made) {
		t.Errorf("%s is not what the maps say: go generate ./pkg/agent", path)
	}
}

// tableRow returns the row of an agent in Go: its members that are not empty.
func tableRow(a agent.Agent) string {
	var b strings.Builder
	b.WriteString("{\n")
	v := reflect.ValueOf(a)
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			fmt.Fprintf(&b, "%s: %s,\n", v.Type().Field(i).Name, strings.NewReplacer("agent.Tools{Kind", "{Kind", "agent.", "").Replace(fmt.Sprintf("%#v", f.Interface())))
		}
	}
	return b.String() + "},\n"
}

// TestHome: the variable that is set counts, and else the home directory.
func TestHome(t *testing.T) {
	t.Parallel()
	home := format(t, "copilot").About().Home
	for _, tt := range []struct{ set, user, want string }{
		{"/x", "/home/u", "/x/session-state"},
		{"~/y", "/home/u", "/home/u/y/session-state"},
		{"", "/home/u", "/home/u/.copilot/session-state"},
		{"", "", ""},
	} {
		got, err := home(formats.Env{Getenv: func(name string) string {
			if name != "COPILOT_HOME" {
				return ""
			}
			return tt.set
		}, Home: tt.user})
		if filepath.ToSlash(got) != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%+v: %q, %v", tt, got, err)
		}
	}
}
