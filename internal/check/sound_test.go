package check_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/check"
	"github.com/sess-tools/sess/internal/test/corpus"
)

// soundAgrees holds Sound to its law: of what is sound by it, Check finds nothing.
func soundAgrees(t *testing.T, input string) (sound bool) {
	t.Helper()
	sound, err := check.Sound(strings.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
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
	for seed := range uint64(2000) {
		soundAgrees(t, damagedSession(rand.New(rand.NewPCG(seed, 2))))
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
