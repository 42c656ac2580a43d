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
	"github.com/sess-tools/sess/internal/core/redact/flags"
	"github.com/sess-tools/sess/internal/core/secret"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// Flags choose the rules for secrets, and their replacements.
type Flags struct{ flags.Flags }

// Options reads the files that the flags name, and makes the set of rules. The digest changes when a rule or the replacement
// does: by it a copy that was redacted under other rules is known.
func (f *Flags) Options(s *cli.Streams) (how redact.Options, digest func() string, err error) {
	o := secret.Options{Entropy: f.Entropy, Emails: f.Emails, Only: cli.Words(f.Only), Skip: cli.Words(f.Skip), Depth: f.Depth}
	if err := f.addRules(s, &o); err != nil {
		return how, nil, err
	}
	for _, add := range []func(*cli.Streams, *secret.Options) error{f.addAllowed, f.addFiles, f.addEnv} {
		if err := add(s, &o); err != nil {
			return how, nil, err
		}
	}
	if f.Users {
		o.Rules = append(o.Rules, pathRules()...)
	}
	style, err := redact.ParseStyle(f.As)
	if err != nil {
		return how, nil, cli.UsageError("--with: %v", err)
	}
	if style.Hash {
		if style.Key, err = f.key(); err != nil {
			return how, nil, err
		}
	}
	if style.Text != "" { // a rule that goes by the text around a secret would find it again
		o.Allow = append(o.Allow, secret.Allow{Regexes: []string{"^" + regexp.QuoteMeta(style.Text) + "$"}})
	}
	set, err := secret.New(o)
	if err != nil {
		return how, nil, cli.UsageError("%v", err)
	}
	return redact.Options{Set: set, Style: style}, func() string {
		sum := sha256.Sum256(append([]byte(o.Digest()+"\x00"+f.As+"\x00"), style.Key...)) // a key is too long to be tried
		return hex.EncodeToString(sum[:8])
	}, nil
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
