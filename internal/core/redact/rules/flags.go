package rules

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/secret"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// Flags choose the rules for secrets, and their replacements.
type Flags struct {
	Rules, Only, Skip, Exprs []string
	SecretFiles, Env         []string
	Allow                    string
	Entropy, Emails, Users   bool
	Depth                    int
	As, KeyFile              string
}

// What declares the flags that choose the rules.
func (f *Flags) What() []cli.Flag {
	return []cli.Flag{
		cli.Strings(&f.Rules, "rules", "add the rules of the gitleaks configuration `FILE`; all: use those too that find much which is none"),
		cli.Strings(&f.Only, "only", "use only the rules `ID,ID`"),
		cli.Strings(&f.Skip, "skip", "use all rules but `ID,ID`"),
		cli.Strings(&f.Exprs, "regexp, e", "look for `PATTERN`; may be repeated; what matches it is a secret"),
		cli.Strings(&f.SecretFiles, "secret-file", "the lines of `FILE` are secrets"),
		cli.Strings(&f.Env, "env", "the values of the environment variables `GLOB` are secrets"),
		cli.String(&f.Allow, "allow", "", "what a regular expression of `FILE` matches is no secret; one a line"),
		cli.Bool(&f.Entropy, "entropy", "long random texts are secrets"),
		cli.Bool(&f.Emails, "emails", "addresses of mail are secrets"),
		cli.Bool(&f.Users, "users", "put ~ for the home directory, and user for the names of users in paths"),
		cli.Int(&f.Depth, "depth", secret.DefaultDepth, "look into `N` layers of encodings"),
	}
}

// With declares the flags that choose the replacement of a secret.
func (f *Flags) With() []cli.Flag {
	return []cli.Flag{
		cli.String(&f.As, "with", "kind", "write in place of a secret its kind, hash, mask:N, or the text `AS`"),
		cli.String(&f.KeyFile, "key", "", "with --with hash, keep the key of the digests in `FILE`, so that they are the same the next time"),
	}
}

// Check refuses flags that contradict each other.
func (f *Flags) Check() error {
	switch {
	case f.KeyFile != "" && f.As != "hash":
		return cli.UsageError("--key goes with --with hash")
	case f.Depth < 0 || f.Depth > 16:
		return cli.UsageError("--depth wants 0 to 16 layers")
	}
	return nil
}

// Args returns the flags that were given, for another program that has them.
func (f *Flags) Args() (args []string) {
	for _, l := range []struct {
		name string
		list []string
	}{{"rules", f.Rules}, {"only", f.Only}, {"skip", f.Skip}, {"regexp", f.Exprs}, {"secret-file", f.SecretFiles}, {"env", f.Env}} {
		for _, value := range l.list {
			args = append(args, "--"+l.name+"="+value)
		}
	}
	for _, b := range []struct {
		name  string
		given bool
	}{{"entropy", f.Entropy}, {"emails", f.Emails}, {"users", f.Users}} {
		if b.given {
			args = append(args, "--"+b.name)
		}
	}
	for _, t := range [][3]string{{"allow", f.Allow}, {"depth", fmt.Sprint(f.Depth), fmt.Sprint(secret.DefaultDepth)}, {"with", f.As, "kind"}, {"key", f.KeyFile}} {
		if t[1] != t[2] {
			args = append(args, "--"+t[0]+"="+t[1])
		}
	}
	return args
}

// Options reads the files that the flags name, and makes the set of rules. The digest is another one if the rules are, or the
// replacement.
func (f *Flags) Options(s *cli.Streams) (how redact.Options, digest string, err error) {
	o := secret.Options{Entropy: f.Entropy, Emails: f.Emails, Only: cli.Words(f.Only), Skip: cli.Words(f.Skip), Depth: f.Depth}
	if err := f.addRules(s, &o); err != nil {
		return how, "", err
	}
	for _, add := range []func(*cli.Streams, *secret.Options) error{f.addAllowed, f.addFiles, f.addEnv} {
		if err := add(s, &o); err != nil {
			return how, "", err
		}
	}
	if f.Users {
		o.Rules = append(o.Rules, pathRules()...)
	}
	style, err := redact.ParseStyle(f.As)
	if err != nil {
		return how, "", cli.UsageError("--with: %v", err)
	}
	if style.Hash {
		if style.Key, err = f.key(); err != nil {
			return how, "", err
		}
	}
	if style.Text != "" { // a rule that goes by the text around a secret would find it again
		o.Allow = append(o.Allow, secret.Allow{Regexes: []string{"^" + regexp.QuoteMeta(style.Text) + "$"}})
	}
	set, err := secret.New(o)
	if err != nil {
		return how, "", cli.UsageError("%v", err)
	}
	sum := sha256.Sum256(append([]byte(o.Digest()+"\x00"+f.As+"\x00"), style.Key...)) // a key is too long to be tried
	return redact.Options{Set: set, Style: style}, hex.EncodeToString(sum[:8]), nil
}

// IDs returns the names of all rules.
func IDs() []string {
	set, err := secret.New(secret.Options{Generic: true, Entropy: true, Emails: true})
	if err != nil {
		return nil
	}
	return set.Rules()
}

// Lines returns the lines of a text file.
func Lines(s *cli.Streams, name, flag string) (list []string, err error) {
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
func (f *Flags) addFiles(s *cli.Streams, o *secret.Options) error {
	for i, name := range f.SecretFiles {
		list, err := Lines(s, name, "--secret-file")
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
			if len(f.SecretFiles) > 1 {
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
func (f *Flags) addEnv(_ *cli.Streams, o *secret.Options) error {
	for _, glob := range f.Env {
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

// KeySize is the length of a key in bytes.
const KeySize = 32

// key returns the key of the digests: that of --key, or a new one, which --key keeps.
func (f *Flags) key() ([]byte, error) {
	key := make([]byte, KeySize)
	if f.KeyFile != "" {
		data, err := os.ReadFile(f.KeyFile)
		switch {
		case err == nil:
			n, err := hex.Decode(key, []byte(strings.TrimSpace(string(data[:min(len(data), 4*KeySize)]))))
			if err != nil || n != KeySize {
				return nil, cli.UsageError("%s: it is no key that --key has made", f.KeyFile)
			}
			return key, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("reading %s: %w", f.KeyFile, err)
		}
	}
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	if f.KeyFile == "" {
		return key, nil
	}
	return key, jsonl.Create(f.KeyFile, jsonl.Content{hex.EncodeToString(key)}, false)
}
