package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// addSmall seeds f with the small sessions of the corpus.
func addSmall(f *testing.F) {
	f.Helper()
	for _, path := range append(corpus.Sessions(f, "omp/edge"), append(corpus.Sessions(f, "omp/damaged"), corpus.Sessions(f, "pi/sessions")...)...) {
		if data := corpus.Session(f, path); len(data) < 16<<10 {
			f.Add(data)
		}
	}
	f.Add([]byte(join(head, user("a", "b", "x"), user("b", "a", "y"), line("context_edit", "c", "b", `"targetId":"a"`, `"replacement":null`), compaction("d", "c", "a"))))
}

// Laws: a line is an entry if and only if it is one JSON object by encoding/json;
// its bytes are the line; its members are those encoding/json finds, the last of
// one name.
func FuzzParseEntry(f *testing.F) {
	for _, seed := range []string{
		head, slot, user("a", "b", "x"), `{}`, ` { } `, `{"a":1,"a":2}`, `{"\u0061":1,"a" : [ ] }`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}", `[]`, `{"a":1}}`, "",
		`{"id":"x","id":7,"type":"t","parentId":null}`, strings.Repeat(`{"a":`, 20) + "1" + strings.Repeat("}", 20), strings.Repeat("[", 20_000),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		e, err := session.ParseEntry(line)
		var want map[string]json.RawMessage
		if json.Unmarshal([]byte(line), &want) != nil || want == nil {
			if !errors.Is(err, session.ErrMalformed) {
				t.Fatalf("%v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.Raw() != line {
			t.Fatalf("bytes %q", e.Raw())
		}
		for name, raw := range want {
			if strings.ContainsRune(name, utf8.RuneError) {
				continue // encoding/json cannot tell such names apart
			}
			if got := e.Get(name); got != string(raw) {
				t.Errorf("%q: %s, want %s", name, got, raw)
			}
		}
		for name, got := range map[string]string{"id": e.ID(), "type": e.Type(), "parentId": e.ParentID()} {
			if got != e.Str(name) {
				t.Errorf("%s %q, want %q", name, got, e.Str(name))
			}
		}
		e.Timestamp()
		if m, ok := e.Message(); ok && m.Role() != e.Role() {
			t.Errorf("roles %q and %q", m.Role(), e.Role())
		}
	})
}

// Laws: reading accounts for every line that is not blank, as lead, entry or
// problem; the bytes of a version 3 session's entries are in the input, in
// order; printed, a session reads the same; paths end, without repetition; the
// longest head has the longest path; ReadTail and ScanInfo say what Read says.
func FuzzRead(f *testing.F) {
	addSmall(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		agree(t, data)
		s, err := session.Read(bytes.NewReader(data))
		info, infoErr := session.ScanInfo(bytes.NewReader(data))
		if err != infoErr {
			t.Fatalf("%+v, ScanInfo: %+v", err, infoErr)
		}
		if err != nil {
			if _, ok := session.AsProblem(err); !ok {
				t.Fatal(err)
			}
			return
		}
		if info.Entries != len(s.Entries) || info.Name != s.Name {
			t.Errorf("%+v; %d entries, name %q", info, len(s.Entries), s.Name)
		}
		accountFor(t, s, data)
		if s.Header.Version == session.Version {
			rest := data
			for _, e := range s.Entries {
				i := bytes.Index(rest, []byte(e.Raw()))
				if i < 0 {
					t.Fatalf("not in the input: %q", e.Raw())
				}
				rest = rest[i+len(e.Raw()):]
			}
		}
		again := parseText(t, join(append(s.Lead(), raws(s.Entries)...)...))
		if diff := cmp.Diff(raws(s.Entries), raws(again.Entries)); diff != "" {
			t.Errorf("printed and read: %s", diff)
		}
		checkTree(t, s)
	})
}

