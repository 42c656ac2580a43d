package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/secret"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/pkg/jsonl"
)

type config struct {
	check, failOnFind, damagedOK bool
	rules, only, skip, exprs     []string
	secretFiles, env             []string
	allow, baseline, newBaseline string
	entropy, emails, paths       bool
	depth                        int
	as, keyFile                  string
	signatures, images, damaged  string
	rawJSONL                     bool
	json, sarif, github          bool
	dest                         address.Destination
	sessions                     selection.Selection
	base                         *baseline
	set                          *secret.Set
	plain                        *redact.Redactor // of the printed lines
	screen                       *screened        // nil if findings are for programs
	broken                       []jsonl.Line     // of the session that is checked, those that are not JSON
}

func (c *config) flags() []cli.Flag {
	return slices.Concat(
		cli.Group("What is a secret",
			cli.Strings(&c.rules, "rules", "add the rules of the gitleaks configuration `FILE`; all: use those too that find much which is none"),
			cli.Strings(&c.only, "only", "use only the rules `ID,ID`"),
			cli.Strings(&c.skip, "skip", "use all rules but `ID,ID`"),
			cli.Strings(&c.exprs, "regexp, e", "look for `PATTERN`; may be repeated; what matches it is a secret"),
			cli.Strings(&c.secretFiles, "secret-file", "the lines of `FILE` are secrets"),
			cli.Strings(&c.env, "env", "the values of the environment variables `GLOB` are secrets"),
			cli.String(&c.allow, "allow", "", "what a regular expression of `FILE` matches is no secret; one a line"),
			cli.Bool(&c.entropy, "entropy", "long random texts are secrets"),
			cli.Bool(&c.emails, "emails", "addresses of mail are secrets"),
			cli.Bool(&c.paths, "users", "put ~ for the home directory, and user for the names of users in paths"),
			cli.Int(&c.depth, "depth", secret.DefaultDepth, "look into `N` layers of encodings"),
		),
		cli.Group("What is written",
			cli.String(&c.as, "with", "kind", "write in place of a secret its kind, hash, mask:N, or the text `AS`"),
			cli.String(&c.keyFile, "key", "", "with --with hash, keep the key of the digests in `FILE`, so that they are the same the next time"),
			cli.Choice(&c.signatures, "signatures", []string{"keep", "drop"}, "`HOW` to treat the signatures of thinking, which others cannot read"),
			cli.Choice(&c.images, "images", []string{"keep", "note", "drop"}, "treat images `HOW`: note writes a text in their place"),
			cli.Choice(&c.damaged, "damaged", []string{"fail", "drop"}, "`HOW` to treat a line that is not JSON and has a secret"),
			cli.Bool(&c.rawJSONL, "raw-jsonl", "the input is JSON Lines of any kind"),
			cli.Bool(&c.failOnFind, "fail-on-find", "end with status 1 if something was replaced"),
			cli.Output(&c.dest.File, "make `FILE`, and print its path; - is standard output, with mode 0600"),
			c.dest.ForceFlag(),
			address.SyncFlag(&c.dest.Sync),
		),
		cli.Group("Checking", append([]cli.Flag{
			cli.Bool(&c.check, "check", "write no session: print where secrets are, and end with status 1 if there are any"),
			cli.Bool(&c.damagedOK, "damaged-ok", "take what can be read of a damaged session for all of it"),
			cli.Bool(&c.json, "json", "print a JSON object for each finding, and one for all; with --check"),
			cli.Bool(&c.sarif, "sarif", "with --check, print SARIF 2.1.0"),
			cli.Bool(&c.github, "github", "with --check, print annotations of GitHub Actions"),
			cli.String(&c.baseline, "baseline", "", "compare with `FILE`, which an earlier run wrote: what it knows is no finding; with --check"),
			cli.String(&c.newBaseline, "write-baseline", "", "with --check, make `FILE`, which knows what is found now"),
		}, c.sessions.Flags()...)...),
	)
}

// validate refuses flags that contradict each other.
func (c *config) validate() error {
	if err := c.dest.CheckForce(); err != nil {
		return err
	}
	switch {
	case !c.check && (c.json || c.damagedOK || c.sarif || c.github || c.baseline != "" || c.newBaseline != "" || c.sessions.Given()):
		return cli.WithHint(cli.UsageError("--json, --sarif, --github, --baseline, --write-baseline, --damaged-ok and the flags that select sessions go with --check"),
			"without --check one session is read and written")
	case c.check && (c.dest.File != "" || c.failOnFind || c.keyFile != ""):
		return cli.UsageError("--output, --fail-on-find and --key do not go with --check, which writes no session")
	case c.keyFile != "" && c.as != "hash":
		return cli.UsageError("--key goes with --with hash")
	case c.depth < 0 || c.depth > 16:
		return cli.UsageError("--depth wants 0 to 16 layers")
	}
	return cli.Exclusive(cli.NameIf(c.json, "--json"), cli.NameIf(c.sarif, "--sarif"), cli.NameIf(c.github, "--github"))
}

