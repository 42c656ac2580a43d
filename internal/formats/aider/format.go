package aider

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"

	"github.com/sess-tools/sess/internal/formats"
)

// Aider is the format of aider's histories.
var Aider formats.Format = format{}

type format struct{}

// The versions that can be written.
const (
	versionChat  = "chat-history"
	versionInput = "input-history"
)

// About describes the format.
func (format) About() formats.About {
	return formats.About{
		Name: "aider", Summary: "aider's chat history, input history and LLM history",
		Versions: []string{versionChat, versionInput}, Home: home,
	}
}

// A kind is one of aider's files.
type kind int

const (
	chatHistory kind = iota
	inputHistory
	llmHistory
)

var (
	started  = regexp.MustCompile(`(?m)^# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\r?$`)
	typed    = regexp.MustCompile(`\A\s*# \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\r?\n\+`)
	sent     = regexp.MustCompile(`\A(TO LLM \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\r?\n-------|LLM RESPONSE \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\r?\n)`)
	chatName = ".aider.chat.history.md"
)

// Detect takes a file by its name, or by the lines that only aider writes.
func (format) Detect(name string, head []byte) bool {
	base := filepath.Base(name)
	return base == chatName || base == ".aider.input.history" && typed.Match(head) ||
		started.Match(head) || typed.Match(head) || sent.Match(head)
}

// kindOf tells aider's files apart; what is neither of the others is a chat history.
func kindOf(head []byte) kind {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	switch {
	case sent.Match(head):
		return llmHistory
	case typed.Match(head):
		return inputHistory
	}
	return chatHistory
}

// Open opens a file, or the chat history in a directory.
func (format) Open(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	path := src.Path
	if src.IsDir() {
		path = filepath.Join(path, chatName)
	}
	at := &formats.Source{Path: path, CWD: src.CWD}
	if path == "" {
		at = src // which keeps what came on standard input
	}
	file, err := at.Open(ctx)
	if err != nil {
		return nil, err
	}
	head, err := at.Head(ctx)
	if err != nil {
		file.Close()
		return nil, err
	}
	a := &archive{src: at, file: file, kind: kindOf(head), cwd: src.CWD}
	if filepath.Base(path) == chatName {
		if dir, err := filepath.Abs(filepath.Dir(path)); err == nil {
			a.cwd = dir // aider puts it where the project begins
		}
	}
	return a, nil
}