// Laws, for any parents, missing and cyclic ones included: a path ends at its
// leaf, each entry is the parent of the next, none comes twice; and it begins at
// a root, or there is exactly one problem that says why not.
func FuzzPath(f *testing.F) {
	for _, parents := range []string{"", "\x00\x01\x02\x03", "\x01\x01", "\x03\x01\x02", "\x00\xff\x02", "\x02\x01\x02\x00\x05"} {
		f.Add([]byte(parents))
	}
	f.Fuzz(func(t *testing.T, parents []byte) {
		var lines []string
		for i, p := range parents { // 0 is a root, n the n-th entry, which may not be there
			parent := ""
			if p > 0 {
				parent = fmt.Sprintf("e%03d", p)
			}
			lines = append(lines, user(fmt.Sprintf("e%03d", i+1), parent, ""))
		}
		s := parse(t, lines...)
		for leaf := range s.Entries {
			path, problems := s.Path(leaf)
			seen := map[string]bool{}
			for i, e := range path {
				if seen[e.ID()] || i > 0 && e.ParentID() != path[i-1].ID() {
					t.Fatalf("path %v", ids(path))
				}
				seen[e.ID()] = true
			}
			if len(path) == 0 || path[len(path)-1].ID() != s.Entries[leaf].ID() {
				t.Fatalf("path %v does not end at %s", ids(path), s.Entries[leaf].ID())
			}
			if root := path[0].ParentID() == ""; root != (len(problems) == 0) || len(problems) > 1 {
				t.Errorf("path %v: problems %v", ids(path), problems)
			}
		}
	})
}

func accountFor(t *testing.T, s *session.Session, data []byte) {
	t.Helper()
	want := 0
	for l := range bytes.SplitSeq(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), []byte("\n")) {
		if len(bytes.TrimSpace(l)) > 0 {
			want++
		}
	}
	got := len(s.Lead()) + len(s.Entries)
	for _, p := range s.Problems {
		switch p.Kind {
		case session.NotJSON, session.NotObject, session.Fused, session.NUL, session.Torn, session.LaterHeader:
			got++
		}
	}
	if got != want {
		t.Errorf("%d lines accounted for, there are %d: %v", got, want, kinds(s.Problems))
	}
}

func checkTree(t *testing.T, s *session.Session) {
	t.Helper()
	best := 0
	for i := range min(len(s.Entries), 50) {
		path, _ := s.Path(i)
		seen := map[int]bool{}
		for k, e := range path {
			if seen[e.Line()] || k > 0 && e.ParentID() != path[k-1].ID() {
				t.Fatalf("path %v", ids(path))
			}
			seen[e.Line()] = true
		}
	}
	heads := s.Heads()
	for _, h := range heads[:min(len(heads), 50)] {
		path, _ := s.PathIndex(h)
		best = max(best, len(path))
	}
	if i, ok := s.Longest(); ok && len(heads) > 0 && len(heads) <= 50 {
		if path, _ := s.PathIndex(i); len(path) != best {
			t.Errorf("longest %d has %d entries, a head has %d", i, len(path), best)
		}
	}
}

