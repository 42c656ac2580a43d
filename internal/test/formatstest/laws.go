package formatstest

import (
	_ "embed"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

// A Corpus is what [Laws] are tried on.
type Corpus struct {
	Sources map[string]string // the bytes of files of the format, by what they are called here
	File    string            // the base name of such a file, "" for one that says nothing

	Lines bool // a source is JSON lines
	Whole bool // a part of a source is none
	Text  bool // every byte of a source is text
	Lax   bool // sources lack what sessions have
	Held  int  // how many entries are added together, if more than three; a cut may change them

	// Version returns the version to export a source for; nil is the default of the format.
	Version func(name string) string

	// Same returns what of a source and its export is the same; nil is all.
	Same func(text string) string

	// Database says that a source is a database, whose bytes mean nothing by themselves.
	Database bool

	// Blocks are the types that objects in an export may have; nil is any.
	Blocks []string

	// Usage returns the tokens of input and of output that a source counts; nil asks nothing.
	Usage func(source string) (input, output int64)

	// IDs find the ids of messages, parts and calls: each in the only group of a match.
	IDs []*regexp.Regexp

	// Faults are laws known to be broken, as "law" or "law/source", and why. One that holds
	// is an error, so that the list shrinks.
	Faults map[string]string
}

// Laws holds a format to what every format keeps to. Each law is a subtest for each source, of which a third is drawn. With
// -short one source is read and exported: the race detector is after goroutines, takes six times as long, and finds no more in
// damage.
func Laws(t *testing.T, f formats.Format, c Corpus) {
	t.Helper()
	laws := map[string]func(t testing.TB){}
	run := func(name string, try func(t testing.TB)) { laws[name] = try }
	first := ""
	if len(c.Sources) > 0 {
		first = slices.Min(slices.Collect(maps.Keys(c.Sources)))
	}
	for name := range c.Sources {
		if testing.Short() && name != first {
			continue
		}
		if testing.Short() {
			run("read twice and listed/"+name, func(t testing.TB) { listed(t, f, c, name) })
			run("there and back/"+name, func(t testing.TB) { thereAndBack(t, f, c, name) })
			continue
		}
		for law, try := range map[string]func(testing.TB, formats.Format, Corpus, string){
			"read twice and listed": listed, "there and back": thereAndBack, "one text edited": edited, "cut": cut,
			"changed bytes": changed, "usage counts once": counted, "repeated ids": repeated, "ends of lines": ends,
			"a new member of a usage is told": world, "without what is kept": unkept, "what was used alone": Used, "a reply answers somebody": Answers,
		} {
			run(law+"/"+name, func(t testing.TB) { try(t, f, c, name) })
		}
		if f.About().Grows && c.Lines {
			run("growth is appending/"+name, func(t testing.TB) { Grows(t, f, c, name) })
			run("collected at any time/"+name, func(t testing.TB) { Collected(t, f, c, name) })
		}
		for how := range strange {
			if !c.Database && (c.Lines || how == "a byte order mark" || how == "CRLF" || how == "invalid UTF-8" && !c.Text) {
				run(how+"/"+name, func(t testing.TB) { strangeBytes(t, f, c, name, how) })
			}
		}
	}
	for line := range strings.Lines(kindLines) {
		if kind := js.Value(strings.TrimSpace(line)); !f.About().ReadOnly {
			run("kind "+kind.Get("name").Str(), func(t testing.TB) { known(t, f, c, kind) })
		}
	}
	for name := range c.Faults {
		if laws[name] == nil && !testing.Short() {
			t.Errorf("no law is called %q", name)
		}
	}
	names := slices.Sorted(maps.Keys(laws))
	if !testing.Short() {
		names = drawn.Third(t, names)
	}
	for _, name := range names {
		t.Run(strings.ReplaceAll(name, "/", ": "), func(t *testing.T) {
			t.Parallel()
			said := tried(t, laws[name])
			why, known := c.Faults[name]
			if known && len(said) == 0 {
				t.Errorf("it holds, and is listed as broken: %s", why)
			}
			for i := 0; i < len(said) && !known; i++ {
				t.Error(said[i])
			}
		})
	}
}

// A trial is a test that remembers what fails.
type trial struct {
	testing.TB
	said []string
}

type stopped struct{}

func (r *trial) Error(args ...any) { r.said = append(r.said, fmt.Sprint(args...)) }
func (r *trial) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}
func (r *trial) Fatal(args ...any)                 { r.Error(args...); panic(stopped{}) }
func (r *trial) Fatalf(format string, args ...any) { r.Errorf(format, args...); panic(stopped{}) }

