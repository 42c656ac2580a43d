package pi_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/pi"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

var versions = []string{"pi-0.73", "pi-0.87", "pi-1.5", "omp-13", "omp-18"}

// What is exported for any version and imported again means the same: the same
// tree of the same entries, but for members that were added and for a name.
func TestAnyVersionAndBack(t *testing.T) {
	t.Parallel()
	var paths []string
	for _, dir := range []string{"pi/sessions", "pi/genuine", "pi/branches", "omp/13", "omp/18", "omp/edge"} {
		paths = append(paths, corpus.Sessions(t, dir)...)
	}
	for _, path := range paths {
		s, err := session.Read(bytes.NewReader(corpus.Session(t, path)))
		if err != nil {
			continue // not one of ours, which other tests look at
		}
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			cycles := cyclesOf(s)
			for _, version := range versions {
				out, _ := formatstest.Export(t, pi.Pi, s, version)
				back := formatstest.Import(t, pi.Pi, &formats.Source{Stdin: strings.NewReader(out)}, true)[0].Session(t)
				if diff := cmp.Diff(shape(s, version, cycles...), shape(back, version, cycles...)); diff != "" {
					t.Errorf("%s: %s", version, diff)
				}
				again, _ := formatstest.Export(t, pi.Pi, back, version)
				if again != out {
					t.Errorf("%s: exported again, it is not the same: %s", version, cmp.Diff(strings.Split(out, "\n"), strings.Split(again, "\n")))
				}
			}
		})
	}
}

// cyclesOf returns the cycles of parents that walking up meets.
func cyclesOf(s *session.Session) (out []session.Problem) {
	for i := range s.Entries {
		_, problems := s.Path(i)
		for _, p := range problems {
			if p.Kind == session.Cycle {
				out = append(out, p)
			}
		}
	}
	return out
}

// shape is what has to stay of a session: each entry with its type and parent, the
// name, and the text of its messages.
func shape(s *session.Session, version string, cut ...session.Problem) []string {
	out := []string{strings.TrimSpace(s.Name)}
	if strings.HasPrefix(version, "omp-18") {
		out[0] = out[0][:min(len(out[0]), 100)] // a slot is short
	}
	for _, e := range s.Entries {
		switch {
		case e.ID() == "", e.Str("customType") == "omp:title":
			continue
		case e.Type() == session.TypeSessionInfo && e.Str("name") == s.Name:
			continue // it may have been added
		}
		up := e.ParentID()
		if len(cut) > 0 {
			up = "" // a cycle is cut somewhere
		}
		if p, ok := s.Index(up); ok && s.Entries[p].Str("customType") == "omp:title" {
			up = s.Entries[p].ParentID()
		}
		m, _ := e.Message()
		out = append(out, fmt.Sprint(e.Type(), " ", e.ID(), " ", up, " ", m.Role(), " ", m.Text("|"), e.Str("summary")))
	}
	return out
}

const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"

const full = `{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`

