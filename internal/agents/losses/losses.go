// Package losses tells of losses, to people and to programs.
package losses

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/row"
)

// A Log takes the losses of a run. They are warnings, of which those of one kind in one
// session are counted if there are many, and, if there is a file for them, a line of
// it each.
type Log struct {
	warn     func(format string, args ...any)
	tallies  map[string]*cli.Tally // by session
	sessions []string              // in the order in which they were met
	faults   bool                  // only losses that are faults of the source are warnings
	path     string
	file     *os.File
	w        *bufio.Writer
}

// Open returns a log that warns, with faults set only of losses that are [formats.Loss.Fault], and writes all into the new
// file path unless that is "".
func Open(path string, faults bool, warn func(format string, args ...any)) (*Log, error) {
	l := &Log{warn: warn, faults: faults, tallies: map[string]*cli.Tally{}, path: path}
	if path == "" {
		return l, nil
	}
	var err error
	if l.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		err = fmt.Errorf("creating %s: %w", path, disk.Cause(err))
		if errors.Is(err, fs.ErrExist) {
			err = cli.WithHint(err, "losses go into a new file: choose another name")
		}
		return nil, err
	}
	l.w = bufio.NewWriter(l.file)
	return l, nil
}

// Tell tells of a loss in the session whose id that is.
func (l *Log) Tell(session string, loss formats.Loss) {
	if l.tallies[session] == nil {
		l.tallies[session] = cli.NewTally(l.warn)
		l.sessions = append(l.sessions, session)
	}
	if !l.faults || loss.Fault() {
		l.tallies[session].Warnf(loss.Kind, "%s", loss)
	}
	if l.w == nil {
		return
	}
	l.w.WriteString(row.JSON(LossRow{Session: session, Where: loss.Where, Loss: loss.Kind, Text: loss.What}) + "\n")
}

// A LossRow is something that the result of a conversion cannot say, or says otherwise.
type LossRow struct {
	row.Kind `row:"loss"`
	Session  string `row:"session,null"` // The id of the session; null if it was not known yet.
	Where    string `row:"where,null"`   // The place: in the source of an import, in the session of an export; null for the whole.
	Loss     string `row:"loss,known"`   // What kind of loss it is, such as branch, tool or thinking.
	Text     string `row:"text,known"`   // The loss, and its replacement.
}

// Close tells how many more losses there were, and ends the file. Its error is that of
// the first loss that could not be written.
func (l *Log) Close() error {
	for _, session := range l.sessions {
		l.tallies[session].More("session "+session+": ", "; --losses lists them")
	}
	if l.w == nil {
		return nil
	}
	if err := disk.Closing(l.file, l.w.Flush()); err != nil {
		return fmt.Errorf("writing %s: %w", l.path, disk.Cause(err))
	}
	return nil
}
