package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/core/secret"
	treepkg "github.com/sess-tools/sess/internal/core/tree"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/planted"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

var rules = func() *secret.Set {
	set, err := secret.New(secret.Options{Depth: 5})
	if err != nil {
		panic(err)
	}
	return set
}()

// tester is what tests and rapid have in common.
type tester interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

func with(t tester, o Options) *Redactor {
	t.Helper()
	if o.Set == nil {
		o.Set = rules
	}
	r, err := New(o)
	must.Do(t, err)
	return r
}

// run redacts a text of lines.
func run(r *Redactor, text string) (out string, found []Found, err error) {
	return runBeside(r, text, false)
}

func runBeside(r *Redactor, text string, beside bool) (out string, found []Found, err error) {
	var b strings.Builder
	err = r.Run(jsonl.Lines(strings.NewReader(text)), beside, func(s string) error { b.WriteString(s); return nil },
		func(f Found) { found = append(found, f) })
	return b.String(), found, err
}

// redacted redacts lines that must go through, and holds the output to all laws: the same
// shape, nothing found in it, the same again, and the same when lines are looked at side by side.
func redacted(t tester, o Options, text string) (string, []Found) {
	t.Helper()
	out, found, err := run(with(t, o), text)
	must.Do(t, err)
	if others, also, err := runBeside(with(t, o), text, true); others != out || !reflect.DeepEqual(also, found) || err != nil {
		t.Errorf("side by side it is %v, %v\n%s\nnot %v\n%s", err, also, others, found, out)
	}
	if o.Images == "" && !o.Damaged && shapes(out) != shapes(text) {
		t.Errorf("the shape changed:\n%s\n%s", shapes(text), shapes(out))
	}
	again, more, err := run(with(t, o), out)
	must.Do(t, err)
	if again != out {
		t.Errorf("it is not the same again:\n%s\n%s", out, again)
	}
	for _, f := range more {
		if !f.Structural {
			t.Errorf("it is found again: %v in %s", f, f.Field)
		}
	}
	return out, found
}

func shapes(text string) (out string) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\xef\xbb\xbf")) {
		if js.Valid([]byte(line)) {
			line = shape(line)
		}
		out += line
	}
	return out
}

func kinds(found []Found) (list []string) {
	for _, f := range found {
		list = append(list, f.Entry+":"+f.Field+":"+f.Rule)
	}
	return list
}

func message(blocks ...any) string {
	return encoded(map[string]any{"type": "message", "id": "a0000001", "message": map[string]any{"role": "user", "content": blocks}}) + "\n"
}

func text1(s string) any { return map[string]any{"type": "text", "text": s} }

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestPlanted(t *testing.T) {
	t.Parallel()
	s := planted.Make(1)
	out, found := redacted(t, Options{}, s.Text())
	if len(found) != s.Kinds {
		t.Errorf("%d found, not %d: %q", len(found), s.Kinds, kinds(found))
	}
	for _, secret := range s.Secrets {
		if strings.Contains(out, secret) {
			t.Errorf("left: %d bytes of a secret", len(secret))
		}
	}
	for name, text := range s.Kept {
		if !strings.Contains(out, text) {
			t.Errorf("%s was changed", name)
		}
	}
	want := []string{"-:title:github-pat", "a0000006:content[0..1].text:anthropic-api-key", "a0000007:meta.key:github-pat"}
	for _, w := range want {
		if !slices.Contains(kinds(found), w) {
			t.Errorf("no %s in %q", w, kinds(found))
		}
	}
}

