package rules

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/secret"
	"github.com/sess-tools/sess/pkg/jsonl"
)

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

// addFiles adds the lines of the files, each of which is a secret.
func (r *Rules) addFiles(s *cli.Streams) error {
	o := &r.options
	for i, name := range r.files {
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
				return tooShort(fmt.Sprintf("%s:%d", name, n+1))
			}
			id := fmt.Sprintf("secret:%d", n+1)
			if len(r.files) > 1 {
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

// addEnv adds the values of the environment variables that a glob matches. It returns the names of those that are too short to be
// looked for, which it leaves out, and whether there is any variable.
func addEnv(o *secret.Options, glob string) (some bool, short []string, err error) {
	if _, err := path.Match(glob, ""); err != nil {
		return false, nil, err
	}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if ok, _ := path.Match(glob, name); !ok || value == "" {
			continue
		}
		some = true
		if len(value) < secret.MinExact {
			short = append(short, name)
			continue
		}
		o.Values = append(o.Values, secret.Value{Name: "env:" + name, Text: value})
	}
	return some, short, nil
}

func tooShort(where string) error {
	return cli.WithHint(cli.UsageError("%s has fewer than %d bytes", where, secret.MinExact), "so short a text stands in other words, too")
}

// addAllowed adds what the regular expressions of a file, "" for none, say is no secret.
func addAllowed(s *cli.Streams, o *secret.Options, name string) error {
	if name == "" {
		return nil
	}
	list, err := Lines(s, name, "--allow")
	if err != nil {
		return err
	}
	var a secret.Allow
	for n, text := range list {
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if re, err := regexp.Compile(text); err != nil || re.MatchString("") {
			return cli.UsageError("%s:%d: want a regular expression that does not match the empty text", name, n+1)
		}
		a.Regexes = append(a.Regexes, text)
	}
	if len(a.Regexes) > 0 {
		o.Allow = append(o.Allow, a)
	}
	return nil
}

// KeySize is the length of a key in bytes.
const KeySize = 32

// key returns the key of digests that a file has. If there is no such file, it is a new one, which the file keeps. "" is no file.
func key(name string) ([]byte, error) {
	if name != "" {
		kept, err := readKey(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return kept, err
		}
	}
	made := make([]byte, KeySize)
	if _, err := rand.Read(made); err != nil || name == "" {
		return made, err
	}
	err := jsonl.Create(name, jsonl.Content{hex.EncodeToString(made)}, false)
	if errors.Is(err, fs.ErrExist) { // another program has been quicker
		return readKey(name)
	}
	return made, err
}

func readKey(name string) ([]byte, error) {
	data, err := disk.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	kept, err := hex.DecodeString(strings.TrimSpace(string(data)))
	if err != nil || len(kept) != KeySize {
		return nil, cli.UsageError("%s: it is no key of digests", name)
	}
	return kept, nil
}
