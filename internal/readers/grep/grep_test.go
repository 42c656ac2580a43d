package grep_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sess-tools/sess/internal/readers/grep"
)

var rounds = flag.Int("rounds", 2000, "how many random cases are tried")

// letters are what random texts are made of: what JSON escapes, what folds to other
// letters, and what is long in UTF-8 or UTF-16.
var letters = []rune("aabbkKsSxX019 _-\"\\/\n\t\b\u001b\u007f\u0085éÉıİßſ\u212a日本😀\ufffd\u2028.")

func randomText(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteRune(letters[r.IntN(len(letters))])
	}
	return b.String()
}

// encoded returns a text as a JSON string, each character in one of the ways there are.
func encoded(r *rand.Rand, text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		short := map[rune]string{'"': `\"`, '\\': `\\`, '/': `\/`, '\n': `\n`, '\t': `\t`, '\b': `\b`}[c]
		switch how := r.IntN(8); {
		case how == 0:
			for _, unit := range utf16Of(c) {
				form := []string{`\u%04x`, `\u%04X`}[r.IntN(2)]
				fmt.Fprintf(&b, form, unit)
			}
		case short != "" && (how < 4 || c != '/'):
			b.WriteString(short)
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func utf16Of(c rune) []rune {
	if c < 0x10000 {
		return []rune{c}
	}
	c -= 0x10000
	return []rune{0xd800 + c>>10, 0xdc00 + c&0x3ff}
}

// randomPattern returns a pattern that is likely to match the text.
func randomPattern(r *rand.Rand, text string) string {
	var b strings.Builder
	runes := []rune(text)
	for range 1 + r.IntN(3) {
		part := randomText(r, 2)
		if len(runes) > 0 && r.IntN(4) > 0 {
			from := r.IntN(len(runes))
			part = string(runes[from:min(len(runes), from+1+r.IntN(4))])
		}
		part = regexp.QuoteMeta(strings.ReplaceAll(part, "\n", ""))
		switch r.IntN(12) {
		case 0:
			part = "(" + part + "|" + regexp.QuoteMeta(randomLine(r)) + ")"
		case 1:
			part = "(?:" + part + ")+"
		case 2:
			part = "(?:" + part + ")?"
		case 3:
			part = "[^ab]" + part
		case 4:
			part += `\s*`
		case 5:
			part = "^" + part
		case 6:
			part += "$"
		case 7:
			part = "(?:" + part + "){1,2}"
		case 8:
			part = "(?i:" + part + ")"
		case 9:
			part += `.`
		}
		b.WriteString(part)
	}
	return b.String()
}

func randomLine(r *rand.Rand) string { return strings.ReplaceAll(randomText(r, 3), "\n", "") }

func randomOptions(r *rand.Rand) grep.Options {
	return grep.Options{Fixed: r.IntN(4) == 0, IgnoreCase: r.IntN(3) == 0, SmartCase: r.IntN(4) == 0, Word: r.IntN(4) == 0, Line: r.IntN(6) == 0}
}

// isWord is what -w takes for a part of a word.
func isWord(c rune) bool {
	return c == '_' || unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.IsMark(c)
}

// reference returns the lines of a text that have a match, found by the expression alone,
// line by line, and for words by trying every part of the line.
func reference(t *testing.T, patterns []string, o grep.Options, text string) (lines []string) {
	t.Helper()
	var all []*regexp.Regexp
	upper := false
	for _, p := range patterns {
		literals := p
		if o.Fixed {
			p = regexp.QuoteMeta(p)
		} else {
			literals = regexp.MustCompile(`\\.`).ReplaceAllString(p, "")
		}
		upper = upper || strings.ContainsFunc(literals, unicode.IsUpper)
		all = append(all, regexp.MustCompile("^(?:"+p+")$"), regexp.MustCompile(p))
		if o.IgnoreCase || o.SmartCase {
			all[len(all)-2] = regexp.MustCompile("^(?i:" + p + ")$")
			all[len(all)-1] = regexp.MustCompile("(?i)" + p)
		}
	}
	if o.SmartCase && !o.IgnoreCase && upper {
		o.SmartCase = false
		return reference(t, patterns, o, text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		for i := 0; i < len(all); i += 2 {
			if o.Line && all[i].MatchString(line) || !o.Line && o.Word && hasWord(all[i], line) || !o.Line && !o.Word && all[i+1].MatchString(line) {
				lines = append(lines, line)
				break
			}
		}
	}
	return lines
}

// hasWord reports whether a part of a line that whole matches stands between edges.
// Patterns with ^ and $ inside are not for it.
func hasWord(whole *regexp.Regexp, line string) bool {
	for from := 0; from <= len(line); from++ {
		for to := from; to <= len(line); to++ {
			if !utf8.ValidString(line[:from]) || !utf8.ValidString(line[from:to]) {
				continue
			}
			before, _ := utf8.DecodeLastRuneInString(line[:from])
			after, _ := utf8.DecodeRuneInString(line[to:])
			if (from == 0 || !isWord(before)) && (to == len(line) || !isWord(after)) && whole.MatchString(line[from:to]) {
				return true
			}
		}
	}
	return false
}

// Rows are those of the expression alone, and no line is dropped that has one.
func TestRandom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 2026))
	dropped, matched := 0, 0
	for n := range *rounds {
		texts := []string{randomText(r, 12), randomText(r, 12), randomText(r, 30+r.IntN(2)*200)}
		o := randomOptions(r)
		patterns := []string{randomPattern(r, texts[r.IntN(len(texts))])}
		if o.Fixed {
			patterns[0] = strings.Map(func(c rune) rune {
				if strings.ContainsRune("^$", c) {
					return 'a'
				}
				return c
			}, patterns[0])
		}
		if r.IntN(4) == 0 {
			patterns = append(patterns, randomPattern(r, texts[2]))
		}
		if o.Word && strings.ContainsAny(strings.Join(patterns, ""), "^$") {
			o.Word = false
		}
		p, err := grep.Compile(patterns, o)
		if err != nil {
			continue // (^)+ and the like
		}
		var block strings.Builder
		var want []bool
		for _, text := range texts {
			block.WriteString(`{"k":[` + encoded(r, text) + "]}\n")
			lines := reference(t, patterns, o, text)
			want = append(want, len(lines) > 0)
			var got []string
			for l := range p.Lines(text, n%2 == 0) {
				got = append(got, l.Text)
			}
			if diff := cmp.Diff(lines, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("round %d: %q with %+v in %q (-want +got):\n%s", n, patterns, o, text, diff)
			}
			if p.Match(text) != (len(lines) > 0) {
				t.Fatalf("round %d: %q with %+v: Match of %q is not Lines", n, patterns, o, text)
			}
		}
		shown := scan(t, p, block.String())
		for i, line := range strings.Split(strings.TrimSuffix(block.String(), "\n"), "\n") {
			switch {
			case want[i] && !shown[line]:
				t.Fatalf("round %d: %q with %+v drops %s", n, patterns, o, line)
			case want[i]:
				matched++
			case !shown[line]:
				dropped++
			}
		}
	}
	if matched < *rounds/4 || dropped < *rounds/4 {
		t.Errorf("%d matched, %d dropped: too few to say anything", matched, dropped)
	}
	t.Logf("%d rounds: %d texts matched, %d lines dropped", *rounds, matched, dropped)
}