// 20: the tree is the same, with a secret in each text of a session that has branches.
func TestTree(t *testing.T) {
	t.Parallel()
	m := planted.New(14)
	for _, name := range append(corpus.Sessions(t, "pi/branches"), corpus.Sessions(t, "pi/genuine")...) {
		before := string(corpus.Session(t, name))
		var b strings.Builder
		for line := range strings.Lines(before) {
			b.WriteString(strings.Replace(line, `"text":"`, `"text":"`+m.GitHub()+" ", 1))
		}
		out, _, err := run(with(t, Options{}), b.String())
		must.Do(t, err)
		if treeOf(t, b.String()) != treeOf(t, out) {
			t.Errorf("%s: another tree", name)
		}
		if strings.Contains(out, "ghp_") {
			t.Errorf("%s: a secret is left", name)
		}
	}
}

// treeOf is the shape of the tree of a session.
func treeOf(t *testing.T, text string) string {
	t.Helper()
	s := corpus.ParseText(t, text)
	leaf, _ := s.Leaf()
	path, _ := s.PathIndex(leaf)
	var b strings.Builder
	for r := range treepkg.New(s, path).Rows(true) {
		fmt.Fprintln(&b, s.Entries[r.Pos].ID(), r.Above, r.Depth, r.Opens, r.Last)
	}
	return b.String()
}

// The hard cases of other programs, each by what went wrong.
func TestHardCases(t *testing.T) {
	t.Parallel()
	m := planted.New(2)
	ghp, aws, sk, stripe := m.GitHub(), m.AWS(), m.Anthropic(), m.Stripe()
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	folded := func(s string, width int) (out string) {
		for ; len(s) > width; s = s[width:] {
			out += s[:width] + "\n"
		}
		return out + s
	}
	nested := encoded(map[string]string{"a": encoded(map[string]string{"b": encoded(map[string]string{"token": ghp})})})
	pem := m.PEM()
	for _, c := range []struct{ name, in, want string }{
		{"01 the escape before a quote stays", message(text1(`export STRIPE_KEY="` + stripe + `"` + "\n")), "stripe-access-token"},
		{"04 encoded twice", message(text1(b64(b64(`{"token":"` + ghp + `"}`)))), "github-pat"},
		{"04 hex in base64", message(text1(b64(hex.EncodeToString([]byte("a token " + ghp))))), "github-pat"},
		{"07 in a key", message(map[string]any{"type": "toolCall", "arguments": map[string]any{ghp: ghp}}), "github-pat"},
		{"07 in a title", encoded(map[string]any{"type": "session_info", "id": "b0000001", "name": ghp}) + "\n", "github-pat"},
		{"07 in cwd", encoded(map[string]any{"type": "session", "id": "x", "cwd": "/srv/" + ghp}) + "\n", "github-pat"},
		{"07 in a label", encoded(map[string]any{"type": "label", "id": "b0000001", "label": ghp}) + "\n", "github-pat"},
		{"07 in details", message(map[string]any{"details": map[string]any{"diff": []any{1, "+ " + ghp}}}), "github-pat"},
		{"07 in an unknown entry", encoded(map[string]any{"type": "future", "x": []any{[]any{ghp}}}) + "\n", "github-pat"},
		{"08 JSON in JSON in JSON", message(text1("curl -d '" + nested + "'")), "github-pat"},
		{"09 PEM of several lines", message(text1("x\n" + pem + "\ny")), "private-key"},
		{"10 over two blocks", message(text1("a "+sk[:40]), text1(sk[40:]+" b")), "anthropic-api-key"},
		{"10 over three blocks", message(text1(sk[:40]), text1(sk[40:60]), text1(sk[60:])), "anthropic-api-key"},
		{"10 over two entries", message(text1("a "+sk[:40])) + message(text1(sk[40:]+" b")), "anthropic-api-key"},
		{"10 over a fold at 64", message(text1(folded(b64("the token is "+ghp+", and this is some more text to fold"), 64))), "github-pat"},
		{"10 over a fold at 76", message(text1(folded(b64("the token is "+ghp+", and this is some more text to fold, to be sure"), 76))), "github-pat"},
		{"11 escapes of mixed case, beside a surrogate", `{"type":"message","message":{"role":"user","content":"\ud83d\uDE00 ` + strings.ReplaceAll(ghp, "g", `\u0067`) + `\ud83d"}}` + "\n", "github-pat"},
		{"11 hex of mixed case", message(text1(strings.ToUpper(hex.EncodeToString([]byte("token " + ghp))))), "github-pat"},
		{"12 under two rules", message(text1("AWS_KEY=" + aws)), "aws-access-token"},
		{"15 an environment", message(text1("PATH=/bin\nDEPLOY_TOKEN=" + m.Random(24, "abcdefghij0123456789ABCDEFG") + "\nHOME=/")), "env-secret"},
		{"15 a DSN", message(text1("postgres://u:" + m.Password() + "@h/db")), "dsn-password"},
		{"named by its key", message(map[string]any{"arguments": map[string]any{"password": m.Password()}}), "password-assignment"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, found := redacted(t, Options{}, c.in)
			if len(found) == 0 {
				t.Fatal("nothing found")
			}
			for _, f := range found {
				if f.Rule != c.want {
					t.Errorf("found %s, not %s", f.Rule, c.want)
				}
			}
			for _, s := range []string{ghp, aws, stripe, sk[:40], sk[40:], pem[50:120]} {
				if strings.Contains(out, s) {
					t.Error("left")
				}
			}
		})
	}
}

