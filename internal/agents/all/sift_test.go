package all_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// saidIn returns the runs of letters in the strings of a session that are read, each once, but for what its importer keeps for itself.
func saidIn(r formatstest.Result) []string {
	words := map[string]bool{}
	for _, line := range r.Lines {
		v := js.Value(line)
		if v.Get("type").Str() == "custom" {
			continue
		}
		v = v.Without("id", "parentId", "targetId", "firstKeptEntryId", "parentSession", session.MemberKept)
		v.Strings(func(string, js.Value) bool { return false }, func(literal js.Value) bool {
			for word := range strings.FieldsFuncSeq(literal.Str(), func(r rune) bool { return !unicode.IsLetter(r) || r == unicode.ReplacementChar }) {
				words[word] = true
			}
			return true
		})
	}
	return slices.Collect(maps.Keys(words))
}

// sifted holds the sessions of a source to the law of [formats.Sifter]: what a text has, its source may have. It returns how many
// words were asked for that conversion did not make.
func sifted(t *testing.T, r *rand.Rand, f formats.Format, path string) (asked int) {
	t.Helper()
	src := &formats.Source{Path: path, Env: formats.Env{Getenv: func(string) string { return "" }}}
	a, err := f.Open(t.Context(), src)
	if err != nil {
		return 0
	}
	defer a.Close()
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			continue
		}
		read, err := formatstest.Try(t.Context(), f, a, info)
		if err != nil {
			if !formats.MayHave(t.Context(), a, info, formats.OfSources([]string{"zzqneedlezz"})) {
				t.Errorf("%s: nothing tells that it cannot be read: %v", path, err)
			}
			continue
		}
		for _, word := range saidIn(read) {
			if n := len(word); n > 8 { // any part of it
				from := r.IntN(n - 4)
				word = strings.ToValidUTF8(word[from:from+4+r.IntN(n-from-3)], "")
			}
			if words := formats.OfSources([]string{strings.ToLower(word)}); len(word) > 3 && words != nil {
				if asked++; !formats.MayHave(t.Context(), a, info, words) {
					t.Errorf("%s: %s says %q, and its source has no such word", path, info.ID, word)
				}
			}
		}
	}
	return asked
}

