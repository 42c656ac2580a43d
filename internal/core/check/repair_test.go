package check_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/check"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/session"
)

// keepsNothing is what a repair makes of a compaction whose first kept entry is
// not before it.
var keepsNothing = strings.Replace(compaction("k", "a", "gone"), "gone", "k", 1)

const slot = `{"type":"title","v":1,"title":"T","updatedAt":"x","pad":""}`

var repairs = map[string]struct {
	input    string
	relink   bool
	want     string // the session; made is a new header
	rejected string
}{
	"good":            {good, false, good, ""},
	"no final":        {strings.TrimSuffix(good, "\n"), false, good, ""},
	"torn tail":       {good + `{"type":"mess`, false, good, `{"type":"mess` + "\n"},
	"NUL":             {good + "\x00\x00\n" + user("d", "c"), false, good + user("d", "c") + "\n", "\x00\x00\n"},
	"BOM, CR, blank":  {"\xef\xbb\xbf" + header + "\r\n\r\n" + user("a", "") + "\r\n", false, header + "\r\n" + user("a", "") + "\r\n", ""},
	"fused":           {text(header, user("a", "")+user("b", "a")), false, text(header, user("a", ""), user("b", "a")), ""},
	"fused three":     {text(header + user("a", "") + user("b", "a")), false, text(header, user("a", ""), user("b", "a")), ""},
	"blanks, fused":   {text(header, user("a", "")+spaced(user("b", "a"))), false, text(header, user("a", ""), spaced(user("b", "a"))), ""},
	"torn and blanks": {text(header, `{"type" : "mess`+spaced(user("a", ""))), false, text(header, spaced(user("a", ""))), `{"type" : "mess` + "\n"},
	"torn and fused":  {text(header, `{"type":"mess`+user("a", "")+`junk`), false, text(header, user("a", "")), `{"type":"mess` + "\njunk\n"},
	"NUL and entry":   {text(header, "\x00\x00"+user("a", "")+"\x00"), false, text(header, user("a", "")), "\x00\x00\n\x00\n"},
	"objects inside": {
		text(header, `{"type":"message","id":"a","message":{"content":[{"type":"text","text":"x"},{"type":"te`, user("b", "")),
		false, text(header, user("b", "")),
		`{"type":"message","id":"a","message":{"content":[{"type":"text","text":"x"},{"type":"te` + "\n",
	},
	"scalars":     {text(header, "42", "[1]", `{"x":1}`, "null", user("a", "")), false, text(header, user("a", "")), "42\n[1]\n{\"x\":1}\nnull\n"},
	"too deep":    {text(header, strings.Repeat("[", 20_000)), false, text(header), strings.Repeat("[", 20_000) + "\n"},
	"no header":   {text(user("a", "")), false, text(made, user("a", "")), ""},
	"torn header": {text(header[:40], user("a", "")), false, text(made, user("a", "")), header[:40] + "\n"},
	"header second": {
		text(user("a", ""), header, user("b", "a")), false, text(header, user("a", ""), user("b", "a")), "",
	},
	"two sessions": {
		text(header, user("a", ""), header, user("b", "")), false, text(header, user("a", ""), user("b", "")), header + "\n",
	},
	"title slot":        {text(slot, header, "x"), false, text(slot, header), "x\n"},
	"title, no header":  {text(slot, user("a", "")), false, text(slot, made, user("a", "")), ""},
	"no title slot":     {text(`{"type":"title"}`, header, user("a", "")), false, text(header, user("a", "")), `{"type":"title"}` + "\n"},
	"header, empty id":  {text(`{"type":"session","version":3,"id":""}`, user("a", "")), false, text(`{"type":"session","version":3,"id":""}`, user("a", "")), ""},
	"pretty":            {text(header, "{", `  "type": "custom",`, `  "id": "a",`, `  "customType": "x"`, "}", user("b", "a")), false, text(header, `{  "type": "custom",  "id": "a",  "customType": "x"}`, user("b", "a")), ""},
	"pretty header":     {text(strings.ReplaceAll(header, ",", ",\r\n"), user("a", "")), false, text(header, user("a", "")), ""},
	"raw line feed":     {text(header, strings.Replace(user("a", ""), "text of", "text\r\nof", 1)), false, text(header, strings.Replace(user("a", ""), "text of", `text\r\nof`, 1)), ""},
	"torn, then pretty": {text(header, `{"x":`, user("a", ""), "{", `"type":"custom","id":"b","customType":"x"}`), false, text(header, user("a", ""), `{"type":"custom","id":"b","customType":"x"}`), `{"x":` + "\n"},
	"never closed":      {text(header, `{"x":`, "1,", "2"), false, text(header), "{\"x\":\n1,\n2\n"},
	"joined to junk":    {text(header, `{"x":`, "1}"), false, text(header), "{\"x\":\n1}\n"},

	"no id":              {text(header, user("a", ""), `{"type":"custom","customType":"x"}`), false, text(header, user("a", "")), `{"type":"custom","customType":"x"}` + "\n"},
	"no id, relinked":    {text(header, user("a", ""), `{"type":"custom","customType":"x"}`), true, text(header, user("a", ""), `{"type":"custom","customType":"x","id":"ccb25a61","parentId":"a"}`), ""},
	"no id, but parent":  {text(header, user("a", ""), `{"type":"custom","customType":"x","parentId":"a"}`), false, text(header, user("a", ""), `{"type":"custom","customType":"x","parentId":"a","id":"f616a16d"}`), ""},
	"same duplicate":     {text(header, user("a", ""), user("b", "a"), user("a", "")), false, text(header, user("a", ""), user("b", "a")), ""},
	"unknown type":       {text(header, `{"type":"new","id":"a"}`), false, text(header, `{"type":"new","id":"a"}`), ""},
	"orphan":             {text(header, user("a", ""), user("b", "x")), false, text(header, user("a", ""), user("b", "x")), ""},
	"orphan, relinked":   {text(header, user("a", ""), user("b", "x"), user("c", "b")), true, text(header, user("a", ""), user("b", "a"), user("c", "b")), ""},
	"first orphan":       {text(header, user("a", "x")), true, text(header, user("a", "")), ""},
	"cycle":              {text(header, user("r", ""), user("a", "b"), user("b", "a")), true, text(header, user("r", ""), user("a", "r"), user("b", "a")), ""},
	"own parent":         {text(header, user("a", "a")), true, text(header, user("a", "")), ""},
	"cycle after relink": {text(header, user("b", "a"), user("a", "x")), true, text(header, user("b", ""), user("a", "b")), ""},
	"first kept missing": {text(header, user("a", ""), compaction("k", "a", "gone")), false, text(header, user("a", ""), keepsNothing), ""},
	"no replacement": {
		text(header, user("a", ""), line("context_edit", "l", "a", `"targetId":"a"`), line("context_edit", "m", "l", `"targetId":"a","replacement":{"content":"x"}`)), false,
		text(header, user("a", ""), strings.Replace(line("context_edit", "l", "a", `"targetId":"a"`), "}", `,"replacement":null}`, 1), line("context_edit", "m", "l", `"targetId":"a","replacement":{"content":"x"}`)), "",
	},
	"version 1": {
		text(`{"type":"session","id":"s"}`, `{"type":"custom","timestamp":"x"}{"type":"custom","timestamp":"y"}`), false,
		text(`{"type":"session","id":"s","version":3}`, `{"type":"custom","timestamp":"x","id":"00000001","parentId":null}`, `{"type":"custom","timestamp":"y","id":"00000002","parentId":"00000001"}`), "",
	},
	"duplicate": {text(header, user("a", ""), userAt(7, "a", "")), false, text(header, strings.Replace(user("a", ""), `"id":"a"`, `"id":"56725166"`, 1), userAt(7, "a", "")), ""},
}