// scan returns the lines of a text that a scanner shows.
func scan(t *testing.T, p *grep.Pattern, text string) map[string]bool {
	t.Helper()
	shown := map[string]bool{}
	for line, err := range p.Scanner(false).Candidates(strings.NewReader(text)) {
		if err != nil || !strings.HasPrefix(text[line.Offset:], line.Text) {
			t.Fatalf("%v: %q is not at %d", err, line.Text, line.Offset)
		}
		shown[line.Text] = true
	}
	return shown
}

// An error of reading comes behind the lines before it, and alone.
func TestCandidates(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	long := strings.Repeat("x", 1<<20) + "needle"
	r := io.MultiReader(strings.NewReader("a\nneedle\n"+long+"\nb\n"), iotest.ErrReader(failed))
	var got []grep.Candidate
	var err error
	for line, e := range grep.MustCompile([]string{"needle"}, grep.Options{}).Scanner(false).Candidates(r) {
		if err = e; err == nil {
			got = append(got, line)
		}
	}
	want := []grep.Candidate{{Text: "needle", Offset: 2}, {Text: long, Offset: 9}}
	if !slices.Equal(got, want) || !errors.Is(err, failed) {
		t.Errorf("%d lines, %v", len(got), err)
	}
}

// The law of FuzzScanner: a line that is dropped, if it is JSON, has no string that the
// pattern matches. All other lines are shown once, in their order.
func FuzzScanner(f *testing.F) {
	f.Add([]byte(`{"a":"\u0067hp_1"}`+"\n"+`["x",{"y":"\"x\""}]`), "ghp_", byte(0))
	f.Add([]byte(`["\ud83d\ude00 \ud800"]`), "\U0001f600", byte(1))
	f.Add([]byte(`["\u212aelvin \u017fo"]`), "kelvin", byte(1))
	f.Add([]byte("[\"\xff\"]\n\x00\n[\"a\\/b\"]"), "a/b|\ufffd", byte(0))
	f.Fuzz(func(t *testing.T, block []byte, pattern string, flags byte) {
		o := grep.Options{IgnoreCase: flags&1 != 0, Fixed: flags&2 != 0, Word: flags&4 != 0, Line: flags&8 != 0}
		p, err := grep.Compile([]string{pattern}, o)
		if err != nil {
			return
		}
		shown := scan(t, p, string(block))
		for line := range strings.SplitSeq(string(block), "\n") {
			var v any
			if shown[line] || json.Unmarshal([]byte(line), &v) != nil {
				continue
			}
			each(v, func(text string) {
				if p.Match(text) {
					t.Fatalf("%q with %+v drops %q, which has %q", pattern, o, line, text)
				}
			})
		}
	})
}

