package session_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/session"
)

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		kind     session.Kind
		is       error
		line     int
		offset   int64
	}{
		{"empty", "", session.Empty, session.ErrNotSession, 0, 0},
		{"blank lines", " \n\t\r\n\n", session.NoHeader, session.ErrNotSession, 1, 0},
		{"entry first", user("a", "", "x") + "\n" + head + "\n", session.NoHeader, session.ErrNotSession, 1, 0},
		{"scalar first", "\n42\n" + head + "\n", session.NoHeader, session.ErrNotSession, 2, 1},
		{"only garbage", "garbage\n", session.NoHeader, session.ErrNotSession, 1, 0},
		{"torn header", head[:40], session.NoHeader, session.ErrNotSession, 1, 0},
		{"header over lines", "{\n\"type\":\"session\",\"id\":\"s\"}\n", session.NoHeader, session.ErrNotSession, 1, 0},
		{"header without id", `{"type":"session","version":3}`, session.NoHeader, session.ErrNotSession, 1, 0},
		{"header with number for id", `{"type":"session","version":3,"id":1}`, session.NoHeader, session.ErrNotSession, 1, 0},
		{"version 4", "\n" + `{"type":"session","version":4,"id":"s"}`, session.BadVersion, session.ErrVersion, 2, 1},
		{"version 4 as a string", `{"type":"session","version":"4","id":"s"}`, session.BadVersion, session.ErrVersion, 1, 0},
		{"version 3.5", `{"type":"session","version":3.5,"id":"s"}`, session.BadVersion, session.ErrVersion, 1, 0},
		{"version beyond floats", `{"type":"session","version":1e999,"id":"s"}`, session.BadVersion, session.ErrVersion, 1, 0},
		{"last version counts", `{"type":"session","version":3,"id":"s","version":4}`, session.BadVersion, session.ErrVersion, 1, 0},
		{"kind header", `{"kind":"header","version":4,"id":"s"}`, session.BadVersion, session.ErrVersion, 1, 0},
		{"kind header, v", `{"kind":"header","v":4,"id":"s"}`, session.BadVersion, session.ErrVersion, 1, 0},
		{"title slot alone", slot + "\n", session.NoHeader, session.ErrNotSession, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := session.Read(strings.NewReader(c.in))
			p, ok := session.AsProblem(err)
			if s != nil || !ok || p.Kind != c.kind || p.Line != c.line || p.Offset != c.offset {
				t.Fatalf("%v, %+v; want kind %s, line %d, offset %d", s, err, c.kind, c.line, c.offset)
			}
			for _, sentinel := range []error{session.ErrNotSession, session.ErrVersion, session.ErrMalformed} {
				if errors.Is(err, sentinel) != (sentinel == c.is) {
					t.Errorf("errors.Is(%v, %v) = %v", err, sentinel, errors.Is(err, sentinel))
				}
			}
			if p.Error() == "" || p.Error() != p.Text {
				t.Errorf("text %q", p.Error())
			}
			if _, err := session.ReadHeader(strings.NewReader(c.in)); err != p {
				t.Errorf("ReadHeader: %+v, Read: %+v", err, p)
			}
		})
	}
}

const slot = `{"type":"title","v":1,"title":"slot","updatedAt":"","pad":"   "}`

func TestReadVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version string
		want    int
	}{
		{``, 1},
		{`,"version":null`, 1},
		{`,"version":0`, 1},
		{`,"version":-7`, 1},
		{`,"version":-1e999`, 1},
		{`,"version":true`, 1},
		{`,"version":""`, 1},
		{`,"version":1`, 1},
		{`,"version":1.5`, 1},
		{`,"version":2`, 2},
		{`,"version":"2"`, 2},
		{`,"version":2.5`, 2},
		{`,"version":" 2 "`, 2},
		{`,"version":3`, 3},
		{`,"version":"3"`, 3},
		{`,"version":" 3 "`, 3},
		{`,"version":3.0`, 3},
		{`,"version":4,"version":3`, 3},
		// What is no number is not below 3 in JavaScript: nothing is migrated.
		{`,"version":"three"`, 3},
		{`,"version":{}`, 3},
		{`,"version":"NaN"`, 3},
	} {
		s := parseText(t, join(`{"type":"session","id":"s"`+c.version+`}`, user("keep", "", "x")))
		if s.Header.Version != c.want {
			t.Errorf("%s: version %d, want %d", c.version, s.Header.Version, c.want)
		}
		id := "keep"
		if c.want == 1 {
			id = "00000001"
		}
		if s.Entries[0].ID() != id {
			t.Errorf("%s: id %s, want %s", c.version, s.Entries[0].ID(), id)
		}
	}
}