func TestRepair(t *testing.T) {
	t.Parallel()
	for name, tt := range repairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := repair(t, tt.input, tt.relink)
			if diff := cmp.Diff(tt.want, text(r.Lines...)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, strings.Join(r.Changes, "\n"))
			}
			if diff := cmp.Diff(tt.rejected, string(r.Rejected)); diff != "" {
				t.Errorf("rejected (-want +got):\n%s", diff)
			}
			if tt.rejected != "" && len(r.Changes) == 0 {
				t.Error("nothing is said of what was set aside")
			}
		})
	}
}

// A line that was torn, blanked and came to its end later is put together from
// the fragment and the rest, where both can be told.
func TestRepairFragments(t *testing.T) {
	t.Parallel()
	entry, other := user("b", "a"), strings.Replace(user("b", "a"), "text of", "text on", 1)
	blank := func(n int) string { return strings.Repeat(" ", n) }
	tests := map[string]struct {
		input     string
		fragments []string
		want      string
		rejected  string
	}{
		"two pieces":       {text(header, user("a", ""), blank(40), user("c", "a"), entry[40:]), []string{entry[:40]}, text(header, user("a", ""), user("c", "a"), entry), ""},
		"three pieces":     {text(header, user("a", ""), blank(40), user("c", "a"), blank(9), user("d", "c"), entry[49:]), []string{entry[:40], entry[40:49]}, text(header, user("a", ""), user("c", "a"), user("d", "c"), entry), ""},
		"not its rest":     {text(header, user("a", ""), blank(40), "junk"), []string{entry[:40]}, text(header, user("a", "")), "junk\n"},
		"nothing blanked":  {text(header, user("a", ""), entry[40:]), []string{entry[:40]}, text(header, user("a", "")), entry[40:] + "\n"},
		"of another place": {text(header, user("a", ""), blank(39), entry[40:]), []string{entry[:40]}, text(header, user("a", "")), entry[40:] + "\n"},
		"blanked later":    {text(header, user("a", ""), entry[40:], blank(40)), []string{entry[:40]}, text(header, user("a", "")), entry[40:] + "\n"},
		"of two":           {text(header, user("a", ""), blank(len(entry)-10), entry[len(entry)-10:]), []string{entry[:len(entry)-10], other[:len(other)-10]}, text(header, user("a", "")), entry[len(entry)-10:] + "\n"},
		"no fragment":      {text(header, user("a", ""), blank(40), entry[40:]), nil, text(header, user("a", "")), entry[40:] + "\n"},
	}
	for name, tt := range tests {
		r, err := check.Repair(strings.NewReader(tt.input), check.RepairOptions{Fragments: tt.fragments, Header: makeHeader})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, text(r.Lines...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.rejected, string(r.Rejected)); diff != "" {
			t.Errorf("%s: rejected (-want +got):\n%s", name, diff)
		}
	}
}