// What each version cannot hold, and what is done about it.
func TestVersions(t *testing.T) {
	t.Parallel()
	const base = `"id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z"`
	entry := func(typ, members string) string { return `{"type":"` + typ + `",` + base + `,` + members + `}` }
	tests := []struct {
		name, entry string
		want        map[string]string // version: kind of the loss, then what the line must have
	}{
		{"context_edit", entry("context_edit", `"targetId":"a","replacement":null`), map[string]string{
			"pi-0.73": "context", "pi-0.87": "", "pi-1.5": "", "omp-13": "context", "omp-18": "context",
		}},
		{"usage", entry("usage", `"kind":"x","provider":"p","model":"m","usage":{}`), map[string]string{
			"pi-0.73": "entry", "pi-0.87": "", "pi-1.5": "", "omp-13": "entry", "omp-18": "entry",
		}},
		{"reset", entry("reset_boundary", `"x":1`), map[string]string{
			"pi-0.73": "context", "pi-0.87": "context", "pi-1.5": "context", "omp-13": "context", "omp-18": "",
		}},
		{"system", entry("message", `"message":{"role":"system","content":"x"}`), map[string]string{
			"pi-0.73": "system", "pi-0.87": "", "pi-1.5": "", "omp-13": "system", "omp-18": "system",
		}},
		{"kept system", entry("compaction", `"summary":"s","firstKeptEntryId":"a","tokensBefore":1,"systemMessage":{"role":"system","content":"x"}`), map[string]string{
			"pi-0.73": "system", "pi-0.87": "", "pi-1.5": "", "omp-13": "system", "omp-18": "system",
		}},
		{"keeps none", entry("compaction", `"summary":"s","firstKeptEntryId":"a","tokensBefore":1`), map[string]string{
			"pi-0.73": "", "pi-0.87": "", "pi-1.5": "", "omp-13": "", "omp-18": "",
		}},
		{"developer", entry("message", `"message":{"role":"developer","content":"x"}`), map[string]string{
			"pi-0.73": "role", "pi-0.87": "role", "pi-1.5": "role", "omp-13": "", "omp-18": "",
		}},
		{"half a usage", entry("message", `"message":{"role":"assistant","content":[],"usage":{"input":1,"output":1}}`), map[string]string{
			"pi-0.73": `|"usage":` + full, "pi-0.87": `|"usage":` + full, "omp-13": `|"usage":` + full, "omp-18": `|"usage":` + full,
		}},
		{"odd usage", entry("message", `"message":{"role":"assistant","content":[],"usage":[]}`), map[string]string{
			"pi-0.73": "usage", "omp-18": `usage|"usage":{"input":0`,
		}},
		{"null content", entry("message", `"message":{"role":"user","content":null}`), map[string]string{
			"pi-0.73": `|"content":[]`, "pi-0.87": `|"content":[]`, "omp-13": `|"content":[]`, "omp-18": `|"content":[]`,
		}},
		{"custom message", entry("custom_message", `"customType":"x","display":true`), map[string]string{
			"pi-0.73": `|"content":""`, "pi-0.87": `|"content":""`, "omp-13": `|"content":""`, "omp-18": `|"content":""`,
		}},
		{"no message", entry("message", `"message":null`), map[string]string{
			"pi-0.73": `|"type":"custom","customType":"pi:entry"`, "omp-18": `|"type":"custom","customType":"pi:entry"`,
		}},
		{"omp's model", entry("model_change", `"model":"p/m/x","role":"default"`), map[string]string{
			"pi-0.73": `|"provider":"p","modelId":"m/x"`, "pi-0.87": `|"provider":"p","modelId":"m/x"`, "omp-13": `|"role":"default"}`,
		}},
		{"another model", entry("model_change", `"model":"p/m","role":"smol"`), map[string]string{
			"pi-0.73": `|"pi:entry"`, "pi-0.87": "", "pi-1.5": "", "omp-13": "", "omp-18": "",
		}},
		{"pi's model", entry("model_change", `"provider":"p","modelId":"m"`), map[string]string{
			"pi-0.73": `|"modelId":"m"}`, "omp-13": `|"model":"p/m"`, "omp-18": `|"model":"p/m"`,
		}},
		{"no thinking", entry("thinking_level_change", `"thinkingLevel":null`), map[string]string{
			"pi-0.73": `|"off"`, "pi-0.87": `|"off"`, "omp-13": "|null", "omp-18": "|null",
		}},
		{"max", entry("thinking_level_change", `"thinkingLevel":"max"`), map[string]string{
			"pi-0.73": `thinking|"xhigh"`, "pi-0.87": `|"max"`,
		}},
		{"by an extension", entry("branch_summary", `"fromId":"root","summary":"s","fromExtension":true`), map[string]string{
			"pi-0.73": `|"fromHook":true`, "omp-18": `|"fromExtension":true}`,
		}},
		{"by a hook", entry("branch_summary", `"fromId":"root","summary":"s","fromHook":true`), map[string]string{
			"pi-0.73": `|"fromHook":true}`, "omp-13": `|"fromExtension":true`,
		}},
		{"rules", entry("ttsr_injection", `"injectedRules":"x"`), map[string]string{
			"omp-13": `|"pi:entry"`, "omp-18": `|"pi:entry"`, "pi-0.73": "entry",
		}},
		{"tiers", entry("service_tier_change", `"serviceTier":{"openai":"flex"}`), map[string]string{
			"omp-13": `entry|"pi:entry"`, "omp-18": "", "pi-0.87": "entry", "pi-1.5": "entry",
		}},
		{"blob", entry("message", `"message":{"role":"user","content":[{"type":"image","data":"blob:sha256:x","mimeType":"image/png"}]}`), map[string]string{
			"pi-0.73": "blob", "pi-0.87": "blob", "pi-1.5": "blob", "omp-13": "", "omp-18": "",
		}},
		{"self", `{"type":"label","id":"a","parentId":"a","timestamp":"2026-01-02T03:04:06.000Z","targetId":"a"}`, map[string]string{
			"pi-0.73": `tree|"parentId":null`, "omp-13": `tree|"parentId":null`,
		}},
		{"no id", `{"type":"label","parentId":null,"targetId":"a"}`, map[string]string{"pi-0.73": "tree", "omp-18": "tree"}},
		{"unknown", entry("poem", `"x":1`), map[string]string{"pi-0.73": `entry|"type":"poem"`, "omp-18": `entry|"type":"poem"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := formatstest.Parse(t, header+tt.entry+"\n")
			for version, want := range tt.want {
				kind, text, _ := strings.Cut(want, "|")
				out, losses := formatstest.Export(t, pi.Omp, s, version)
				var kinds []string
				for _, l := range losses {
					kinds = append(kinds, l.Kind)
				}
				if got := strings.Join(kinds, " "); got != kind {
					t.Errorf("%s: lost %q, want %q: %v", version, got, kind, losses)
				}
				if !strings.Contains(out, text) {
					t.Errorf("%s: no %s in %s", version, text, out)
				}
				if kind == "" && text == "" && !strings.Contains(out, tt.entry) {
					t.Errorf("%s: changed to %s", version, out)
				}
			}
		})
	}
}

// The name stands where each version looks for it.
func TestName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 200)
	for _, name := range []string{"x", long} {
		s := formatstest.Parse(t, strings.Replace(header, `"cwd"`, `"title":"`+name+`","cwd"`, 1))
		for version, want := range map[string]string{
			"pi-0.73": `"name":"` + name + `"}`, "pi-0.87": `"name":"` + name + `"}`, "omp-13": `"title":"` + name + `"`,
			"omp-18": `{"type":"title","v":1,"title":"` + name[:min(len(name), 80)],
		} {
			out, losses := formatstest.Export(t, pi.Omp, s, version)
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %s in %s", version, want, out)
			}
			if cut := version == "omp-18" && name == long; cut != (len(losses) > 0) {
				t.Errorf("%s: %v", version, losses)
			}
			if line, _, _ := strings.Cut(out, "\n"); version == "omp-18" && len(line) != 255 {
				t.Errorf("a slot of %d bytes", len(line))
			}
		}
	}
}