// tried returns what failed.
func tried(t testing.TB, try func(testing.TB)) []string {
	r := &trial{TB: t}
	func() {
		defer func() {
			if v := recover(); v != nil && v != (stopped{}) {
				panic(v)
			}
		}()
		try(r)
	}()
	return r.said
}

// file puts a source into a file, which is as old as any other.
func (c Corpus) file(t testing.TB, text string) *formats.Source {
	t.Helper()
	name := c.File
	if name == "" {
		name = "source"
	}
	path := File(t, name, text)
	if err := os.Chtimes(path, time.Time{}, time.UnixMilli(1767323045000)); err != nil {
		t.Fatal(err)
	}
	return &formats.Source{Path: path, Env: formats.Env{Getenv: func(string) string { return "" }}}
}

// back returns what sessions become when they are exported, and what is lost.
func (c Corpus) back(t testing.TB, f formats.Format, name string, sessions ...*session.Session) (text string, losses []formats.Loss) {
	t.Helper()
	version := ""
	if c.Version != nil {
		version = c.Version(name)
	}
	for _, s := range sessions {
		out, lost := Export(t, f, s, version)
		text, losses = text+out, append(losses, lost...)
	}
	return text, losses
}

func (c Corpus) same(text string) string {
	if c.Same == nil {
		return text
	}
	return c.Same(text)
}

// said returns what the entries of sessions say: all but their ids, and what is kept for an
// export.
func said(t testing.TB, results []Result) (out []string) {
	t.Helper()
	for _, r := range results {
		for _, e := range r.Session(t).Entries {
			if e.IsAside() {
				continue
			}
			v := js.Value(e.Raw())
			for _, name := range []string{"id", "parentId", session.MemberKept, "firstKeptEntryId", "targetId", "fromId"} {
				v = v.Without(name)
			}
			out = append(out, string(v))
		}
	}
	return out
}

func losses(results []Result) (out []formats.Loss) {
	for _, r := range results {
		out = append(out, r.Losses...)
	}
	return out
}

// listed: what the list says of a session is what reading it gives.
func listed(t testing.TB, f formats.Format, c Corpus, name string) {
	for _, r := range Import(t, f, c.file(t, c.Sources[name]), c.Lax) {
		got, err := session.ScanInfo(strings.NewReader(r.Text()))
		if err != nil {
			t.Fatal(err)
		}
		want := r.Info.Info
		got.Origin.Harness = want.Origin.Harness // a listing is of one agent, and need not tell it by kept lines
		if !want.Exact {
			t.Errorf("%s: the counts of a listing with details are not exact", got.ID)
		}
		if want.Modified = got.Modified; !reflect.DeepEqual(want, got) { // a file may say better when it was changed
			t.Errorf("listed as\n%+v\nand read as\n%+v", want, got)
		}
	}
}

// thereAndBack: an export of what was imported is the source.
func thereAndBack(t testing.TB, f formats.Format, c Corpus, name string) {
	if f.About().ReadOnly {
		return
	}
	src := c.file(t, c.Sources[name])
	got, lost := c.back(t, f, name, Sessions(t, Import(t, f, src, true))...)
	if got, want := c.same(got), c.same(c.Sources[name]); got != want || len(lost) > 0 {
		t.Errorf("it came back otherwise, %v: %s", lost, difference(want, got))
	}
}

