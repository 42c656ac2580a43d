package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// An exception is a difference that is meant. It is a line of three fields, with
// a tab between them: a regular expression for command lines, what differs
// (stdout, stderr, status or files, several with commas between them), and why.
type exception struct {
	text  string
	line  *regexp.Regexp
	whats string
	used  bool
}

type exceptions []*exception

func readExceptions(name string) (exceptions, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the differences that are meant: %w", err)
	}
	var out exceptions
	n := 0
	for text := range strings.Lines(string(data)) {
		n++
		text = strings.TrimSuffix(text, "\n")
		if text == "" || text[0] == '#' {
			continue
		}
		e, err := parseException(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		out = append(out, e)
	}
	return out, nil
}

func parseException(text string) (*exception, error) {
	fields := strings.Split(text, "\t")
	if len(fields) != 3 || fields[2] == "" {
		return nil, fmt.Errorf("want a pattern, what differs and the reason, with tabs between them")
	}
	for what := range strings.SplitSeq(fields[1], ",") {
		switch what {
		case "stdout", "stderr", "status", "files":
		default:
			return nil, fmt.Errorf("%q is none of stdout, stderr, status and files", what)
		}
	}
	line, err := regexp.Compile(fields[0])
	return &exception{text: text, line: line, whats: fields[1]}, err
}

// drop returns the differences that are not meant.
func (es exceptions) drop(found []difference) []difference {
	var out []difference
	for _, d := range found {
		meant := false
		for _, e := range es {
			if e.line.MatchString(d.line) && strings.Contains(e.whats, d.what) {
				e.used, meant = true, true
			}
		}
		if !meant {
			out = append(out, d)
		}
	}
	return out
}

// unused returns the exceptions that dropped nothing, if all was run.
func (es exceptions) unused(all bool) []string {
	var out []string
	for _, e := range es {
		if all && !e.used {
			out = append(out, e.text)
		}
	}
	return out
}