// 10 at each alignment: a fold may stand anywhere in the secret.
func TestFolds(t *testing.T) {
	t.Parallel()
	ghp := planted.New(3).GitHub()
	for _, width := range []int{60, 64, 72, 76} {
		for shift := range width {
			plain := strings.Repeat("x", 40+shift) + " " + ghp + " " + strings.Repeat("y", 40)
			run := base64.StdEncoding.EncodeToString([]byte(plain))
			var b strings.Builder
			for ; len(run) > width; run = run[width:] {
				b.WriteString(run[:width] + "\n")
			}
			if _, found := redacted(t, Options{}, message(text1(b.String()+run))); len(found) != 1 {
				t.Errorf("width %d, shift %d: %d found", width, shift, len(found))
			}
		}
	}
}

// 9: a key whose begin and end stand in two strings does not take what is between.
func TestTornPEM(t *testing.T) {
	t.Parallel()
	pem := planted.New(4).PEM()
	in := message(text1("begin "+pem[:300]), text1("between"), text1(pem[300:]+" end"))
	out, _ := redacted(t, Options{}, in)
	if strings.Contains(out, pem[100:160]) || !strings.Contains(out, "between") {
		t.Error(out)
	}
}

// 12: one replacement for a secret under two rules.
func TestOneReplacement(t *testing.T) {
	t.Parallel()
	out, found := redacted(t, Options{}, message(text1("Authorization: Bearer "+planted.New(5).GitHub())))
	if len(found) != 1 || strings.Count(out, "[redacted:") != 1 {
		t.Error(out, kinds(found))
	}
}

// 13: an id stays what it is, and is reported.
func TestStructural(t *testing.T) {
	t.Parallel()
	ghp := planted.New(6).GitHub()
	in := encoded(map[string]any{"type": "message", "id": ghp, "parentId": ghp, "message": map[string]any{
		"role": "toolResult", "toolCallId": ghp, "content": []any{map[string]any{"type": "toolCall", "id": ghp, "arguments": map[string]any{"id": ghp}}},
	}}) + "\n"
	out, found, err := run(with(t, Options{}), in)
	must.Do(t, err)
	if strings.Count(out, ghp) != 4 || strings.Count(out, "[redacted:github-pat]") != 1 {
		t.Error("not as wanted")
	}
	n := 0
	for _, f := range found {
		if f.Structural {
			n++
		}
	}
	if n != 4 || len(found) != 5 {
		t.Errorf("%d of %d are structural", n, len(found))
	}
}