// ends: the lines of an export end as those of the source, and the mark in front of them comes back, where a format keeps
// lines.
func ends(t testing.TB, f formats.Format, c Corpus, name string) {
	if f.About().ReadOnly || !c.Lines {
		return
	}
	whole := Import(t, f, c.file(t, c.Sources[name]), true)
	if !slices.ContainsFunc(whole, func(r Result) bool { return strings.Contains(r.Text(), `"`+session.MemberKept+`":{"`) }) {
		return
	}
	plain, _ := c.back(t, f, name, Sessions(t, whole)...)
	for _, how := range []string{"CRLF", "a byte order mark"} {
		results := Import(t, f, c.file(t, strange[how](c.Sources[name], "")), true)
		got, _ := c.back(t, f, name, Sessions(t, results)...)
		if want := strange[how](plain, ""); got != want {
			t.Errorf("%s: it came back otherwise: %s", how, difference(want, got))
		}
	}
}

// unkept: a session without the lines that are kept has the same entries.
func unkept(t testing.TB, f formats.Format, c Corpus, name string) {
	src := c.file(t, c.Sources[name])
	results := Import(t, f, src, true)
	a, err := f.Open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, a)
	for _, r := range results {
		got, err := read(t.Context(), f, a, r.Info, func(b *formats.Builder) { b.Unkept = true })
		if err != nil {
			t.Fatal(err)
		}
		var want Result
		for _, line := range r.Lines {
			want.Lines = append(want.Lines, string(js.Value(line).Without(session.MemberKept)))
		}
		if want.Text() != got.Text() {
			t.Errorf("%s", difference(want.Text(), got.Text()))
		}
	}
}

// Answers holds a source to the law that no reply stands in front of all that was asked, unless something of the source is told to be lost.
func Answers(t testing.TB, f formats.Format, c Corpus, name string) {
	for _, r := range Import(t, f, c.file(t, c.Sources[name]), true) {
		for _, m := range Shown(r.Session(t)) {
			if role := m.Role(); role == session.RoleAssistant && len(r.Losses) == 0 && strings.TrimSpace(m.Text("")) != "" {
				t.Errorf("%s: nobody asked for the reply %.80q", r.Info.ID, m.Text(""))
			} else if role != session.RoleAssistant && role != session.RoleSystem && role != session.RoleDeveloper {
				break
			}
		}
	}
}

// Used holds a source to a law: a reader that adds up finds the same, and is told of the same damage.
func Used(t testing.TB, f formats.Format, c Corpus, name string) {
	source := c.Sources[name]
	for _, text := range []string{source, source[:len(source)-len(source)/7], source + source} {
		UsedIn(t, f, c.file(t, text))
	}
}

// UsedIn is [Used] of a source that may be damaged.
func UsedIn(t T, f formats.Format, src *formats.Source) {
	a, err := f.Open(t.Context(), src)
	if err != nil {
		return
	}
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			continue
		}
		want, wantErr := read(t.Context(), f, a, info, func(*formats.Builder) {})
		got, err := read(t.Context(), f, a, info, func(b *formats.Builder) { b.UsageOnly = true })
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%s: %v, and with what was used alone %v", info.ID, wantErr, err)
		}
		if want, got := usages(want), usages(got); want != got {
			t.Errorf("%s: %s", info.ID, difference(want, got))
		}
	}
	closed(t, a)
}

// usages are the entries of a session that have a usage, without what they say and where they hang, and what of it is damaged.
func usages(r Result) string {
	var out strings.Builder
	for _, line := range r.Lines {
		v := js.Value(line)
		if v.Get("usage") != "" || v.Get("message", "usage") != "" {
			out.WriteString(string(v.Without("parentId", session.MemberKept, "message")) + string(v.Get("message").Without("content")) + "\n")
		}
	}
	for _, l := range r.Losses {
		if l.Kind == formats.KindDamage || l.Orphan() {
			out.WriteString(l.String() + "\n")
		}
	}
	return out.String()
}

