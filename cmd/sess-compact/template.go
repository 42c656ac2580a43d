package main

import (
	"fmt"
	"os"
	"strings"
	"text/template"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/pkg/compact"
)

// writer returns what makes prompts of --template, nil without one.
func (j *job) writer() (func(compact.PromptData) (string, error), error) {
	if j.template == "" {
		return nil, nil
	}
	text, err := j.templateText()
	if err != nil {
		return nil, err
	}
	t, err := template.New(j.template).Parse(text)
	if err != nil {
		return nil, clikit.UsageError("--template: %v", err)
	}
	return func(d compact.PromptData) (string, error) {
		var b strings.Builder
		if err := t.Execute(&b, d); err != nil {
			return "", fmt.Errorf("--template: %w", err)
		}
		return b.String(), nil
	}, nil
}

func (a *asking) templateText() (string, error) {
	data, err := os.ReadFile(a.template)
	if err != nil {
		return "", fmt.Errorf("reading the template: %w", err)
	}
	return string(data), nil
}

// heading returns the heading that an answer has to have, "" for none: that of
// the prompt, unless a template asks for another one, or for none.
func (a *asking) heading(builtIn string) string {
	if a.template == "" {
		return builtIn
	}
	text, err := a.templateText()
	if err != nil || strings.Contains(text, ".Heading") {
		return builtIn
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \r\n"); strings.HasPrefix(line, "#") && !strings.Contains(line, "{{") {
			return line
		}
	}
	return ""
}