// A session that went on after it was imported gets its title slot back, and its
// entries hang together.
func TestContinued(t *testing.T) {
	t.Parallel()
	paths := corpus.Sessions(t, "omp/18/branches")
	data := corpus.Session(t, paths[0])
	imported := formatstest.Import(t, pi.Omp, &formats.Source{Stdin: bytes.NewReader(data)}, false)[0]
	s := imported.Session(t)
	leaf, _ := s.Leaf()
	more := fmt.Sprintf(`{"type":"message","id":"next","parentId":%q,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"on","timestamp":1}}`, s.Entries[leaf].ID())
	keeps := `{"type":"compaction","id":"c","parentId":"next","timestamp":"2026-01-02T03:04:06.000Z","summary":"s","firstKeptEntryId":"` + s.Entries[leaf].ID() + `","tokensBefore":1}`
	s = formatstest.Parse(t, imported.Text()+more+"\n"+keeps+"\n")
	out, losses := formatstest.Export(t, pi.Omp, s, "omp-18")
	rest, ok := strings.CutPrefix(out, string(data))
	back, err := session.Read(strings.NewReader(out))
	if !ok || err != nil || len(losses) > 0 || len(back.Problems) > 0 || !strings.Contains(rest, `"firstKeptEntryId":"next"`) {
		t.Errorf("%v, %v, %v: %s", err, losses, back.Problems, rest)
	}
	leaf, _ = back.Leaf()
	if path, problems := back.Path(leaf); len(path) < 4 || len(problems) > 0 {
		t.Errorf("a path of %d entries, %v", len(path), problems)
	}
}