// 7: keys that become the same are told apart.
func TestKeys(t *testing.T) {
	t.Parallel()
	m := planted.New(7)
	in := fmt.Sprintf(`{"type":"x","%s":1,"%s":{"%s":2},"[redacted:github-pat]":3}`+"\n", m.GitHub(), m.GitHub(), m.GitHub())
	out, _ := redacted(t, Options{}, in)
	want := `{"type":"x","[redacted:github-pat]-2":1,"[redacted:github-pat]-3":{"[redacted:github-pat]":2},"[redacted:github-pat]":3}` + "\n"
	if out != want {
		t.Error(out)
	}
}

// 2 and 3: a picture stays whatever its base64 looks like; a name and a beginning are no
// picture, and what follows one is none.
func TestImages(t *testing.T) {
	t.Parallel()
	m := planted.New(8)
	ghp := m.GitHub()
	for name, data := range pictures(t) {
		for _, format := range []string{"%s", "data:image/x;base64,%s", "![a](data:image/x;base64,%s) b"} {
			in := message(map[string]any{"type": "image", "data": fmt.Sprintf(format, base64.StdEncoding.EncodeToString(data)), "mimeType": "image/png"})
			set, err := secret.New(secret.Options{Bare: true, Rules: []secret.Rule{{ID: "any", Regex: `[A-Za-z0-9+/]{20}`}}})
			must.Do(t, err)
			if out, found, err := run(with(t, Options{Set: set}), in); out != in || len(found) > 0 || err != nil {
				t.Errorf("%s in %s: changed: %v %v", name, format, kinds(found), err)
			}
			tail := base64.StdEncoding.EncodeToString(append(slices.Clone(data), " token "+ghp...))
			in = message(map[string]any{"type": "image", "data": fmt.Sprintf(format, tail), "mimeType": "image/png"})
			out, found := redacted(t, Options{}, in)
			if len(found) != 1 || !strings.Contains(out, strings.TrimRight(base64.StdEncoding.EncodeToString(data), "=")) {
				t.Errorf("%s in %s with a tail: %v", name, format, kinds(found))
			}
		}
	}
	for name, data := range map[string]string{
		"SVG":         "<svg>" + strings.Repeat(" ", 60) + ghp + "</svg>",
		"a beginning": "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 40) + ghp,
	} {
		value := base64.StdEncoding.EncodeToString([]byte(data))
		out, _ := redacted(t, Options{}, message(map[string]any{"type": "image", "data": value, "mimeType": "image/png"}))
		if strings.Contains(out, value) {
			t.Errorf("%s is taken for a picture", name)
		}
	}
}

func pictures(t *testing.T) map[string][]byte {
	rnd := rand.New(rand.NewPCG(1, 1))
	img := image.NewPaletted(image.Rect(0, 0, 60, 60), color.Palette{color.Black, color.White, color.RGBA{200, 1, 1, 255}})
	for i := range img.Pix {
		img.Pix[i] = uint8(rnd.IntN(3))
	}
	out := map[string][]byte{}
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"png":  func(b *bytes.Buffer) error { return png.Encode(b, img) },
		"jpeg": func(b *bytes.Buffer) error { return jpeg.Encode(b, img, nil) },
		"gif":  func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) },
	} {
		var b bytes.Buffer
		must.Do(t, encode(&b))
		out[name] = b.Bytes()
	}
	out["webp"] = append([]byte("RIFF\x64\x00\x00\x00WEBPVP8L"), bytes.Repeat([]byte{0x12, 0xfe}, 46)...)
	return out
}

// A signature is opaque: a rule that matches in it is chance, but a signature that is a
// secret as a whole goes, as a whole.
func TestSignatures(t *testing.T) {
	t.Parallel()
	m := planted.New(9)
	ghp := m.GitHub()
	for _, c := range []struct {
		value string
		drop  bool
		kept  bool
	}{
		{"AAAA/" + ghp, false, true}, {ghp, false, false}, {"AAAA/" + ghp, true, false},
	} {
		in := message(map[string]any{"type": "thinking", "thinking": "x", "thinkingSignature": c.value})
		out, _, err := run(with(t, Options{Signatures: c.drop}), in)
		if err != nil || strings.Contains(out, c.value) != c.kept || !c.kept && !strings.Contains(out, `"thinkingSignature":""`) {
			t.Errorf("%v: %v", c.kept, err)
		}
	}
}

