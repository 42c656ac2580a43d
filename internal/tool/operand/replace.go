package operand

import (
	"errors"
	"io"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// File returns the file that is held, to be read anywhere, and its size; ok is false if
// the session is none.
func (t *Target) File() (r io.ReaderAt, size int64, ok bool) {
	if t.file == nil {
		return nil, 0, false
	}
	return t.file, t.file.Size(), true
}

// Stream returns the session that is held in a segmented store, from the beginning.
func (t *Target) Stream() io.ReadCloser { return streamed(t.seg.store) }

// Replace gives the session other content, in one step; see [jsonl.Appender.Replace].
// Only a file that is no draft can be replaced.
func (t *Target) Replace(content io.WriterTo) error {
	switch {
	case t.file == nil:
		return clikit.WithHint(errors.New(t.Name+": a segmented store only grows at its end, and there are lines that belong before it"),
			"add -o FILE in place of --into")
	case t.place.draft():
		return clikit.WithHint(errors.New(t.Name+": a draft only grows at its end"), "add -o FILE in place of --into")
	}
	err := unfinished(named(t.Name, t.file.Replace(content, t.sync)))
	if m := t.file.Mended(); m.Kind != jsonl.MendNone {
		t.streams.Warnf("%s: %s", t.Name, m)
	}
	return err
}