// Laws: a reference names an entry, the place before the first (only "null"
// does), or is an error that matches one of the two sentinels; an ambiguous one
// has several candidates; ids name themselves; REF~0 is REF, REF~1 is REF^.
func FuzzRef(f *testing.F) {
	for _, ref := range []string{
		".", "root", "null", "a", "aaaa", "aaaa1", "@l", "@l^", "@l~2^", "last", "longest", "newest-message", ".~1", "^", "~", "~0", "@", "aaaa~99999999999999999999", "", "x^^^~~~",
	} {
		f.Add("aaaa1111", "aaaa2222", "l", ref)
		f.Add("null", "a~1", "a^", ref)
	}
	f.Fuzz(func(t *testing.T, a, b, name, ref string) {
		if len(ref) > 1000 {
			return
		}
		s := parse(t, user("first", "", ""), line("custom", a, "first"), line("custom", b, a), label("third", b, a, name), label("fourth", "first", "first", name))
		leaf, _ := s.Leaf()
		resolve := func(ref string) int {
			i, err := s.Resolve(ref, leaf)
			if _, leafErr := s.ResolveLeaf(ref); err == nil && i >= 0 && leafErr != nil && ref != "null" {
				t.Errorf("ResolveLeaf(%q): %v", ref, leafErr)
			}
			if err == nil {
				return i
			}
			var re *session.RefError
			if !errors.As(err, &re) || i != -1 || errors.Is(err, session.ErrNotFound) == errors.Is(err, session.ErrAmbiguous) ||
				errors.Is(err, session.ErrAmbiguous) != (len(re.Candidates) > 1) || err.Error() == "" {
				t.Errorf("Resolve(%q) = %d, %#v", ref, i, err)
			}
			return -2
		}
		for i, e := range s.Entries {
			if at, ok := s.Index(e.ID()); ok && (resolve(e.ID()) != at || at < i) {
				t.Errorf("id %q names %d", e.ID(), resolve(e.ID()))
			}
		}
		got := resolve(ref)
		if got < -2 || got >= len(s.Entries) || got == -1 && ref != "null" {
			t.Errorf("Resolve(%q) = %d", ref, got)
		}
		if got < 0 || strings.HasPrefix(ref, "@") {
			return // @x^ may be a label
		}
		if _, taken := s.Index(ref + "~0"); !taken && resolve(ref+"~0") != got {
			t.Errorf("%q is %d, with ~0 %d", ref, got, resolve(ref+"~0"))
		}
		_, one := s.Index(ref + "~1")
		if _, up := s.Index(ref + "^"); !one && !up && resolve(ref+"~1") != resolve(ref+"^") {
			t.Errorf("%q: ~1 is %d, ^ is %d", ref, resolve(ref+"~1"), resolve(ref+"^"))
		}
	})
}

// Laws: the result is valid JSON; the member has the new value; all other
// members keep their bytes and their order; a member that was there once keeps
// its place, and all bytes around its value.
func FuzzWithParent(f *testing.F) {
	for _, raw := range []string{head, user("a", "b", "x"), `{}`, ` { } `, `{"parentId":1,"parentId":2}`, `{"\u0070arentId" : null }`, `{"a\"":1,"parentId":"b"}`, `{"x":{"parentId":1}}`} {
		for _, name := range []string{"parentId", "", "a.b", "a\"", ":x", "#", "\xed\xa0\x80"} {
			f.Add(raw, name, "p\u2028")
		}
	}
	f.Fuzz(func(t *testing.T, raw, name, parent string) {
		e, err := session.ParseEntry(raw)
		if err != nil {
			return
		}
		p := e.WithParent(parent)
		if want := js.Unquote(js.Quote(parent)); p.ParentID() != want {
			t.Errorf("parent %q, want %q", p.ParentID(), want)
		}
		literal := js.Quote(parent)
		if parent == "" {
			literal = "null"
		}
		spliced(t, e, p, "parentId", literal)
		name = js.Unquote(js.Quote(name)) // a name that JSON can spell
		spliced(t, e, e.WithRaw(name, literal), name, literal)
	})
}

func spliced(t *testing.T, before, after session.Entry, name, value string) {
	t.Helper()
	if !json.Valid([]byte(after.Raw())) || after.Get(name) != value {
		t.Fatalf("%q set to %s gives %q", name, value, after.Raw())
	}
	others := func(e session.Entry) (out, values []string) {
		for key, v := range js.Members(e.Raw()) {
			if js.Unquote(key) == name {
				values = append(values, v)
			} else {
				out = append(out, key+":"+v)
			}
		}
		return out, values
	}
	was, old := others(before)
	is, now := others(after)
	if diff := cmp.Diff(was, is); diff != "" || len(now) != 1 {
		t.Errorf("%q set to %s gives %q: %s", name, value, after.Raw(), diff)
	}
	if len(old) != 1 {
		return
	}
	a, b := before.Raw(), after.Raw()
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	if same := len(a) - len(old[0]); len(b) != same+len(value) || !sharesEnd(a, b, same-head) {
		t.Errorf("%q becomes %q", a, b)
	}
}

// sharesEnd reports whether the last n bytes of a and b are the same.
func sharesEnd(a, b string, n int) bool {
	n = max(n, 0)
	return n <= len(a) && n <= len(b) && a[len(a)-n:] == b[len(b)-n:]
}