// 14: what is none.
func TestNoSecrets(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"AKIAIOSFODNN7EXAMPLE", "ghp_" + strings.Repeat("x", 36), "getAuthenticationTokenFromEnvironment()", "password: string",
		`password = os.Getenv("PASSWORD")`, "API_KEY=your-api-key-here", "TOKEN=${TOKEN}", "SECRET=<secret>", "postgres://user:pass@localhost/db",
		"https://example.com:8080/@scope/pkg", "sha512-" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0x91, 7, 0xfe}, 21)) + "==",
		"01a1fc13-c396-73f6-9dd0-5b0c224b3890", "toolu_01A09q90qw90lq917835lq9", "the passphrase is not shown", "Authorization: Bearer <token>",
		"--token is the flag", "-p --password-stdin", "passwordField.setPassword(nextPassword1)", "key=value", "Cookie: theme=dark-mode-is-the-best",
	} {
		if _, found := redacted(t, Options{}, message(text1(s))); len(found) > 0 {
			t.Errorf("%s: %v", s, kinds(found))
		}
	}
}

// A corpus of more than a megabyte has no secrets: hashes, uuids, lock files, pictures, code.
func TestFalsePositives(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a megabyte of code: not with -short")
	}
	rnd := rand.New(rand.NewPCG(3, 3))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return b
	}
	var lines []string
	size := 0
	add := func(s string) {
		lines = append(lines, message(text1(s)))
		size += len(s)
	}
	for range 300 {
		var b strings.Builder
		for range 20 {
			fmt.Fprintf(&b, "commit %x\nAuthor: a <a@example.com>\n", random(20))
			fmt.Fprintf(&b, "%x-%x-%x-%x-%x  %x  lib%x.so\n", random(4), random(2), random(2), random(2), random(6), random(32), random(3))
			fmt.Fprintf(&b, "\"node_modules/a\": {\"version\": \"1.2.3\", \"integrity\": \"sha512-%s\"},\n", base64.StdEncoding.EncodeToString(random(64)))
			fmt.Fprintf(&b, "golang.org/x/net v0.1.0 h1:%s\nchecksum = \"%x\"\n", base64.StdEncoding.EncodeToString(random(32)), random(32))
		}
		add(b.String())
	}
	for _, data := range pictures(t) {
		add(base64.StdEncoding.EncodeToString(data))
	}
	for range 100 {
		add(base64.StdEncoding.EncodeToString(random(3000)))
	}
	if size < 1<<20 {
		t.Fatalf("%d bytes only", size)
	}
	if _, found := redacted(t, Options{}, strings.Join(lines, "")); len(found) > 0 {
		t.Errorf("%q", kinds(found))
	}
}

// A line that is no JSON is never passed on with a secret.
func TestDamaged(t *testing.T) {
	t.Parallel()
	ghp := planted.New(10).GitHub()
	good := message(text1("x"))
	for _, bad := range []string{`{"a":"` + ghp, `{"a":1}{"b":"` + ghp + `"}`, "\x00\x00" + ghp, ghp} {
		in := good + bad + "\n" + good
		out, found, err := run(with(t, Options{}), in)
		at, ok := session.AsProblem(err)
		if !ok || at.Line != 2 || at.Kind != Damaged || out != good || len(found) != 1 || strings.Contains(err.Error(), ghp) {
			t.Errorf("%v, %d found, %d bytes", err, len(found), len(out))
		}
		if out, _ := redacted(t, Options{Damaged: true}, in); out != good+"[redacted:damaged-line]\n"+good {
			t.Error(out)
		}
	}
	for _, fine := range []string{"", "\n\n", `{"a":1`, "\xef\xbb\xbf" + good, good[:len(good)-1], "\x00", good + "\r\n" + good[:20], strings.Repeat("[", 20000) + "\n"} {
		if out, _ := redacted(t, Options{}, fine); out != fine {
			t.Errorf("changed: %q", out)
		}
	}
	in := "\xef\xbb\xbf" + message(text1(ghp))
	if out, _ := redacted(t, Options{}, in); !strings.HasPrefix(out, "\xef\xbb\xbf{") || strings.Contains(out, ghp) {
		t.Error(out)
	}
}

