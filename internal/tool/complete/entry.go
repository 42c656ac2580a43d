package complete

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// Sizes in bytes up to which a session is read whole, and for its ids alone. Above them
// the end of it is read.
const (
	readLimit    = 4 << 20
	outlineLimit = 16 << 20
)

// references adds the labels and the entries of the session on the line, the newest
// first, and the references that have names.
func references(at clikit.Place, add func(clikit.Candidate)) {
	switch at.Flag {
	case "leaf":
		at.Match(add, "last", "newest-message", "longest")
	case "parent":
		at.Match(add, "null")
	}
	at.Match(add, "root")
	if len(at.Operands) == 0 {
		return
	}
	entries, labels := read(at.Operands[len(at.Operands)-1])
	text := map[string]string{}
	var found []clikit.Candidate
	for _, e := range slices.Backward(entries) {
		text[e.ID()] = strings.TrimSpace(convo.Kind(e) + ": " + convo.Say(e))
		if e.ID() != "" && strings.HasPrefix(e.ID(), at.Word) {
			found = append(found, clikit.Candidate{Value: e.ID(), Text: text[e.ID()]})
		}
	}
	for _, l := range slices.Backward(labels) {
		if name := "@" + l.Name; strings.HasPrefix(name, at.Word) {
			add(clikit.Candidate{Value: name, Text: text[l.Target]})
		}
	}
	for _, c := range few(found) {
		add(c)
	}
}

// read returns the entries and labels of a session, or as many as can be read at once.
func read(name string) ([]session.Entry, []session.Label) {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(name, "~/") {
		name = filepath.Join(home, name[2:])
	}
	path, err := operand.Path(context.Background(), name)
	if err != nil || path == "" {
		return nil, nil
	}
	fi, err := os.Stat(path) // before it is opened: a FIFO would wait for a writer
	if err != nil || !fi.Mode().IsRegular() {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	var s *session.Session
	switch size := fi.Size(); {
	case size <= readLimit:
		s, err = session.Read(f)
	default:
		recent, rerr := session.ReadRecent(f, size)
		if rerr == nil {
			return recent.Path, nil
		}
		if !errors.Is(rerr, session.ErrWhole) || size > outlineLimit {
			return nil, nil
		}
		s, err = session.ReadOutline(io.NewSectionReader(f, 0, size))
	}
	if err != nil {
		return nil, nil
	}
	return s.Entries, s.Labels()
}
