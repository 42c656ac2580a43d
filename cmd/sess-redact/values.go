package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/sess-tools/sess/internal/guard/secret"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// lines returns the lines of a text file.
func lines(s *clikit.Streams, name, flag string) (list []string, err error) {
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
func (c *config) addFiles(s *clikit.Streams, o *secret.Options) error {
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
			return clikit.UsageError("%s: it has no lines to look for", name)
		}
	}
	return nil
}

// addEnv adds the values of --env.
func (c *config) addEnv(_ *clikit.Streams, o *secret.Options) error {
	for _, glob := range c.env {
		if _, err := path.Match(glob, ""); err != nil {
			return clikit.UsageError("--env %s: %v", glob, err)
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
			return clikit.WithHint(clikit.UsageError("--env %s: no such variable is set", glob), "what is not known is not found")
		}
	}
	return nil
}

func short(where string) error {
	return clikit.WithHint(clikit.UsageError("%s has fewer than %d bytes", where, secret.MinExact), "so short a text stands in other words, too")
}

// keySize is the length of a key in bytes.
const keySize = 32

// key returns the key of the digests: that of --map, or a new one, which --map keeps.
func (c *config) key() ([]byte, error) {
	key := make([]byte, keySize)
	if c.keyFile != "" {
		data, err := os.ReadFile(c.keyFile)
		switch {
		case err == nil:
			n, err := hex.Decode(key, []byte(strings.TrimSpace(string(data[:min(len(data), 4*keySize)]))))
			if err != nil || n != keySize {
				return nil, clikit.UsageError("%s: it is no key that --map has made", c.keyFile)
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
