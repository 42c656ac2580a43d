package main

import (
	"errors"

	"github.com/sess-tools/sess/internal/guard/redact"
	"github.com/sess-tools/sess/internal/tool/clikit"
)

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
	if parts := clikit.Split(err); len(parts) > 1 {
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
