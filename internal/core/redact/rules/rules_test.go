package rules

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
)

// A house is a directory with files of rules, and what was said when they were read.
type house struct {
	t    *testing.T
	dir  string
	said bytes.Buffer
}

// newHouse makes a house that nobody has set anything for.
func newHouse(t *testing.T) *house {
	h := &house{t: t, dir: t.TempDir()}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(h.dir, "config"))
	return h
}

func (h *house) write(name, text string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	must.Do(h.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// read reads a file of rules in a run of its own, with what is added.
func (h *house) read(text string, add Added) (r *Rules, err error) {
	h.t.Helper()
	if text != "" {
		add.Config = h.write("redact.toml", text)
	}
	h.said.Reset()
	tool := cli.Tool{Name: "sess-x", New: func() ([]cli.Flag, cli.Action) {
		return nil, func(_ context.Context, s *cli.Streams, _ []string) error {
			r, err = Read(s, add)
			return nil
		}
	}}
	cli.Run(h.t.Context(), tool, strings.NewReader(""), &bytes.Buffer{}, &h.said, nil)
	return r, err
}

// clean reads a file of rules, and returns a text without what they find.
func (h *house) clean(text, rules string, add Added) string {
	h.t.Helper()
	r, err := h.read(rules, add)
	must.Do(h.t, err)
	out, err := r.Redactor()
	must.Do(h.t, err)
	clean, err := out.Text(text)
	must.Do(h.t, err)
	return clean
}

const acme = "[[rules]]\nid = \"acme\"\nregex = 'acme-[0-9]{8}'\n"

// Each key of the table does what it says, and what a command line adds counts beside it.
func TestSettings(t *testing.T) {
	h := newHouse(t)
	h.write("words.txt", "correct-horse-battery\n")
	jwt := "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	home, err := os.UserHomeDir()
	must.Do(t, err)
	t.Setenv("SESS_TEST_TOKEN", "a-long-value")
	for _, c := range []struct {
		what, file string
		add        Added
		in, want   string
	}{
		{"a rule beside those that are built in", "[extend]\nuseDefault = true\n" + acme, Added{}, "acme-12345678 " + jwt, "[redacted:acme] [redacted:jwt]"},
		{"a rule in their place", acme, Added{}, "acme-12345678 " + jwt, "[redacted:acme] " + jwt},
		{"an empty table", "[sess]\n", Added{}, jwt, "[redacted:jwt]"},
		{"an allowlist alone", "[allowlist]\nregexes = ['^eyJ']\n", Added{}, jwt + " https://ann:" + "hunter2hunter2@h", jwt + " https://ann:[redacted:dsn-password]@h"},
		{"disabledRules", "[extend]\nuseDefault = true\ndisabledRules = [\"jwt\"]\n", Added{}, jwt, jwt},
		{"--skip beside them", "[sess]\n", Added{Skip: []string{"jwt"}}, jwt, jwt},
		{"only", "[sess]\nonly = [\"dsn-password\"]\n", Added{}, jwt + " a@example.org", jwt + " a@example.org"},
		{"only, and what is turned on", "[sess]\nonly = [\"dsn-password\"]\nemails = true\n", Added{}, jwt + " ann@acme.test", jwt + " [redacted:email]"},
		{"only, and a pattern that is added", "[sess]\nonly = [\"jwt\"]\n", Added{Exprs: []string{"horse"}, Emails: true, Users: true}, "a horse, ann@acme.test, " + home + "/x", "a [redacted:regex-1], [redacted:email], ~/x"},
		{"secret-files", "[sess]\nsecret-files = [\"words.txt\"]\n", Added{}, "a correct-horse-battery", "a [redacted:secret:1]"},
		{"--secret-file beside them", "[sess]\nsecret-files = [\"words.txt\"]\n", Added{SecretFiles: []string{h.write("more.txt", "\na-white-pony\n")}}, "a-white-pony, correct-horse-battery", "[redacted:secret:2:2], [redacted:secret:1:1]"},
		{"env", "[sess]\nenv = [\"SESS_TEST_*\"]\n", Added{}, "a-long-value", "[redacted:env:SESS_TEST_TOKEN]"},
		{"env that is not set", "[sess]\nenv = [\"SESS_NO_SUCH_*\"]\n", Added{}, "a-long-value", "a-long-value"},
		{"users", "[sess]\nusers = true\n", Added{}, "/home/ann/x", "/home/user/x"},
		{"depth", "[sess]\ndepth = 0\nonly = [\"acme\"]\n[extend]\nuseDefault = true\n" + acme, Added{}, "YWNtZS0xMjM0NTY3OCBhbmQ=", "YWNtZS0xMjM0NTY3OCBhbmQ="},
		{"more depth", "[sess]\nonly = [\"acme\"]\n[extend]\nuseDefault = true\n" + acme, Added{}, "YWNtZS0xMjM0NTY3OCBhbmQ=", "[redacted:acme]"},
		{"with", "[sess]\nwith = \"mask:2\"\n" + acme, Added{}, "acme-12345678", "ac***"},
		{"--with instead", "[sess]\nwith = \"mask:2\"\n" + acme, Added{With: "XXX"}, "acme-12345678", "XXX"},
	} {
		if got := h.clean(c.in, c.file, c.add); got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.what, c.in, got, c.want)
		}
	}
}