// An error of the lines, of what is written and of a line comes in its place, whether or not lines are looked at side by side.
func TestRunFails(t *testing.T) {
	t.Parallel()
	const lines = 40
	for _, beside := range []bool{false, true} {
		one := `{"type":"message","id":"a0000001","message":{"role":"user","content":"hi"}}` + "\n"
		text := strings.Repeat(one+strings.Replace(one, "user", "assistant", 1), lines/2)
		torn := errors.New("torn")
		broken := func(yield func(jsonl.Line, error) bool) {
			for l := range jsonl.Lines(strings.NewReader(text)) {
				if !yield(l, nil) {
					return
				}
			}
			yield(jsonl.Line{}, torn)
		}
		written := 0
		write := func(part string) error {
			written += strings.Count(part, "\n")
			return nil
		}
		if err := with(t, Options{}).Run(broken, beside, write, func(Found) {}); !errors.Is(err, torn) || written < lines-1 {
			t.Errorf("beside %v: %v after %d lines", beside, err, written)
		}
		full := errors.New("full")
		if err := with(t, Options{}).Run(jsonl.Lines(strings.NewReader(text)), beside, func(string) error { return full }, func(Found) {}); !errors.Is(err, full) {
			t.Errorf("beside %v: %v", beside, err)
		}
		secrets := planted.New(5)
		damaged := text + `{"torn":"` + secrets.GitHub() + "\n" + text
		_, _, err := runBeside(with(t, Options{}), damaged, beside)
		if p, ok := session.AsProblem(err); !ok || p.Kind != Damaged || p.Line != lines+1 {
			t.Errorf("beside %v: %v", beside, err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("beside %v: no panic where Run was called", beside)
				}
			}()
			_, _, _ = runBeside(&Redactor{o: Options{}, clean: map[string]bool{}}, text, beside) // without rules
		}()
		var numbers []int
		o := Options{Broken: func(l jsonl.Line) { numbers = append(numbers, l.Number) }}
		if _, _, err := runBeside(with(t, o), "no\n\n{}\n \nno", beside); err != nil || !slices.Equal(numbers, []int{1, 5}) {
			t.Errorf("beside %v: lines %v are no JSON, %v", beside, numbers, err)
		}
	}
}