func TestReadDamage(t *testing.T) {
	t.Parallel()
	a, b := user("a", "", "one"), user("b", "a", "two")
	bad := strings.Replace(b, "two", "t\xffo", 1)
	for _, c := range []struct {
		name, in  string
		ids       string
		problems  string
		leaf      string
		torn      bool
		lines     int
		untouched bool // the entries' bytes are a's and b's
	}{
		{"clean", join(head, a, b), "a b", "", "b", false, 3, true},
		{"header only", join(head), "", "", "", false, 1, true},
		{"no final line feed", head + "\n" + a + "\n" + b, "a b", "", "b", false, 3, true},
		{"BOM", "\xef\xbb\xbf" + join(head, a, b), "a b", "1 bom", "b", false, 3, true},
		{"BOM on a blank first line", "\xef\xbb\xbf\n" + join(head, a, b), "a b", "1 bom", "b", false, 4, true},
		{"BOM on a later line", join(head, "\xef\xbb\xbf"+a, b), "b", "2 not-json", "b", false, 3, false},
		{"blank lines", "\n \n" + join(head, "", a, "\t", b, ""), "a b", "", "b", false, 8, true},
		{"garbage before the header", join("garbage", head, a, b), "a b", "1 not-json", "b", false, 4, true},
		{"NUL line", join(head, a, "\x00\x00\x00", b), "a b", "3 nul", "b", false, 4, true},
		{"NUL in a line", join(head, a, a[:30]+"\x00", b), "a b", "3 nul", "b", false, 4, true},
		{"NUL tail", join(head, a, b) + "\x00\x00", "a b", "4 torn", "b", true, 4, true},
		{"fused", join(head, a+b, b), "b", "2 fused", "b", false, 3, false},
		{"torn, fused", join(head, a, b[:50]+b, b), "a b", "3 fused", "b", false, 4, true},
		{"torn in its content, line ended", join(head, a, b[:len(b)-8], b), "a b", "3 not-json", "b", false, 4, true},
		{"fused with a header", join(head, a, b[:30]+head, b), "a b", "3 fused", "b", false, 4, true},
		{"torn tail", join(head, a, b) + b[:60], "a b", "4 torn", "b", true, 4, true},
		{"torn and fused tail", join(head, a) + a + b[:60], "a", "3 torn", "a", true, 3, false},
		{"scalars", join(head, "null", a, "42", `"s"`, "[1]", "false", b), "a b", "2 not-object, 4 not-object, 5 not-object, 6 not-object, 7 not-object", "b", false, 8, true},
		{"not JSON", join(head, a, "{'a':1}", "{}}", "{\"a\":01}", b), "a b", "3 not-json, 4 not-json, 5 not-json", "b", false, 6, true},
		{"invalid UTF-8", join(head, a, bad), "a b", "3 invalid-utf8", "b", false, 3, false},
		{"later header", join(head, a, head, b), "a b", "3 later-header", "b", false, 4, true},
		{"same entry twice", join(head, a, a, b), "a a b", "3 duplicate-id", "b", false, 4, false},
		{"no id", join(head, a, `{"type":"message"}`, b), "a  b", "3 no-id", "b", false, 4, false},
		{"empty id", join(head, a, line("custom", "", "a"), b), "a  b", "3 no-id", "b", false, 4, false},
		{"number for an id", join(head, a, b, `{"type":"custom","id":7}`), "a b ", "4 no-id", "b", false, 4, false},
		{"title slot", join(slot, head, a, b), "a b", "", "b", false, 4, true},
		{"problems in file order", join(head, a, `{}`, "x", a, "42"), "a  a", "3 no-id, 4 not-json, 5 duplicate-id, 6 not-object", "a", false, 6, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := parseText(t, c.in)
			if got := strings.Join(ids(s.Entries), " "); got != c.ids {
				t.Errorf("ids %q, want %q", got, c.ids)
			}
			if got := kinds(s.Problems); got != c.problems {
				t.Errorf("problems %q, want %q", got, c.problems)
			}
			if leaf, _ := s.Leaf(); leaf >= 0 && s.Entries[leaf].ID() != c.leaf || leaf < 0 && c.leaf != "" {
				t.Errorf("leaf %d, want %q", leaf, c.leaf)
			}
			if s.Torn != c.torn || s.Lines != c.lines {
				t.Errorf("torn %v, lines %d; want %v, %d", s.Torn, s.Lines, c.torn, c.lines)
			}
			if c.untouched && len(s.Entries) == 2 {
				if diff := cmp.Diff([]string{a, b}, raws(s.Entries)); diff != "" {
					t.Error(diff)
				}
			}
			if s.Header.Raw() != head {
				t.Errorf("header %q", s.Header.Raw())
			}
			for _, e := range s.Entries {
				if rest := strings.TrimPrefix(c.in[e.Offset():], "\xef\xbb\xbf"); !strings.HasPrefix(rest, e.Raw()) || !strings.HasPrefix(nthLine(c.in, e.Line()), e.Raw()) {
					t.Errorf("%s: line %d, offset %d", e.Raw(), e.Line(), e.Offset())
				}
			}
			for _, p := range s.Problems {
				if !strings.HasPrefix(c.in[p.Offset:], nthLine(c.in, p.Line)) || p.Offset > 0 && c.in[p.Offset-1] != '\n' {
					t.Errorf("%+v: line %d does not begin at byte %d", p, p.Line, p.Offset)
				}
				if p.Text == "" || !errors.Is(p, session.ErrMalformed) {
					t.Errorf("%+v", p)
				}
			}
		})
	}
}

