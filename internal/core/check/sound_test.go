package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/check"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/must"
)

// soundAgrees holds Sound to its law: of what is sound by it, Check finds nothing.
func soundAgrees(t *testing.T, input string) (sound bool) {
	t.Helper()
	sound, err := check.Sound(strings.NewReader(input))
	must.Do(t, err)
	if found := findings(t, input, check.Options{}); sound && len(found) > 0 {
		t.Errorf("said to be sound: %q\n%s", found, input)
	}
	return sound
}

func TestSound(t *testing.T) {
	t.Parallel()
	for _, input := range seeds() {
		soundAgrees(t, input)
	}
	sound := 0
	for _, dir := range []string{"pi", "omp"} {
		for _, file := range corpus.Sessions(t, dir) {
			if soundAgrees(t, string(corpus.Session(t, file))) {
				sound++
			}
		}
	}
	if sound < 5 {
		t.Errorf("%d sessions of the corpus are sound", sound)
	}
}

// Each change of a sound session is one that Check has something to say about,
// and so must not be sound.
func TestSoundOnlyIfNothingIsFound(t *testing.T) {
	t.Parallel()
	lines := []string{
		header, user("a", ""), call("b", "a", "c1"), answer("c", "b", "c1"), compaction("d", "c", "a"),
		lineAt(9, "label", "e", "d", `"targetId":"a"`, `"label":"x"`),
	}
	whole := text(lines...)
	if !soundAgrees(t, whole) || !soundAgrees(t, slot+"\n"+whole) {
		t.Fatalf("not sound: %q", findings(t, whole, check.Options{}))
	}
	for name, input := range map[string]string{
		"empty":             "",
		"no line feed":      strings.TrimSuffix(whole, "\n"),
		"torn":              whole + `{"type":`,
		"unknown block":     whole + line("message", "f", "e", `"message":{"role":"user","content":[{"type":"input_text","text":"x"}]}`) + "\n",
		"unknown usage":     whole + line("message", "f", "e", `"message":{"role":"assistant","content":[],"usage":{"prompt_tokens":1}}`) + "\n",
		"usage again":       whole + said("f", "e", "r", 1) + "\n" + said("g", "f", "r", 1) + "\n",
		"blank line":        whole + "\n",
		"carriage return":   strings.ReplaceAll(whole, "\n", "\r\n"),
		"byte order mark":   "\xef\xbb\xbf" + whole,
		"invalid UTF-8":     strings.Replace(whole, `"read"`, "\"\xff\"", 1),
		"no JSON":           whole + "x\n",
		"no object":         whole + "42\n",
		"no header":         text(lines[1:]...),
		"two headers":       whole + header + "\n",
		"old version":       strings.Replace(whole, `"version":3`, `"version":2`, 1),
		"no id":             strings.Replace(whole, `"id":"e"`, `"id":""`, 1),
		"twice":             whole + lines[5] + "\n",
		"one id twice":      whole + userAt(9, "a", "e") + "\n",
		"another root":      whole + userAt(9, "f", "") + "\n",
		"missing parent":    whole + userAt(9, "f", "?") + "\n",
		"branch":            whole + userAt(9, "f", "a") + "\n",
		"no target":         strings.Replace(whole, `"targetId":"a"`, `"targetId":"q"`, 1),
		"no first kept":     strings.Replace(whole, `"firstKeptEntryId":"a"`, `"firstKeptEntryId":"q"`, 1),
		"time goes back":    whole + userAt(8, "f", "e") + "\n",
		"result of no call": strings.Replace(whole, `"toolCallId":"c1"`, `"toolCallId":"c2"`, 1),
		"call, no result":   text(lines[:3]...),
	} {
		if soundAgrees(t, input) {
			t.Errorf("%s: sound", name)
		}
		if len(findings(t, input, check.Options{})) == 0 {
			t.Errorf("%s: nothing is found", name)
		}
	}
}

func TestSoundRandomDamage(t *testing.T) {
	t.Parallel()
	for _, r := range drawn.Cases(t, 2000) {
		soundAgrees(t, damagedSession(r))
	}
}

// FuzzSound: of what is sound, Check finds nothing.
func FuzzSound(f *testing.F) {
	for _, s := range seeds() {
		if len(s) <= 4096 {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, input string) { soundAgrees(t, input) })
}

// many is how often hostile sessions repeat what is bad. What is quadratic in
// it takes minutes.
const many = 10_000

var hostile = map[string]struct {
	make   func() string
	errors int
}{
	"one cycle": {func() string {
		return repeat(func(i int) string { return user(fmt.Sprint(i), fmt.Sprint((i+many-1)%many)) })
	}, 1},
	"all one id": {func() string {
		return repeat(func(i int) string { return line("custom", "a", "", fmt.Sprintf(`"customType":"%d"`, i)) })
	}, many - 1},
	"all the same": {func() string {
		return repeat(func(int) string { return user("a", "") })
	}, 0},
	"all fused": {func() string {
		return header + "\n" + strings.ReplaceAll(repeat(func(i int) string { return user(fmt.Sprint(i), "") })[len(header)+1:], "\n", "") + "\n"
	}, 1},
	"one call, many results": {func() string {
		return repeat(func(i int) string { return answer(fmt.Sprint(i), fmt.Sprint(i-1), "c") })
	}, 1},
	"many calls, many results": {func() string {
		return repeat(func(i int) string {
			if i < many/2 {
				return call(fmt.Sprint(i), fmt.Sprint(i-1), "c")
			}
			return answer(fmt.Sprint(i), fmt.Sprint(i-1), "c")
		})
	}, 1},
	"open braces": {func() string { return repeat(func(int) string { return "{" }) }, many},
	"deep nesting": {func() string {
		return header + "\n" + strings.Repeat(`{"type":"message","id":"`, many) + "\n" + strings.Repeat("[", 100*many) + "\n"
	}, 2},
}

func repeat(line func(i int) string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range many {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for name, tt := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input := tt.make()
			found, err := check.Check(strings.NewReader(input), check.Options{})
			must.Do(t, err)
			n := 0
			for _, f := range found {
				if f.Severity == check.Error {
					n++
				}
			}
			if n != tt.errors {
				t.Errorf("%d errors, want %d: %+v", n, tt.errors, found[:min(len(found), 3)])
			}
			r := repair(t, input, true)
			if found, err = check.Check(strings.NewReader(text(r.Lines...)), check.Options{}); err != nil {
				t.Fatal(err)
			}
			if worst, _ := check.Worst(found); worst == check.Error {
				t.Errorf("not clean: %+v", found[:min(len(found), 3)])
			}
		})
	}
}