// difference shows where two texts part.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("line %d of %d and %d\nwant %.2000q\ngot  %.2000q", i+1, len(a), len(b), a[i:min(i+2, len(a))], b[i:min(i+2, len(b))])
}

// plainText is what is written in the same way in every format.
var plainText = regexp.MustCompile(`"text":"([A-Za-z0-9][A-Za-z0-9 .?']{3,}[A-Za-z0-9.?])"`)

// texts returns some texts of a session that stand nowhere in it but alone.
func texts(text string) (out []string) {
	for _, m := range plainText.FindAllStringSubmatch(text, -1) {
		if alone := strings.Count(text, `"`+m[1]+`"`); alone == strings.Count(text, m[1]) && !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out[:min(len(out), 6)]
}

// edited: who edits a text in a session has edited that text in the export, and nothing else.
func edited(t testing.TB, f formats.Format, c Corpus, name string) {
	if f.About().ReadOnly {
		return
	}
	results := Import(t, f, c.file(t, c.Sources[name]), true)
	before, lost := c.back(t, f, name, Sessions(t, results)...)
	for i, r := range results {
		for _, text := range texts(r.Text()) {
			if !strings.Contains(before, text) {
				continue // an importer said it
			}
			other := strings.Repeat("Z", len(text))
			sessions := Sessions(t, results)
			sessions[i] = Parse(t, strings.ReplaceAll(r.Text(), `"`+text+`"`, `"`+other+`"`))
			after, now := c.back(t, f, name, sessions...)
			if want := strings.ReplaceAll(before, text, other); after != want || len(now) != len(lost) {
				t.Errorf("%q was edited, %v: %s", text, now, difference(want, after))
			}
		}
	}
}

// cut: a part of a source is read as far as it goes, or refused; its entries are the first of
// the whole's, but for those of its last message.
func cut(t testing.TB, f formats.Format, c Corpus, name string) {
	source := c.Sources[name]
	whole, err := TryAll(t.Context(), f, c.file(t, source))
	if err != nil {
		t.Fatal(err)
	}
	want := said(t, whole)
	for _, at := range cuts(source) {
		src := c.file(t, source[:at])
		part, err := TryAll(t.Context(), f, src)
		if err != nil {
			if !strings.Contains(err.Error(), src.Path) || !c.Whole && len(said(t, part)) > 0 {
				t.Errorf("cut at %d: %v", at, err)
			}
			continue
		}
		got := said(t, part)
		same := 0
		for same < min(len(got), len(want)) && got[same] == want[same] {
			same++
		}
		if len(got)-same > max(3, c.Held) {
			t.Errorf("cut at %d: %d of %d entries are the first of the whole's, then\n%.1500s\nwant\n%.1500s", at, same, len(got), got[same], want[min(same, len(want)-1)])
		}
		if torn := strings.TrimSpace(source[strings.LastIndexByte(source[:at], '\n')+1 : at]); c.Lines && torn != "" && !js.Valid([]byte(torn)) && len(losses(part)) == 0 {
			t.Errorf("cut at %d: nothing is told of a torn line", at)
		}
	}
}

// cuts returns places to cut a source at: ends of lines, and others.
func cuts(source string) (out []int) {
	for i := range len(source) {
		if source[i] == '\n' {
			out = append(out, i, i+1)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	out = out[:min(len(out), 12)]
	for range 6 {
		out = append(out, random.IntN(len(source)))
	}
	return out
}

// changed: a source with other bytes in it is read, or refused by its name.
func changed(t testing.TB, f formats.Format, c Corpus, name string) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 25 {
		data := []byte(c.Sources[name])
		for range 1 + random.IntN(8) {
			at := random.IntN(len(data))
			if random.IntN(2) == 0 {
				at = min(at/4096*4096+random.IntN(120), len(data)-1) // where pages of databases have their headers
			}
			data[at] = byte(random.Uint32())
		}
		src := c.file(t, string(data))
		if _, err := Twice(t, f, src); err != nil && !strings.Contains(err.Error(), src.Path) {
			t.Error(err)
		}
	}
}

// strange are ways to write a source that say nothing else, and whether something is to be told.
var strange = map[string]func(source, text string) string{
	"a byte order mark": func(source, _ string) string { return jsonl.ByteOrderMark + source },
	"CRLF": func(source, _ string) string {
		return strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\n", "\r\n")
	},
	"blank lines":      func(source, _ string) string { return strings.ReplaceAll(source, "\n", "\n\n \n") },
	"no final newline": func(source, _ string) string { return strings.TrimRight(source, "\n") },
	"a torn tail":      func(source, _ string) string { return strings.TrimRight(source, "\n") + "\n" + `{"type":"us` },
	"invalid UTF-8":    func(source, text string) string { return strings.ReplaceAll(source, text, text+"\xff") },
}

// strangeBytes holds a source that is written in another way to saying the same.
func strangeBytes(t testing.TB, f formats.Format, c Corpus, name, how string) {
	whole := Import(t, f, c.file(t, c.Sources[name]), true)
	text := strings.Join(texts(whole[0].Text()), "\n")
	if text, _, _ = strings.Cut(text, "\n"); text == "" && how == "invalid UTF-8" {
		return // there is none to put it into
	}
	got, err := TryAll(t.Context(), f, c.file(t, strange[how](c.Sources[name], text)))
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer("\ufffd", "", "\xff", "", `\r`, "", "\r", "").Replace
	want, now := plain(strings.Join(said(t, whole), "\n")), plain(strings.Join(said(t, got), "\n"))
	if now != want {
		t.Errorf("%v: %s", losses(got), difference(want, now))
	}
	more := len(losses(got)) - len(losses(whole))
	least, most := 0, 0
	switch how {
	case "a torn tail":
		least, most = 1, 1
	case "a byte order mark":
		most = 1
	case "invalid UTF-8": // which is there as it was, or is told wherever it was
		if most = 100; !strings.Contains(got[0].Text(), "\xff") {
			least = 1
		}
	}
	if torn := losses(whole); more < least && len(torn) == 0 || more > most {
		t.Errorf("%d losses more: %v", more, losses(got))
	}
}

// spent sums up the usage of the entries, and counts the messages and the summaries.
func spent(t testing.TB, results []Result) (input, output int64, messages int) {
	t.Helper()
	for _, r := range results {
		for _, e := range r.Session(t).Entries {
			usage := js.Value(e.Get("usage"))
			m, ok := e.Message()
			if ok {
				usage = js.Value(m.Get("usage"))
			}
			if ok || e.Type() == session.TypeCompaction {
				messages++
			}
			input, output = input+usage.Get("input").Int(), output+usage.Get("output").Int()
		}
	}
	return input, output, messages
}

// counterKey is a counter of tokens in a usage, as agents and APIs call it.
var counterKey = regexp.MustCompile(`"(input_tokens|inputTokens|inputOther|promptTokenCount|prompt_tokens|input)"\s*:\s*[0-9]`)

// world: a member that is new in a usage makes the cost of its call unknown, by its name. A cost that was stored is known.
func world(t testing.TB, f formats.Format, c Corpus, name string) {
	source := counterKey.ReplaceAllString(c.Sources[name], `"warp":9,$0`)
	if source == c.Sources[name] || c.Database {
		return
	}
	for _, r := range Import(t, f, c.file(t, source), true) {
		for _, e := range r.Session(t).Entries {
			m, _ := e.Message()
			usage := js.Value(m.Get("usage"))
			paid := usage.Get("cost", "total").Float() > 0
			var price metering.Price
			for name, v := range usage.Members() {
				price.Add(name, v)
			}
			if usage.Get("input").Int() > 0 && !paid && !strings.Contains(price.Unknown, "warp") {
				t.Errorf("nothing is said of a new member of %s", usage)
			}
		}
	}
}

// counted: the usage of a source is that of its entries.
func counted(t testing.TB, f formats.Format, c Corpus, name string) {
	if c.Usage == nil {
		return
	}
	in, out, _ := spent(t, Import(t, f, c.file(t, c.Sources[name]), true))
	if input, output := c.Usage(c.Sources[name]); in != input || out != output {
		t.Errorf("%d tokens of input and %d of output, want %d and %d", in, out, input, output)
	}
}

// repeated: ids that a redactor made alike drop nothing, and count nothing twice.
func repeated(t testing.TB, f formats.Format, c Corpus, name string) {
	source := c.Sources[name]
	results := Import(t, f, c.file(t, source), true)
	input, output, messages := spent(t, results)
	for _, pattern := range c.IDs {
		var ids []string
		for _, m := range pattern.FindAllStringSubmatch(source, -1) {
			if !slices.Contains(ids, m[1]) {
				ids = append(ids, m[1])
			}
		}
		for i := range min(len(ids)-1, 8) {
			alike := strings.NewReplacer(ids[i], "REDACTED", ids[i+1], "REDACTED").Replace(source)
			got := Import(t, f, c.file(t, alike), true)
			if in, out, n := spent(t, got); in != input || out != output || n < messages {
				t.Errorf("%s and %s are one id: %d messages of %d, %d tokens of input and %d of output, want %d and %d, %v", ids[i], ids[i+1], n, messages, in, out, input, output, losses(got))
			}
			if more := len(losses(got)) - len(losses(results)); more > 1 {
				t.Errorf("%s and %s are one id: it is told %d times: %v", ids[i], ids[i+1], more, losses(got))
			}
		}
	}
}

// Kinds of blocks, messages and entries, each as it stands in a session.
//
//go:embed kinds.jsonl
var kindLines string

// mark is what says in each of them, plain and in base64.
var mark = regexp.MustCompile(`MARK|TUFSSw==`)

const kindHead = `{"type":"session","version":3,"id":"019b7ca9-8f2e-7063-834b-74487a82aa03","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}
{"type":"message","id":"u0000001","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"ask","timestamp":1767323046000}}
`

// known: a kind becomes something that the format has, or a loss, and is never gone in silence.
func known(t testing.TB, f formats.Format, c Corpus, kind js.Value) {
	lines := kindHead
	for e := range kind.Get("entries").Elements() {
		lines += string(e) + "\n"
	}
	versions := f.About().Versions
	if len(versions) == 0 {
		versions = []string{""}
	}
	for _, version := range versions {
		c.Version = func(string) string { return version }
		out, lost := c.back(t, f, "", Parse(t, lines))
		without, _ := c.back(t, f, "", Parse(t, kindHead))
		there := mark.MatchString(out) || !mark.MatchString(lines) && out != without // what is no text takes some away
		if !there && len(lost) == 0 {
			t.Errorf("%s: it is gone without a word:\n%s", version, out)
		}
		for line := range strings.Lines(out) {
			foreign(js.Value(strings.TrimSpace(line)), c.Blocks, func(typ string) {
				t.Errorf("%s: a block of type %q:\n%s", version, typ, line)
			})
		}
	}
}

// foreign tells of the types in a value that are none of a list, but for those in arguments.
func foreign(v js.Value, types []string, tell func(string)) {
	switch {
	case types == nil:
	case v.IsArray():
		for e := range v.Elements() {
			foreign(e, types, tell)
		}
	case v.IsObject():
		for name, member := range v.Members() {
			switch typ := member.Str(); {
			case name == "type" && member.IsString() && !slices.Contains(types, typ):
				tell(typ)
			case name != "arguments" && name != "input" && name != session.MemberKept:
				foreign(member, types, tell)
			}
		}
	}
}