// redactor makes what looks for secrets.
func (c *config) redactor(s *cli.Streams) (*redact.Redactor, error) {
	o := secret.Options{Entropy: c.entropy, Emails: c.emails, Only: cli.Words(c.only), Skip: cli.Words(c.skip), Depth: c.depth}
	if err := c.addRules(s, &o); err != nil {
		return nil, err
	}
	for _, add := range []func(*cli.Streams, *secret.Options) error{c.addAllowed, c.addFiles, c.addEnv} {
		if err := add(s, &o); err != nil {
			return nil, err
		}
	}
	if c.paths {
		o.Rules = append(o.Rules, pathRules()...)
	}
	style, err := redact.ParseStyle(c.as)
	if err != nil {
		return nil, cli.UsageError("--with: %v", err)
	}
	if style.Hash {
		if style.Key, err = c.key(); err != nil {
			return nil, err
		}
	}
	if style.Text != "" { // a rule that goes by the text around a secret would find it again
		o.Allow = append(o.Allow, secret.Allow{Regexes: []string{"^" + regexp.QuoteMeta(style.Text) + "$"}})
	}
	if c.set, err = secret.New(o); err != nil {
		return nil, cli.UsageError("%v", err)
	}
	how := redact.Options{Set: c.set, Style: style, Signatures: c.signatures == "drop", Images: c.images, Damaged: c.damaged == "drop"}
	if c.check {
		how.Broken = c.breaks
	}
	r, err := redact.New(how)
	if err != nil {
		return nil, cli.UsageError("--with: %v", err)
	}
	return r, nil
}

func ruleIDs() []string {
	set, err := secret.New(secret.Options{Generic: true, Entropy: true, Emails: true})
	if err != nil {
		return nil
	}
	return set.Rules()
}

// caught makes an error of a panic that says where it happened and nothing of the data: a
// message of the runtime may have some in it.
func caught(err *error) {
	if recover() == nil {
		return
	}
	var at []string
	pc := make([]uintptr, 16)
	frames := runtime.CallersFrames(pc[:runtime.Callers(3, pc)])
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "sess-tools") || strings.HasPrefix(f.Function, "main.") {
			at = append(at, fmt.Sprintf("%s:%d", f.Function, f.Line))
		}
		if !more {
			break
		}
	}
	*err = errors.New("an error of sess-redact itself, at " + strings.Join(at, ", "))
}

// A silentError is an error whose message has no secret: a file may be called by one.
type silentError struct {
	error
	text string
}

func (e *silentError) Error() string { return e.text }
func (e *silentError) Unwrap() error { return e.error }

// silent returns an error without the secrets in its message, each of several by itself.
func (c *config) silent(err error) error {
	if err == nil {
		return nil
	}
	if parts := cli.Split(err); len(parts) > 1 {
		var out []error
		for _, e := range parts {
			out = append(out, c.silent(e))
		}
		return errors.Join(out...)
	}
	if text := c.shown(err.Error()); text != err.Error() {
		return &silentError{err, text}
	}
	return err
}

// shown returns a text as it may be printed: without its secrets.
func (c *config) shown(text string) string {
	if c.plain == nil {
		var err error
		if c.set == nil {
			c.plain, err = redact.Default()
		} else {
			c.plain, err = redact.New(redact.Options{Set: c.set})
		}
		if err != nil {
			return "(not shown)"
		}
	}
	clean, err := c.plain.Text(text)
	if err != nil {
		return "(not shown)"
	}
	return clean
}

// lines returns the lines of a text file.
func lines(s *cli.Streams, name, flag string) (list []string, err error) {
	text, err := s.ReadText(name, "lines", flag)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		list = append(list, strings.TrimRight(line, "\r\n"))
	}
	return list, nil
}

// addFiles adds the lines of --secret-file.
func (c *config) addFiles(s *cli.Streams, o *secret.Options) error {
	for i, name := range c.secretFiles {
		list, err := lines(s, name, "--secret-file")
		if err != nil {
			return err
		}
		before := len(o.Values)
		for n, text := range list {
			if text == "" {
				continue
			}
			if len(text) < secret.MinExact {
				return short(fmt.Sprintf("%s:%d", name, n+1))
			}
			id := fmt.Sprintf("secret:%d", n+1)
			if len(c.secretFiles) > 1 {
				id = fmt.Sprintf("secret:%d:%d", i+1, n+1)
			}
			o.Values = append(o.Values, secret.Value{Name: id, Text: text})
		}
		if len(o.Values) == before {
			return cli.UsageError("%s: it has no lines to look for", name)
		}
	}
	return nil
}

// addEnv adds the values of --env.
func (c *config) addEnv(_ *cli.Streams, o *secret.Options) error {
	for _, glob := range c.env {
		if _, err := path.Match(glob, ""); err != nil {
			return cli.UsageError("--env %s: %v", glob, err)
		}
		matched := 0
		for _, pair := range os.Environ() {
			name, value, _ := strings.Cut(pair, "=")
			if ok, _ := path.Match(glob, name); !ok || value == "" {
				continue
			}
			matched++
			if len(value) < secret.MinExact {
				return short("the environment variable " + name)
			}
			o.Values = append(o.Values, secret.Value{Name: "env:" + name, Text: value})
		}
		if matched == 0 {
			return cli.WithHint(cli.UsageError("--env %s: no such variable is set", glob), "what is not known is not found")
		}
	}
	return nil
}

func short(where string) error {
	return cli.WithHint(cli.UsageError("%s has fewer than %d bytes", where, secret.MinExact), "so short a text stands in other words, too")
}

// keySize is the length of a key in bytes.
const keySize = 32

// key returns the key of the digests: that of --key, or a new one, which --key keeps.
func (c *config) key() ([]byte, error) {
	key := make([]byte, keySize)
	if c.keyFile != "" {
		data, err := os.ReadFile(c.keyFile)
		switch {
		case err == nil:
			n, err := hex.Decode(key, []byte(strings.TrimSpace(string(data[:min(len(data), 4*keySize)]))))
			if err != nil || n != keySize {
				return nil, cli.UsageError("%s: it is no key that --key has made", c.keyFile)
			}
			return key, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("reading %s: %w", c.keyFile, err)
		}
	}
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	if c.keyFile == "" {
		return key, nil
	}
	return key, jsonl.Create(c.keyFile, jsonl.Content{hex.EncodeToString(key)}, false)
}