// What cannot be understood is status 2, and says in which file: no rule is left out.
func TestRefused(t *testing.T) {
	h := newHouse(t)
	h.write("short.txt", "abc\n")
	h.write("empty.txt", "\n")
	h.write("no.key", "what is this\n")
	for file, want := range map[string]string{
		"[sess]\nemail = true\n":                               "sess.email: there is no such key",
		"[sess]\nemails = \"yes\"\n":                           "incompatible types",
		"sess = 1\n":                                           "sess",
		"[sess]\nonly = [\"jvt\"]\n":                           `unknown rule "jvt"`,
		"[sess]\ndepth = 17\n":                                 "sess.depth wants 0 to 16 layers",
		"[sess]\nwith = \"mask:9\"\n":                          "sess.with: mask:9",
		"[sess]\nkey = \"k\"\n":                                "sess.key goes with",
		"[sess]\nwith = \"hash\"\nkey = \"no.key\"\n":          "it is no key of digests",
		"[sess]\nsecret-files = [\"none.txt\"]\n":              "none.txt: no such file",
		"[sess]\nsecret-files = [\"short.txt\"]\n":             "short.txt:1 has fewer than 8 bytes",
		"[sess]\nsecret-files = [\"empty.txt\"]\n":             "it has no lines to look for",
		"[sess]\nenv = [\"[\"]\n":                              "sess.env: [",
		"# nothing\n":                                          "it has no rules",
		"[extend]\npath = \"x.toml\"\n":                        "extend.path and extend.url are not followed",
		"[[rules]]\nid = \"x\"\nregex = '('\n":                 "rule x",
		"[[rules]]\nid = \"x\"\nregex = 'x'\nfilter = \"a\"\n": "filters that are programs",
		"[[rules]]\nid = \"acme\"\nregex = 'acme'\n":           "rule acme: it finds its own name",
		"[[rules]\n":                                           "toml: line",
	} {
		r, err := h.read(file, Added{})
		if err == nil || cli.Status(err) != cli.ExitUsage || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), h.dir) {
			t.Errorf("%q: %v, %v", file, r, err)
		}
	}
	if _, err := h.read("[sess]\n", Added{Skip: []string{"jvt"}}); err == nil || strings.Contains(err.Error(), h.dir) {
		t.Errorf("a flag that is wrong is said of the file: %v", err)
	}
}