func TestRepairRefuses(t *testing.T) {
	t.Parallel()
	v2 := strings.Replace(good, `"version":3`, `"version":2`, 1)
	tests := map[string]struct {
		input   string
		migrate bool
		want    error
	}{
		"empty":         {"", false, session.ErrNotSession},
		"blank":         {"\n\n", false, session.ErrNotSession},
		"no entry":      {"what\n123\n", false, session.ErrNotSession},
		"version 4":     {strings.Replace(good, `"version":3`, `"version":4`, 1), true, session.ErrVersion},
		"pi-agent-core": {`{"kind":"header","version":4}` + "\n", true, session.ErrVersion},
		"junk, then 4":  {"junk\n" + strings.Replace(good, `"version":3`, `"version":4`, 1), true, session.ErrVersion},
		"version 2":     {v2, false, session.ErrVersion},
		"migrated":      {v2, true, nil},
	}
	for name, tt := range tests {
		_, err := check.Repair(strings.NewReader(tt.input), check.RepairOptions{Migrate: tt.migrate, Header: makeHeader})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

func TestHeaderError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := check.Repair(strings.NewReader(user("a", "")), check.RepairOptions{Header: func(ms int64) (string, error) {
		if ms != 1767323046000 {
			t.Errorf("the time of the first entry is given as %d", ms)
		}
		return "", broken
	}})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// Every sample is repaired, and what comes out is clean.
func TestRepairCorpus(t *testing.T) {
	t.Parallel()
	refused := map[string]bool{
		"omp/damaged/empty.jsonl": true, "omp/damaged/whitespace.jsonl": true, "pi/sessions/empty.jsonl": true, "omp/edge/v4.jsonl": true,
	}
	for _, dir := range []string{"omp/damaged", "omp/edge", "omp/13", "pi/sessions", "pi/genuine"} {
		for _, path := range corpus.Sessions(t, dir) {
			input := string(corpus.Session(t, path))
			r, err := check.Repair(strings.NewReader(input), check.RepairOptions{Relink: true, Migrate: true, Header: makeHeader})
			if (err != nil) != refused[path] {
				t.Errorf("%s: %v", path, err)
			}
			if err == nil {
				checkRepaired(t, input, r, true)
			}
		}
	}
}