// A header that has changed since it was imported stays as it is.
func TestMoved(t *testing.T) {
	t.Parallel()
	data := corpus.Session(t, corpus.Sessions(t, "omp/18/state")[0])
	imported := formatstest.Import(t, pi.Omp, &formats.Source{Stdin: bytes.NewReader(data)}, false)[0]
	header, rest, _ := strings.Cut(imported.Text(), "\n")
	h, err := session.ParseEntry(header)
	if err != nil {
		t.Fatal(err)
	}
	s := formatstest.Parse(t, h.WithRaw("cwd", `"/elsewhere"`).Raw()+"\n"+rest)
	out, _ := formatstest.Export(t, pi.Omp, s, "omp-18")
	if !strings.HasPrefix(out, `{"type":"title"`) || strings.Count(out, `"cwd":"/elsewhere"`) != 1 {
		t.Errorf("got %.600s", out)
	}
}

// An entry that was wrapped comes out with the parent that its wrapping has got
// since.
func TestWrapped(t *testing.T) {
	t.Parallel()
	const inner = `{"type":"poem","id":"a","parentId":"old","timestamp":"2026-01-02T03:04:06.000Z","x":1.0}`
	for line, want := range map[string]string{
		`{"type":"custom","customType":"pi:entry","data":` + inner + `,"id":"a","parentId":"old"}`: inner,
		`{"type":"custom","customType":"pi:entry","data":` + inner + `,"id":"a","parentId":"new"}`: strings.Replace(inner, "old", "new", 1),
		`{"type":"custom","customType":"pi:entry","data":` + inner + `,"id":"b","parentId":"old"}`: "",
		`{"type":"custom","customType":"pi:entry","data":7,"id":"a","parentId":"old"}`:             "",
	} {
		if want == "" {
			want = line
		}
		got := formatstest.Import(t, pi.Pi, &formats.Source{Stdin: strings.NewReader(header + line + "\n")}, true)[0]
		if got.Text() != header+want+"\n" {
			t.Errorf("%s\nbecame %s", line, got.Text())
		}
	}
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	data := corpus.Session(t, corpus.Sessions(t, "omp/18/images")[0])
	with := formatstest.Import(t, pi.Omp, &formats.Source{Stdin: bytes.NewReader(data), Blobs: filepath.Join(corpus.Dir(), "omp", "blobs")}, false)[0]
	without := formatstest.Import(t, pi.Omp, &formats.Source{Stdin: bytes.NewReader(data)}, false)[0]
	kinds := func(r formatstest.Result) []string {
		var out []string
		for _, l := range r.Losses {
			out = append(out, l.Kind)
		}
		return slices.Compact(out)
	}
	if !slices.Equal(kinds(without), []string{formats.KindBlob}) || !strings.Contains(without.Text(), "blob:sha256:") {
		t.Errorf("without: %v", without.Losses)
	}
	if len(with.Losses) >= len(without.Losses) || len(with.Text()) <= len(without.Text()) {
		t.Errorf("with: %v", with.Losses)
	}
}

// A store is read as a directory; a file in it that is no session hides no other.
func TestStore(t *testing.T) {
	t.Parallel()
	agent := t.TempDir()
	dir := filepath.Join(agent, "sessions", "--w--")
	for name, text := range map[string]string{"a.jsonl": header, "b.jsonl": strings.Replace(header, `"s"`, `"t"`, 1), "bad.jsonl": "hello\n", "empty.jsonl": ""} {
		formatstest.Put(t, filepath.Join(dir, name), text)
	}
	home, err := pi.Pi.About().Home(formats.Env{Getenv: func(name string) string {
		return map[string]string{"PI_CODING_AGENT_DIR": agent}[name]
	}})
	if err != nil || home != filepath.Join(agent, "sessions") {
		t.Fatalf("%s, %v", home, err)
	}
	a := formatstest.Open(t, pi.Pi, &formats.Source{Path: home})
	var got []string
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			if !strings.HasPrefix(err.Error(), info.Path) || info.Path == "" {
				t.Errorf("%s: %v", info.Path, err)
			}
			got = append(got, "!")
			continue
		}
		got = append(got, info.ID)
		formatstest.Read(t, pi.Pi, a, info)
	}
	if slices.Sort(got); !slices.Equal(got, []string{"!", "!", "s", "t"}) {
		t.Errorf("got %q", got)
	}
}