// The styles.
func TestStyles(t *testing.T) {
	t.Parallel()
	ghp := planted.New(11).GitHub()
	in := message(text1(ghp + " " + ghp))
	for word, want := range map[string]string{
		"kind": "[redacted:github-pat]", "mask:4": ghp[:4] + "***", "mask:8": ghp[:8] + "***", "XXX": "XXX",
	} {
		style, err := ParseStyle(word)
		must.Do(t, err)
		if out, _ := redacted(t, Options{Style: style}, in); out != message(text1(want+" "+want)) {
			t.Errorf("%s: %s", word, out)
		}
	}
	style, _ := ParseStyle("hash")
	style.Key = []byte("k")
	out, _ := redacted(t, Options{Style: style}, in)
	if n := strings.Index(out, "[redacted:github-pat:"); n < 0 || strings.Count(out, out[n:n+30]) != 2 {
		t.Error(out)
	}
	for _, bad := range []string{"mask:0", "mask:9", "mask:x", "a\"b", "a\\b", "a\nb", "it's"} {
		if _, err := ParseStyle(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if _, err := New(Options{Set: rules, Style: Style{Text: ghp}}); err == nil || strings.Contains(err.Error(), ghp) {
		t.Error(err)
	}
}

func TestImagePolicies(t *testing.T) {
	t.Parallel()
	img := map[string]any{"type": "image", "data": "x", "mimeType": "image/png"}
	in := message(img, text1("a"), img, img)
	for policy, want := range map[string]string{"drop": message(text1("a"))} {
		if out, _ := redacted(t, Options{Images: policy}, in); out != want {
			t.Errorf("%s: %s", policy, out)
		}
	}
	if out, _ := redacted(t, Options{Images: "note"}, in); strings.Count(out, `"type":"text"`) != 4 || strings.Contains(out, `"image"`) {
		t.Error(out)
	}
	if out, _ := redacted(t, Options{Images: "drop"}, message(img)); out != message() && !strings.Contains(out, `"content":[]`) {
		t.Error(out)
	}
}

// Known values are found in every encoding.
func TestValues(t *testing.T) {
	t.Parallel()
	const value = `pass"word/+é` // no rule knows it
	set, err := secret.New(secret.Options{Values: []secret.Value{{Name: "env:X", Text: value}}, Depth: 5})
	must.Do(t, err)
	quoted := encoded(value)
	for _, form := range []string{
		value, base64.StdEncoding.EncodeToString([]byte(value)), base64.StdEncoding.EncodeToString([]byte("a" + value)), base64.StdEncoding.EncodeToString([]byte("ab" + value + "c")),
		base64.RawURLEncoding.EncodeToString([]byte("\xff" + value + "\xfe")), hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte("\x01" + value))),
		url.QueryEscape(value), url.PathEscape(value), quoted[1 : len(quoted)-1],
	} {
		out, found := redacted(t, Options{Set: set}, message(text1("a "+form+" b")))
		if len(found) != 1 || found[0].Rule != "env:X" || out != message(text1("a [redacted:env:X] b")) {
			t.Errorf("%q: %v %s", form, kinds(found), out)
		}
	}
}

// No finding prints what it found.
func TestSilent(t *testing.T) {
	t.Parallel()
	s := planted.Make(12)
	_, found := redacted(t, Options{}, s.Text())
	for _, f := range found {
		for _, text := range []string{fmt.Sprint(f), fmt.Sprint(f.Finding), f.Finding.String()} {
			for _, secret := range s.Secrets {
				if strings.Contains(text, secret) {
					t.Errorf("a finding of %s prints it", f.Rule)
				}
			}
		}
	}
}

// Random JSON, a random secret, random encodings: the secret and every form that it had is
// gone, and the laws of redacted hold.
func TestProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := planted.New(rapid.Uint64().Draw(rt, "seed"))
		makers := []func() string{m.GitHub, m.AWS, m.Anthropic, m.Slack, m.Stripe, m.JWT, m.PEM}
		value := makers[rapid.IntRange(0, len(makers)-1).Draw(rt, "kind")]()
		if len(rules.Find(value)) == 0 {
			rt.Skip("it is not random enough for its rule")
		}
		forms := []string{value}
		form := value
		for _, e := range rapid.SliceOfN(rapid.IntRange(0, 5), 0, 3).Draw(rt, "encodings") {
			form = encode(e, form)
			forms = append(forms, form)
		}
		in := place(rt, form)
		line := encoded(in) + "\n"
		out, found := redacted(rt, Options{}, line)
		if len(found) == 0 {
			rt.Fatal("nothing found")
		}
		var texts []string
		var v any
		must.Do(rt, json.Unmarshal([]byte(out), &v))
		strs(v, &texts)
		for _, f := range forms {
			for _, text := range texts {
				if strings.Contains(text, f) {
					rt.Fatalf("a form of %d bytes is left", len(f))
				}
			}
		}
	})
}

