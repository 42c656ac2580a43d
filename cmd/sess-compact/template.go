package main

import (
	"fmt"
	"os"
	"strings"
	"text/template"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/pkg/compact"
)

// A form is the template of --template. It is read once, because the file may be
// a pipe, or be edited while the command runs. A nil form stands for the built-in
// prompts.
type form struct {
	text string
	tmpl *template.Template
}

// readForm reads the template in a file; "" names none.
func readForm(name string) (*form, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the template: %w", err)
	}
	t, err := template.New(name).Parse(string(data))
	if err != nil {
		return nil, clikit.UsageError("--template: %v", err)
	}
	return &form{string(data), t}, nil
}

// writer returns what makes prompts of the template, nil without one.
func (f *form) writer() func(compact.PromptData) (string, error) {
	if f == nil {
		return nil
	}
	return func(d compact.PromptData) (string, error) {
		var b strings.Builder
		if err := f.tmpl.Execute(&b, d); err != nil {
			return "", fmt.Errorf("--template: %w", err)
		}
		return b.String(), nil
	}
}

// heading returns the heading that an answer has to have, "" for none: that of
// the built-in prompt, unless a template asks for another one, or for none.
func (f *form) heading(builtIn string) string {
	if f == nil || strings.Contains(f.text, ".Heading") {
		return builtIn
	}
	for line := range strings.Lines(f.text) {
		if line = strings.TrimRight(line, " \r\n"); strings.HasPrefix(line, "#") && !strings.Contains(line, "{{") {
			return line
		}
	}
	return ""
}
