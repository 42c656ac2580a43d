package check_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/core/check"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

var good = text(header, user("a", ""), user("b", "a"), user("c", "b"))

var checks = map[string]struct {
	input string
	want  []string
}{
	"good":        {good, nil},
	"header only": {header + "\n", nil},
	"empty":       {"", []string{"0 error empty"}},
	"blank":       {"\n \n", []string{"1 error no-header", "1 note blank-line"}},

	"no final newline": {strings.TrimSuffix(good, "\n"), []string{"4 warning no-final-newline"}},
	"torn tail":        {good + `{"type":"mess`, []string{"5 error torn"}},
	"NUL tail":         {good + "\x00\x00\x00", []string{"5 error nul"}},
	"NUL line":         {text(header, "\x00\x00", user("a", "")), []string{"2 error nul"}},
	"not JSON":         {text(header, "garbage", user("a", "")), []string{"2 error not-json"}},
	"scalar":           {text(header, "42", user("a", "")), []string{"2 error not-object"}},
	"fused":            {text(header, user("a", "")+user("b", "a")), []string{"2 error fused"}},
	"fused, blanks":    {text(header, user("a", "")+spaced(user("b", "a"))), []string{"2 error fused"}},
	"torn and fused":   {text(header, user("a", ""), `{"type":"mess`+user("b", "a")), []string{"3 error fused"}},
	"too deep":         {text(header, user("a", ""), `{"x":`+strings.Repeat("[", 10_001)+strings.Repeat("]", 10_001)+"}"), []string{"3 error too-deep"}},
	"deep enough":      {text(header, `{"type":"custom","id":"a","customType":"x","data":`+strings.Repeat("[", 9_999)+strings.Repeat("]", 9_999)+"}"), nil},
	"deep in a string": {text(header, line("label", "a", "", `"targetId":"a","label":"`+strings.Repeat(`[\"`, 10_001)+`"`)), nil},
	"BOM":              {"\xef\xbb\xbf" + good, []string{"1 warning bom"}},
	"CRLF":             {strings.ReplaceAll(good, "\n", "\r\n"), []string{"1 note carriage-return"}},
	"conflict": {
		text(header, "<<<<<<< HEAD", user("a", ""), "=======", user("b", ""), ">>>>>>> theirs"),
		[]string{"2 error not-json", "2 warning conflict-marker", "4 error not-json", "5 note several-roots b", "5 note several-heads b", "6 error not-json"},
	},
	"no conflict marker": {text(header, "<<<<<<<<", user("a", "")), []string{"2 error not-json"}},
	"one CR":             {text(header, user("a", "")+"\r"), []string{"2 note carriage-return"}},
	"blank lines":        {text("", header, "", " ", user("a", ""), ""), []string{"1 note blank-line", "3 note blank-line", "6 note blank-line"}},
	"invalid UTF-8":      {text(header, line("label", "a", "", "\"targetId\":\"a\",\"label\":\"\xff\"")), []string{"2 warning invalid-utf8 a"}},

	"no header":     {text(user("a", ""), user("b", "x")), []string{"1 error no-header", "2 error missing-parent b", "2 note several-heads b"}},
	"header second": {text(user("a", ""), header, user("b", "a")), []string{"1 error no-header", "2 warning later-header"}},
	"header torn":   {text(header[:40], user("a", ""), "x"), []string{"1 error not-json", "2 error no-header", "3 error not-json"}},
	"later header":  {text(header, user("a", ""), header), []string{"3 warning later-header"}},
	"version 4":     {text(strings.Replace(header, "3", "4", 1), "x", ""), []string{"1 error version", "3 note blank-line"}},
	"pi-agent-core": {`{"kind":"header","version":4}` + "\n", []string{"1 error version"}},
	"version 2":     {text(strings.Replace(header, "3", "2", 1), user("a", "")), []string{"1 note old-version"}},
	"version 1":     {text(`{"type":"session","id":"s"}`, `{"type":"message","message":{}}`), []string{"1 note old-version"}},
	"no id":         {text(header, `{"type":"custom","customType":"x"}`, user("a", "")), []string{"2 error no-id"}},
	"duplicate": {text(header, user("a", ""), user("b", "a"), userAt(7, "a", "")), []string{
		"3 warning parent-after-child b", "4 error duplicate-id a", "4 note dead-end a",
	}},
	"same duplicate":   {text(header, user("a", ""), user("b", "a"), user("b", "a")), []string{"4 warning same-duplicate b"}},
	"three duplicates": {text(header, user("a", ""), user("a", ""), userAt(7, "a", "")), []string{"3 warning same-duplicate a", "4 error duplicate-id a"}},

	"missing parent": {text(header, user("a", ""), user("b", "gone"), user("c", "b")), []string{
		"3 error missing-parent b", "4 note several-heads c",
	}},
	"cycle":      {text(header, user("a", "c"), user("b", "a"), user("c", "b")), []string{"2 error cycle a", "2 warning parent-after-child a"}},
	"own parent": {text(header, user("a", "a")), []string{"2 error cycle a"}},
	"two cycles": {text(header, user("a", "a"), user("b", "c"), user("c", "b")), []string{"2 error cycle a", "3 error cycle b", "3 warning parent-after-child b", "4 note dead-end c"}},
	"into a cycle": {text(header, user("x", "c"), user("b", "c"), user("c", "b")), []string{
		"2 warning parent-after-child x", "3 error cycle b", "3 warning parent-after-child b", "4 note dead-end c",
	}},
	"parent after": {text(header, user("b", "a"), user("a", "")), []string{"2 warning parent-after-child b", "3 note dead-end a"}},
	"roots":        {text(header, user("a", ""), user("b", "")), []string{"3 note several-roots b", "3 note several-heads b"}},
	"branches":     {text(header, user("a", ""), user("b", "a"), userAt(7, "c", "a")), []string{"4 note several-heads c"}},
	"went back": {text(header, user("a", ""), user("b", "a"), user("c", "b"), userAt(7, "d", "a")), []string{
		"5 note several-heads d", "5 note dead-end d",
	}},
	"dead end": {text(header, user("a", ""), user("b", "a"), line("custom", "x", "a", `"customType":"exit"`)), []string{
		"4 warning dead-end x", "4 note several-heads x",
	}},
	"first kept missing": {text(header, user("a", ""), compaction("k", "a", "gone")), []string{"3 error no-first-kept k"}},
	"first kept later":   {text(header, user("a", ""), compaction("k", "a", "b"), user("b", "k")), []string{"3 error no-first-kept k"}},
	"first kept":         {text(header, user("a", ""), compaction("k", "a", "a")), nil},

	"call and result":     {text(header, call("a", "", "c1"), answer("b", "a", "c1")), nil},
	"call without result": {text(header, call("a", "", "c1"), user("b", "a")), []string{"2 note no-result a"}},
	"orphan result":       {text(header, user("a", ""), answer("b", "a", "c1")), []string{"3 warning orphan-result b"}},
	"result before call":  {text(header, answer("a", "", "c1"), call("b", "a", "c1")), []string{"2 warning orphan-result a"}},
	"result on another branch": {text(header, user("a", ""), call("b", "a", "c1"), user("d", "a"), answer("e", "d", "c1")), []string{
		"5 warning orphan-result e", "5 note several-heads e",
	}},
	"label without target": {text(header, user("a", ""), line("label", "l", "a", `"targetId":"x","label":"n"`)), []string{"3 warning no-target l"}},
	"edit without target":  {text(header, user("a", ""), line("context_edit", "l", "a", `"targetId":"x","replacement":null`)), []string{"3 warning no-target l"}},
	"edit without replacement": {
		text(header, user("a", ""), line("context_edit", "l", "a", `"targetId":"a"`), line("context_edit", "m", "l", `"targetId":"a","replacement":"`+strings.Repeat("x", 99)+`"`)),
		[]string{"3 error no-replacement l"},
	},
	"edits":         {text(header, user("a", ""), line("context_edit", "l", "a", `"targetId":"a","replacement":{"content":"`+strings.Repeat("x", 99)+`"}`), line("context_edit", "m", "l", `"targetId":"a","replacement":null`)), nil},
	"unknown block": {text(header, line("message", "a", "", `"message":{"role":"assistant","content":[{"type":"tool_use","id":"c"}]}`)), []string{"2 warning unknown-block a"}},
	"usage of a reply again": {
		text(header, said("a", "", "msg_1", 5), said("b", "a", "msg_1", 5), said("c", "b", "msg_2", 5), said("d", "c", "msg_1", 6), said("e", "d", "msg_1", 0), said("f", "e", "msg_1", 0)),
		[]string{"3 warning repeated-usage b"},
	},
	"time backward": {text(header, lineAt(9, "custom", "a", "", `"customType":"x"`), lineAt(8, "custom", "b", "a", `"customType":"x"`)), []string{"3 note time-backward b"}},
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, tt := range checks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := append([]string{}, tt.want...)
			if diff := cmp.Diff(want, findings(t, tt.input, check.Options{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Every kind has a severity that somebody chose: a kind without one would be a
// note.
func TestEveryKindIsMet(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	for _, tt := range checks {
		for _, f := range tt.want {
			met[strings.Fields(f)[2]] = true
		}
	}
	for _, kind := range check.Kinds() {
		elsewhere := []string{"wide-mode", "blob-missing", "blob-hash"}
		if !met[string(kind)] && !slices.Contains(elsewhere, string(kind)) {
			t.Errorf("no test meets %s", kind)
		}
		delete(met, string(kind))
	}
	for kind := range met {
		t.Errorf("%s has no severity", kind)
	}
}

func TestReadError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, before := range []string{"", header[:10], good, "x\n" + user("a", "") + "\n", `{"kind":"header","version":4}` + "\n"} {
		r := io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken))
		if found, err := check.Check(r, check.Options{}); !errors.Is(err, broken) {
			t.Errorf("%.20q: %v, %v", before, found, err)
		}
		r = io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken))
		if _, err := check.Repair(r, check.RepairOptions{Header: makeHeader}); !errors.Is(err, broken) && !strings.HasPrefix(before, `{"kind`) {
			t.Errorf("%.20q: repair: %v", before, err)
		}
	}
}

