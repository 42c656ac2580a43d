package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/guard/redact"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A baseline is what was found before: fingerprints by which findings are known again, and
// not what they say. Its key makes those of two projects differ.
type baseline struct {
	key   []byte // nil: there are no fingerprints
	known map[string]bool
	lines []string // of the file
	added map[string]bool
}

// A baselineLine is the first line of the file, or one of a finding.
type baselineLine struct {
	Type        string `json:"type"`
	Version     int    `json:"version"`
	Key         string `json:"key"`
	Fingerprint string `json:"fingerprint"`
}

// openBaseline reads --baseline, and makes a key if --write-baseline wants one.
func (c *config) openBaseline(s *clikit.Streams) (*baseline, error) {
	b := &baseline{known: map[string]bool{}, added: map[string]bool{}}
	switch {
	case c.baseline != "":
		return b, b.read(s, c.baseline)
	case c.newBaseline != "":
		b.key = make([]byte, keySize)
		if _, err := rand.Read(b.key); err != nil {
			return nil, err
		}
		b.lines = []string{js.Object(js.StringField("type", "baseline"), js.IntField("version", 1), js.StringField("key", hex.EncodeToString(b.key)))}
	}
	return b, nil
}

func (b *baseline) read(s *clikit.Streams, name string) error {
	list, err := lines(s, name, "--baseline")
	if err != nil {
		return err
	}
	for n, text := range list {
		var l baselineLine
		bad := json.Unmarshal([]byte(text), &l) != nil
		if n == 0 {
			b.key, err = hex.DecodeString(l.Key)
			bad = bad || err != nil || l.Type != "baseline" || l.Version != 1 || len(b.key) != keySize
		} else {
			bad = bad || l.Type != "finding" || l.Fingerprint == ""
		}
		if bad {
			return clikit.WithHint(clikit.UsageError("%s:%d: it is no line of a baseline", name, n+1), "--check --write-baseline makes one")
		}
		b.known[l.Fingerprint] = n > 0
		b.lines = append(b.lines, text)
	}
	if b.key == nil {
		return clikit.UsageError("%s: empty", name)
	}
	return nil
}

// fingerprint returns by what a finding is known again: "" without a baseline.
func (b *baseline) fingerprint(f redact.Found) string {
	if b.key == nil {
		return ""
	}
	return hex.EncodeToString(f.Sum(append([]byte(f.Rule+"\x00"), b.key...))[:16])
}

func (b *baseline) knows(mark string) bool { return mark != "" && b.known[mark] }

// add adds a finding to the lines.
func (b *baseline) add(mark string, f redact.Found) {
	if mark == "" || b.added[mark] {
		return
	}
	b.added[mark] = true
	b.lines = append(b.lines, js.Object(js.StringField("type", "finding"), js.StringField("fingerprint", mark),
		js.StringField("kind", f.Rule), js.StringField("field", f.Field), js.StringField("date", time.Now().UTC().Format(time.DateOnly))))
}

// write makes the file of what was known and what was found.
func (b *baseline) write(name string) error {
	if err := jsonl.Create(name, jsonl.Content(b.lines), false); err != nil {
		return clikit.WithHint(fmt.Errorf("creating %s: %w", strings.TrimSpace(name), err), "an existing file is never overwritten: choose another name")
	}
	return nil
}