func TestHome(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "omp"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"set": `{"sessionDir":"~/mine"}`, "other": `{"sessionDir":["x"]}`, "broken": `{"sessionDir":"/`} {
		formatstest.Put(t, filepath.Join(data, name, "settings.json"), text)
	}
	for _, tt := range []struct {
		format formats.Format
		env    map[string]string
		want   string
	}{
		{pi.Pi, nil, "/h/.pi/agent/sessions"},
		{pi.Pi, map[string]string{"PI_CODING_AGENT_DIR": "~/x"}, "/h/x/sessions"},
		{pi.Pi, map[string]string{"PI_CODING_AGENT_SESSION_DIR": "/y", "PI_CODING_AGENT_DIR": "/x"}, "/y"},
		{pi.Pi, map[string]string{"PI_CODING_AGENT_DIR": data + "/set"}, "/h/mine"},
		{pi.Pi, map[string]string{"PI_CODING_AGENT_DIR": data + "/set", "PI_CODING_AGENT_SESSION_DIR": "/y"}, "/y"},
		{pi.Pi, map[string]string{"PI_CODING_AGENT_DIR": data + "/other"}, data + "/other/sessions"},
		{pi.Pi, map[string]string{"PI_CODING_AGENT_DIR": data + "/broken"}, data + "/broken/sessions"},
		{pi.Omp, nil, "/h/.omp/agent/sessions"},
		{pi.Omp, map[string]string{"PI_CODING_AGENT_DIR": "/x", "OMP_PROFILE": "p"}, "/x/sessions"},
		{pi.Omp, map[string]string{"PI_CONFIG_DIR": ".o"}, "/h/.o/agent/sessions"},
		{pi.Omp, map[string]string{"OMP_PROFILE": "p", "XDG_DATA_HOME": data}, "/h/.omp/profiles/p/agent/sessions"},
		{pi.Omp, map[string]string{"XDG_DATA_HOME": data}, data + "/omp/sessions"},
		{pi.Omp, map[string]string{"XDG_DATA_HOME": "/nowhere"}, "/h/.omp/agent/sessions"},
	} {
		got, err := tt.format.About().Home(formats.Env{Home: "/h", Getenv: func(name string) string { return tt.env[name] }})
		if err != nil || filepath.ToSlash(got) != tt.want {
			t.Errorf("%v: got %s, %v, want %s", tt.env, got, err, tt.want)
		}
	}
	if _, err := pi.Pi.About().Home(formats.Env{Getenv: func(string) string { return "" }}); err == nil {
		t.Error("no home, and no error")
	}
}

func FuzzPi(f *testing.F) {
	for _, dir := range []string{"omp/edge", "omp/damaged", "pi/sessions"} {
		for _, path := range corpus.Sessions(f, dir) {
			if data := corpus.Session(f, path); len(data) < 20_000 {
				f.Add(data, byte(len(data)))
			}
		}
	}
	// Laws: what reads as a session is imported, the same twice; whatever version it
	// is exported for can be imported again, with no cycle of parents in it, and then
	// exports to the same bytes.
	f.Fuzz(func(t *testing.T, data []byte, which byte) {
		if _, err := session.Read(bytes.NewReader(data)); err != nil {
			t.Skip()
		}
		s := formatstest.Import(t, pi.Pi, &formats.Source{Stdin: bytes.NewReader(data)}, true)[0].Session(t)
		version := versions[int(which)%len(versions)]
		out, _ := formatstest.Export(t, pi.Pi, s, version)
		back := formatstest.Import(t, pi.Pi, &formats.Source{Stdin: strings.NewReader(out)}, true)[0].Session(t)
		for i := range back.Entries {
			steps := 0
			for at, ok := i, true; ok; at, ok = back.Parent(at) {
				if steps++; steps > len(back.Entries) {
					t.Fatalf("%s: a cycle in %s", version, out)
				}
			}
		}
		if again, _ := formatstest.Export(t, pi.Pi, back, version); again != out {
			t.Errorf("%s: first\n%s\nthen\n%s", version, out, again)
		}
	})
}