// No sample has a word that its source does not have.
func TestSourcesHaveTheWordsOfSamples(t *testing.T) {
	t.Parallel()
	dir, seen := t.TempDir(), map[string]int{}
	samples := map[string]formats.Format{}
	for _, root := range []string{"claude/genuine", "claude/resumed"} {
		samples[filepath.Join(corpus.Dir(), filepath.FromSlash(root))] = claude.Claude
		for _, path := range corpus.Sessions(t, root) {
			samples[path] = claude.Claude
		}
	}
	samples[filepath.Join(corpus.Dir(), "codex", "home")] = codex.Format
	for archive, f := range map[string]formats.Format{"codex/rollouts/0.169": codex.Format, "codex/compact/0.169": codex.Format, "opencode/databases-1.18": opencode.Format, "opencode/homes-1.18": opencode.Format} {
		for name, data := range corpus.Golden(t, archive) {
			if strings.HasPrefix(name, "golden/") {
				continue
			}
			path := filepath.Join(dir, f.About().Name, strconv.Itoa(len(samples)), name)
			formatstest.Put(t, path, string(data))
			samples[path] = f
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for path, f := range samples {
		seen[f.About().Name] += sifted(t, r, f, path)
	}
	for _, name := range []string{"claude", "codex", "opencode"} {
		if seen[name] < 50 {
			t.Errorf("%s: %d words were asked for", name, seen[name])
		}
	}
	if wild := os.Getenv("SESS_WILD"); wild != "" { // sessions of people
		must.Do(t, filepath.WalkDir(wild, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			head, err := (&formats.Source{Path: path}).Head(t.Context())
			if f, ok := formats.Detect([]formats.Format{claude.Claude, codex.Format, opencode.Format}, path, head); ok && err == nil {
				sifted(t, r, f, path)
			}
			return nil
		}))
	}
}

// escapedJSON writes a text as a JSON string with one of so many characters escaped by lot, none of 0.
func escapedJSON(r *rand.Rand, one int, text string) string {
	var b strings.Builder
	for _, c := range text {
		if one > 0 && c < 0x10000 && r.IntN(one) == 0 {
			fmt.Fprintf(&b, `\u%04x`, c)
			continue
		}
		quoted := js.Quote(string(c))
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return `"` + b.String() + `"`
}

// A text that is escaped in whatever way, split between the blocks of a reply or within an argument that is JSON itself, is found.
func TestSourcesHaveTheWordsOfDrawnSessions(t *testing.T) {
	t.Parallel()
	const letters = "falconglidesüberwälder привет мир ßK"
	found, none := 0, 0
	for n, r := range drawn.Cases(t, 300) {
		one := []int{0, 6, 60}[n%3]
		text := func() string {
			var b strings.Builder
			for range 3 + r.IntN(30) {
				c := []rune(letters)[r.IntN(len([]rune(letters)))]
				b.WriteRune([]rune{c, c, c, c, c, c, c, c, '\n', '"', '\\', '/'}[r.IntN(12)])
			}
			return b.String()
		}
		var lines []string
		parent := "null"
		add := func(role, content, more string) {
			uuid := fmt.Sprintf(`"00000000-0000-4000-8000-%012d"`, len(lines))
			lines = append(lines, fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"type":%q,"message":{"role":%q,"content":%s%s},"uuid":%s,"timestamp":"2026-01-02T03:04:05.%03dZ","cwd":"/w","sessionId":"00000000-0000-4000-8000-000000000001","version":"2.1.0"}`,
				parent, role, role, content, more, uuid, len(lines)))
			parent = uuid
		}
		add("user", escapedJSON(r, one, text()), "")
		for reply := range 1 + r.IntN(3) {
			whole := []rune(text())
			reply := fmt.Sprintf(`,"id":"msg_%024d","type":"message","model":"claude-opus-4-5","usage":{"input_tokens":1,"output_tokens":1}`, reply)
			for len(whole) > 0 { // in lines and blocks of one reply
				var blocks []string
				for range 1 + r.IntN(2) {
					k := 1 + r.IntN(len(whole)+1)
					k = min(k, len(whole))
					blocks = append(blocks, `{"type":"text","text":`+escapedJSON(r, one, string(whole[:k]))+`}`)
					if whole = whole[k:]; len(whole) == 0 {
						break
					}
				}
				add("assistant", "["+strings.Join(blocks, ",")+"]", reply)
			}
		}
		path := filepath.Join(t.TempDir(), "00000000-0000-4000-8000-000000000001.jsonl")
		formatstest.Put(t, path, strings.Join(lines, "\n")+"\n")
		found += sifted(t, r, claude.Claude, path)
		rollout := fmt.Sprintf(`{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"id":"01a1fc0e-98e3-7780-b1a7-%012d","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}}`, n)
		for k := range 4 {
			rollout += fmt.Sprintf("\n"+`{"timestamp":"2026-01-02T03:04:06.%03dZ","type":"response_item","payload":{"type":"message","role":%q,"content":[{"type":"%s_text","text":%s},{"type":"%[3]s_text","text":%s}]}}`,
				k, []string{"user", "assistant"}[k%2], []string{"input", "output"}[k%2], escapedJSON(r, one, text()), escapedJSON(r, one, text()))
			rollout += fmt.Sprintf("\n"+`{"timestamp":"2026-01-02T03:04:07.%03dZ","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":%s,"call_id":"call_%d"}}`,
				k, escapedJSON(r, one, `{"command":`+escapedJSON(r, one, text())+`}`), k)
		}
		path = filepath.Join(t.TempDir(), fmt.Sprintf("rollout-2026-01-02T03-04-05-01a1fc0e-98e3-7780-b1a7-%012d.jsonl", n))
		formatstest.Put(t, path, rollout+"\n")
		found += sifted(t, r, codex.Format, path)
		none++
	}
	if found < 10*none {
		t.Errorf("%d words were asked for of %d sessions", found, none)
	}
}