// However the input comes, the findings are the same.
func TestCheckReaders(t *testing.T) {
	t.Parallel()
	for name, tt := range checks {
		a, err := check.Check(strings.NewReader(tt.input), check.Options{})
		must.Do(t, err)
		b, err := check.Check(iotest.HalfReader(strings.NewReader(tt.input)), check.Options{})
		if diff := cmp.Diff(a, b); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	bytesOf := map[string]string{}
	name := func(data string) string {
		sum := sha256.Sum256([]byte(data))
		return hex.EncodeToString(sum[:])
	}
	bytesOf[name("image")], bytesOf[name("other")] = "image", "changed"
	opened := 0
	o := check.Options{Blob: func(sum string) (io.ReadCloser, error) {
		opened++
		data, ok := bytesOf[sum]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(data)), nil
	}}
	image := func(id, data string) string {
		return line("custom", id, "", `"customType":"x","data":"blob:sha256:`+name(data)+`"`)
	}
	got := findings(t, text(header, image("a", "image"), image("b", "other"), image("c", "gone"), image("d", "gone")), o)
	got = slices.DeleteFunc(got, func(f string) bool { return !strings.Contains(f, "blob") })
	want := []string{"3 error blob-hash b", "4 error blob-missing c", "5 error blob-missing d"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if opened != 3 {
		t.Errorf("opened %d blobs, want each once", opened)
	}
}

// The genuine sessions of pi and oh-my-pi are sound, but for what their forks
// lose: an entry whose parent was a label or lies before the fork.
func TestGenuine(t *testing.T) {
	t.Parallel()
	lossy := map[string]int{
		"01a1fc13-6e2c-7246-8d61-b711d20f0142": 1, "01a1fc13-6fc7-71a3-bc80-e89242a8725a": 3,
		"143677b75f5c71e6": 1, "01a1fc12-3784-766f-8da6-417fb788a99e": 1,
	}
	n := 0
	for _, dir := range []string{"pi/genuine", "omp/genuine", "omp/13", "omp/18"} {
		for _, path := range corpus.Sessions(t, dir) {
			n++
			_, id, _ := strings.Cut(strings.TrimSuffix(path, ".jsonl"), "_")
			if bad := errorsOf(findings(t, string(corpus.Session(t, path)), check.Options{})); len(bad) != lossy[id] {
				t.Errorf("%s: %q", path, bad)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d sessions", n)
	}
}

// Law: on every path of a tree of calls and results, a result is one without a call
// before it if and only if convo.Pair finds no call in front of it.
func TestPairsAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := []string{header, user("e0", "")}
		for i := range rapid.IntRange(1, 12).Draw(t, "entries") {
			id, parent := fmt.Sprintf("e%d", i+1), fmt.Sprintf("e%d", rapid.IntRange(max(0, i-2), i).Draw(t, "parent"))
			callID := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "call")
			if rapid.Bool().Draw(t, "calls") {
				lines = append(lines, call(id, parent, callID))
			} else {
				lines = append(lines, answer(id, parent, callID))
			}
		}
		input := text(lines...)
		found, err := check.Check(strings.NewReader(input), check.Options{})
		must.Do(t, err)
		orphans := map[string]bool{}
		for _, f := range found {
			if f.Kind == check.OrphanResult {
				orphans[f.ID] = true
			}
		}
		s, err := session.Read(strings.NewReader(input))
		must.Do(t, err)
		for _, head := range s.Heads() {
			path, _ := s.Path(head)
			for i, p := range convo.Pair(convo.MessagesOf(convo.Project(path))) {
				e := path[i] // each entry has one message
				if e.Role() == session.RoleToolResult && orphans[e.ID()] != (p.Reply == convo.Orphan || p.Reply > i) {
					t.Fatalf("%s: %t, but convo.Pair says %d\n%s", e.ID(), orphans[e.ID()], p.Reply, input)
				}
			}
		}
	})
}

// spaced returns an entry with blanks around the colons of its first members, as writers in Python put them.
func spaced(entry string) string {
	return strings.NewReplacer(`{"type":"`, `{ "type": "`, `","id":"`, `", "id": "`).Replace(entry)
}