// each calls visit for the strings of a value.
func each(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, el := range v {
			each(el, visit)
		}
	case map[string]any:
		for _, el := range v {
			each(el, visit)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern string
		o       grep.Options
		text    string
		want    []string // of each line: the line, then its matches
	}{
		{"b", grep.Options{}, "abc\nxx\nbb", []string{"abc|b", "bb|b|b"}},
		{"^$", grep.Options{}, "a\n\nb\n", []string{"", ""}},
		{"a.c", grep.Options{}, "a\nc", nil},
		{`a\sc`, grep.Options{}, "a\nc", nil},
		{`a\nc`, grep.Options{}, "xa\ncx\nd", []string{"xa\ncx|a\nc"}},
		{`(?s)a.c`, grep.Options{}, "xa\ncx\nd", []string{"xa\ncx|a\nc"}},
		{"a\nc", grep.Options{Fixed: true}, "xa\ncx", []string{"xa\ncx|a\nc"}},
		{"a\n", grep.Options{Fixed: true}, "xa\ncx", []string{"xa|a"}},
		{`(?s)a.|c|y`, grep.Options{}, "xa\nc y\nz\ny", []string{"xa|a", "c y|c|y", "y|y"}},
		{`(?s)a.b|c`, grep.Options{}, "a\nb c\nc", []string{"a\nb c|a\nb|c", "c|c"}},
		{`a\z|b`, grep.Options{}, "ba\nba", []string{"ba|b", "ba|b|a"}},
		{`\Aa|b`, grep.Options{}, "ab\nab", []string{"ab|a|b", "ab|b"}},
		{"o*", grep.Options{}, "foo\nboo", []string{"foo|oo", "boo|oo"}},
		{"foo", grep.Options{Word: true}, "foo foo_ foo-foo", []string{"foo foo_ foo-foo|foo|foo|foo"}},
		{"foo!", grep.Options{Word: true}, "foo!foo!", []string{"foo!foo!|foo!"}},
		{"na", grep.Options{Word: true}, "naïve na", []string{"naïve na|na"}},
		{"日本", grep.Options{Word: true}, "日本語 日本", []string{"日本語 日本|日本"}},
		{"日本", grep.Options{Word: true}, "日本語", nil},
		{"a|ab", grep.Options{}, "ab", []string{"ab|ab"}},
		{"a.*?b", grep.Options{}, "abab", []string{"abab|ab|ab"}},
		{"kelvin", grep.Options{IgnoreCase: true}, "\u212aELVIN", []string{"\u212aELVIN|\u212aELVIN"}},
		{"i", grep.Options{IgnoreCase: true}, "İ", nil}, // simple folding
		{"so", grep.Options{SmartCase: true}, "ſO", []string{"ſO|ſO"}},
		{"So", grep.Options{SmartCase: true}, "so", nil},
		{"x", grep.Options{Line: true}, "x\nxx", []string{"x|x"}},
	} {
		p, err := grep.Compile([]string{tt.pattern}, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for l := range p.Lines(tt.text, true) {
			row := l.Text
			for _, m := range l.Matches {
				row += "|" + l.Text[m.From:m.To]
			}
			got = append(got, row)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q %+v in %q (-want +got):\n%s", tt.pattern, tt.o, tt.text, diff)
		}
	}
}

// No line that is dropped costs memory, and none that no escape hides is shown.
func TestDropped(t *testing.T) {
	block := []byte(strings.Repeat(`{"type":"message","id":"0a1b2c3d","message":{"role":"user","content":"say \u001b[1m\"hello\"\n to the parser"}}`+"\n", 2000))
	for pattern, o := range map[string]grep.Options{
		"needle":                 {Fixed: true},
		"Needle":                 {IgnoreCase: true},
		`ne+dle (in|of) a stack`: {},
		"日本":                     {},
	} {
		p, err := grep.Compile([]string{pattern}, o)
		if err != nil {
			t.Fatal(err)
		}
		s := p.Scanner(false)
		allocs := testing.AllocsPerRun(5, func() {
			s.Reset(block)
			if from, to, ok := s.Next(); ok {
				t.Errorf("%q shows %s", pattern, block[from:to])
			}
		})
		if allocs != 0 {
			t.Errorf("%q: %v allocations", pattern, allocs)
		}
	}
}

func BenchmarkScanner(b *testing.B) {
	block := []byte(strings.Repeat(`{"type":"message","id":"0a1b2c3d","message":{"role":"user","content":"say \"hello\"\n to the parser"}}`+"\n", 2000))
	p, err := grep.Compile([]string{"zzqneedlezz"}, grep.Options{Fixed: true})
	if err != nil {
		b.Fatal(err)
	}
	s := p.Scanner(false)
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		s.Reset(block)
		if _, _, ok := s.Next(); ok {
			b.Fatal("found")
		}
	}
}