func encode(kind int, s string) string {
	switch kind {
	case 0:
		return base64.StdEncoding.EncodeToString([]byte(s))
	case 1:
		return base64.RawURLEncoding.EncodeToString([]byte(s))
	case 2:
		return hex.EncodeToString([]byte(s))
	case 3:
		var b strings.Builder
		for _, c := range []byte(s) {
			fmt.Fprintf(&b, "%%%02x", c)
		}
		return b.String()
	case 4:
		var b strings.Builder
		for _, c := range []byte(s) {
			fmt.Fprintf(&b, `\u%04X`, c)
		}
		return b.String()
	}
	return encoded(map[string]any{"token": s, "q": `"`})
}

// place puts a text somewhere in a random value.
func place(rt *rapid.T, form string) any {
	frame := rapid.SampledFrom([]string{"%s", "x %s y", "a\n%s\nb", "日本 %s 語", "\"%s\"", "\\ %s"}).Draw(rt, "frame")
	var v any = fmt.Sprintf(frame, form)
	if rapid.Bool().Draw(rt, "key") {
		v = map[string]any{form: 1, "other": nil}
	}
	for range rapid.IntRange(0, 4).Draw(rt, "depth") {
		if rapid.Bool().Draw(rt, "array") {
			v = []any{rapid.Float64Range(-1e6, 1e6).Draw(rt, "number"), v, true}
		} else {
			v = map[string]any{rapid.StringMatching(`x[a-z]{1,6}`).Draw(rt, "name"): v, "text": rapid.String().Draw(rt, "text")}
		}
	}
	return map[string]any{"type": "message", "content": v}
}

func strs(v any, out *[]string) {
	switch v := v.(type) {
	case string:
		*out = append(*out, v)
	case []any:
		for _, e := range v {
			strs(e, out)
		}
	case map[string]any:
		for k, e := range v {
			*out = append(*out, k)
			strs(e, out)
		}
	}
}

// No line makes it fail or change its shape.
func FuzzLine(f *testing.F) {
	s := planted.Make(13)
	for _, l := range s.Lines {
		f.Add(l)
	}
	f.Add(`{"a":"\ud800\udc00\ud800","b":[[],{}]}`)
	f.Add("{\"a\":\"\xff\xfe\"}")
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsRune(line, '\n') {
			return
		}
		redacted(t, Options{Damaged: true}, line)
		out, _, err := run(with(t, Options{}), line)
		if js.Valid([]byte(line)) && (err != nil || shapes(out) != shapes(line)) {
			t.Errorf("%v", err)
		}
	})
}

// TestWordsBesideNames: a word of an array that the word in front of it names is found, as the value of a member is, and the
// words of a sentence are not.
func TestWordsBesideNames(t *testing.T) {
	t.Parallel()
	key := planted.New(41).Random(32, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
	for _, words := range [][]string{
		{"setx", "API_KEY", key}, {"MY_TOKEN", key, "x"}, {"heroku", "config:set", "DB_PASSWORD", "Tr0ub4dor9x"}, {"a", "password", "Tr0ub4dor9x"}, {"client_secret", key},
	} {
		line := message(map[string]any{"command": words})
		if out, found := redacted(t, Options{}, line); len(found) != 1 || strings.Contains(out, key) || strings.Contains(out, "Tr0ub4dor9x") || !strings.Contains(out, words[0]) {
			t.Errorf("%q: %s", words, out)
		}
	}
	for _, words := range [][]string{
		{"the", "token", "is", "wrong"}, {"token", "next"}, {"password", "required"}, {"API_KEY", "DB_PASSWORD"}, {"key", "value"}, {"API_KEY", ""}, {"x y API_KEY", key}, {"API_KEY", "x", key},
	} {
		line := message(map[string]any{"command": words})
		if out, found := redacted(t, Options{}, line); len(found) != 0 {
			t.Errorf("%q: %s", words, out)
		}
	}
}