// A key that the file names is made once, and is not made where nothing is replaced.
func TestKey(t *testing.T) {
	h := newHouse(t)
	const file = "[sess]\nwith = \"hash\"\nkey = \"redact.key\"\n" + acme
	if _, err := h.read(file, Added{Keyless: true}); err != nil || len(h.entries()) != 1 {
		t.Fatalf("%v, %v", err, h.entries())
	}
	first := h.clean("acme-12345678", file, Added{})
	if again := h.clean("acme-12345678", file, Added{}); first != again || !strings.HasPrefix(first, "[redacted:acme:") {
		t.Errorf("%s, then %s", first, again)
	}
	r, err := h.read(file, Added{})
	must.Do(t, err)
	if !r.Stable {
		t.Error("a key that is kept makes other digests")
	}
	if r, err = h.read(strings.Replace(file, "key = \"redact.key\"\n", "", 1), Added{}); err != nil || r.Stable {
		t.Errorf("a key of this run is taken for one that stays: %v", err)
	}
	if other := h.clean("acme-12345678", "[sess]\nwith = \"hash\"\n"+acme, Added{}); other == first {
		t.Errorf("two keys make %s", first)
	}
}

func (h *house) entries() []string {
	list, err := os.ReadDir(h.dir)
	must.Do(h.t, err)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// The file is the user's, or the one that the variable names, and never one where the user works.
func TestFile(t *testing.T) {
	h := newHouse(t)
	t.Setenv("HOME", h.dir)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Chdir(h.dir)
	h.write("redact.toml", acme)
	must.Do(t, os.MkdirAll(filepath.Join(h.dir, "sess"), 0o700))
	h.write("sess/redact.toml", acme)
	want := func(path string) {
		t.Helper()
		if got, err := File(); got != path || err != nil {
			t.Errorf("%q, %v, want %q", got, err, path)
		}
	}
	want("")
	t.Setenv("XDG_CONFIG_HOME", ".")
	want("")
	must.Do(t, os.MkdirAll(filepath.Join(h.dir, ".config", "sess"), 0o700))
	want("")
	own := h.write(".config/sess/redact.toml", acme)
	want(own)
	t.Setenv("XDG_CONFIG_HOME", h.dir)
	want(filepath.Join(h.dir, "sess", "redact.toml"))
	t.Setenv(Variable, own)
	want(own)
	for _, wrong := range []string{"", filepath.Join(h.dir, "none"), h.dir} {
		t.Setenv(Variable, wrong)
		if _, err := h.read("", Added{}); err == nil || cli.Status(err) != cli.ExitUsage {
			t.Errorf("%s=%s: %v", Variable, wrong, err)
		}
	}
}

// A short value is not looked for, which is said; and what is unknown outside of the table is a warning.
func TestWarnings(t *testing.T) {
	h := newHouse(t)
	t.Setenv("SESS_TEST_PIN", "1234")
	if got := h.clean("1234", "colour = \"brown\"\n[sess]\nenv = [\"SESS_TEST_*\"]\n", Added{}); got != "1234" {
		t.Error(got)
	}
	for _, want := range []string{"colour is not understood", "SESS_TEST_PIN of fewer than 8 bytes"} {
		if !strings.Contains(h.said.String(), want) || strings.Contains(h.said.String(), "1234") {
			t.Errorf("no %q in %s", want, h.said.String())
		}
	}
}

// Other bytes of the file, and other rules, have another digest; values have none of their own.
func TestDigest(t *testing.T) {
	h := newHouse(t)
	h.write("words.txt", "correct-horse-battery\n")
	seen := map[string]string{}
	for _, file := range []string{
		"", "[sess]\n", "[sess]\n# a comment\n", "[sess]\nemails = true\n", acme, "[extend]\nuseDefault = true\n" + acme, "[sess]\nwith = \"x-x\"\n", "[sess]\nsecret-files = [\"words.txt\"]\n",
	} {
		r, err := h.read(file, Added{})
		must.Do(t, err)
		again, err := h.read(file, Added{})
		must.Do(t, err)
		d := r.Digest()
		if other, is := seen[d]; is || len(d) != 16 || d != again.Digest() {
			t.Errorf("%q has the digest of %q, or two", file, other)
		}
		seen[d] = file
	}
	before, err := h.read("[sess]\nsecret-files = [\"words.txt\"]\n", Added{})
	must.Do(t, err)
	h.write("words.txt", "another-horse-battery\n")
	after, err := h.read("[sess]\nsecret-files = [\"words.txt\"]\n", Added{})
	must.Do(t, err)
	if before.Digest() != after.Digest() {
		t.Error("who has the digest can try values")
	}
}