func nthLine(text string, n int) string { return strings.Split(text, "\n")[n-1] }

// Carriage returns belong to the lines they end.
func TestReadCRLF(t *testing.T) {
	t.Parallel()
	a := user("a", "", "one")
	s := parseText(t, head+"\r\n"+a+"\r\n\r\n")
	if len(s.Entries) != 1 || s.Entries[0].Raw() != a+"\r" || len(s.Problems) != 0 {
		t.Errorf("%q, %v", raws(s.Entries), s.Problems)
	}
	if got := s.Entries[0].WithParent("p").Raw(); got != strings.Replace(a, "null", `"p"`, 1)+"\r" {
		t.Errorf("%q", got)
	}
}

// Only a line feed ends a line.
func TestReadLineSeparators(t *testing.T) {
	t.Parallel()
	raw := line("custom", "a", "", `"data":"x`+"\u2028\u2029\u0085"+`y"`)
	if s := parse(t, raw); len(s.Entries) != 1 || s.Entries[0].Raw() != raw {
		t.Errorf("%q", raws(s.Entries))
	}
}

func TestReadDeepNesting(t *testing.T) {
	t.Parallel()
	const depth = 1_000_000
	for name, deep := range map[string]string{
		"closed":  `{"type":"custom","id":"x","data":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}",
		"open":    `{"type":"custom","id":"x","data":` + strings.Repeat("[", depth),
		"objects": strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth),
	} {
		s := parse(t, user("a", "", "x"), deep, user("b", "a", "y"))
		if got := strings.Join(ids(s.Entries), " "); got != "a b" || kinds(s.Problems) != "3 too-deep" {
			t.Errorf("%s: %q, %s", name, got, kinds(s.Problems))
		}
		if _, err := session.ParseEntry(deep); !errors.Is(err, session.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		} else if len(err.Error()) > 200 {
			t.Errorf("%s: a message of %d bytes", name, len(err.Error()))
		}
	}
}

func TestReadDuplicates(t *testing.T) {
	t.Parallel()
	a, other := user("a", "", "one"), user("a", "", "another")
	for what, second := range map[string]string{"the same bytes": a, "other bytes": other} {
		s := parse(t, a, second, user("b", "a", "x"))
		if p := s.Problems[0]; p.ID != "a" || !strings.Contains(p.Text, "line 2 ") || !strings.Contains(p.Text, what) {
			t.Errorf("%+v, want %s", p, what)
		}
		if i, ok := s.Index("a"); !ok || i != 1 {
			t.Errorf("a is entry %d, the last is 1", i)
		}
		if path, _ := s.Path(2); path[0].Raw() != second {
			t.Errorf("the path has %q", path[0].Raw())
		}
	}
	if _, ok := parse(t).Index("a"); ok {
		t.Error("an entry in an empty session")
	}
}

func TestReadNoFirstKept(t *testing.T) {
	t.Parallel()
	compaction := func(first string) string {
		return line("compaction", "c", "a", `"summary":"s"`, `"firstKeptEntryId":`+quote(first), `"tokensBefore":1`)
	}
	for first, want := range map[string]string{"a": "", "c": "", "gone": "3 no-first-kept", "later": "3 no-first-kept", "": "3 no-first-kept"} {
		s := parse(t, user("a", "", "x"), compaction(first), user("later", "c", "y"))
		if got := kinds(s.Problems); got != want {
			t.Errorf("firstKeptEntryId %q: %q, want %q", first, got, want)
		}
	}
	// What stands on another branch is in front of it in the file, and not on its path. Behind a parent that is missing may be all.
	for parent, want := range map[string]string{"a": "4 no-first-kept", "b": "", "gone": ""} {
		s := parse(t, user("a", "", "x"), user("b", "a", "y"),
			line("compaction", "c", parent, `"summary":"s"`, `"firstKeptEntryId":"b"`, `"tokensBefore":1`))
		if got := kinds(s.Problems); got != want {
			t.Errorf("behind %s: %q, want %q", parent, got, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	broken := func() io.Reader {
		return io.MultiReader(strings.NewReader(head+"\n{"), iotest.ErrReader(io.ErrClosedPipe))
	}
	if _, err := session.Read(broken()); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Read: %v", err)
	}
	if _, err := session.ScanInfo(broken()); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("ScanInfo: %v", err)
	}
	if _, err := session.ReadHeader(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("ReadHeader: %v", err)
	}
	if _, ok := session.AsProblem(io.EOF); ok {
		t.Error("io.EOF is a problem")
	}
	if s, err := session.Read(iotest.OneByteReader(strings.NewReader(join(head, user("a", "", "x"))))); err != nil || len(s.Entries) != 1 {
		t.Errorf("byte by byte: %v, %v", s, err)
	}
}

func TestLead(t *testing.T) {
	t.Parallel()
	v1 := `{"type":"session","id":"s","cwd":"/p","odd":1.0}`
	v2 := `{"type":"session", "version" : 2 ,"id":"s"}`
	for _, c := range []struct {
		in   string
		want []string
	}{
		{join(head), []string{head}},
		{"\xef\xbb\xbf" + join(head), []string{head}},
		{join(slot, head), []string{slot, head}},
		{join(v1), []string{`{"type":"session","id":"s","cwd":"/p","odd":1.0,"version":3}`}},
		{join(v2), []string{`{"type":"session", "version" : 3 ,"id":"s"}`}},
		{join(`{"type":"session","version":"3","id":"s"}`), []string{`{"type":"session","version":"3","id":"s"}`}},
	} {
		s := parseText(t, c.in)
		if diff := cmp.Diff(c.want, s.Lead()); diff != "" {
			t.Error(diff)
		}
	}
}

// An id names the last entry that has it.
func TestIndex(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.StringMatching(`[a-f0-9]{0,3}`), 0, 600).Draw(t, "ids")
		text, want := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/w"}`+"\n", map[string]int{}
		for i, id := range ids {
			text += fmt.Sprintf(`{"type":"custom","customType":"x","id":%q,"parentId":null,"timestamp":"2026-01-02T03:04:05.678Z"}`, id) + "\n"
			if id != "" {
				want[id] = i
			}
		}
		s, err := session.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range append(ids, "", "abcd", "none") {
			i, ok := s.Index(id)
			if n, there := want[id]; ok != there || i != n {
				t.Fatalf("%q: %d, %v, want %d, %v", id, i, ok, n, there)
			}
		}
	})
}
