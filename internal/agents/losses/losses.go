// Package losses tells of losses, to people and to programs.
package losses

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
)

// A Log takes the losses of a run. Faults of a source are warnings, and so are all others with -v; at the end comes a table of
// what was not kept. If there is a file for them, each is a line of it.
type Log struct {
	streams *cli.Streams
	faults  bool // no table, and no other warnings than of faults of the source
	path    string
	file    *os.File
	w       *bufio.Writer
	rows    []*tableRow // in the order in which their kinds were met
}

// A tableRow is what was not kept of a kind.
type tableRow struct {
	kind     string
	things   int
	sessions map[string]bool
	first    formats.Loss
}

// Open returns a log that tells s, with faults set only of losses that are [formats.Loss.Fault], and writes all into the new
// file path unless that is "".
func Open(path string, faults bool, s *cli.Streams) (*Log, error) {
	l := &Log{streams: s, faults: faults, path: path}
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

// classes are those of the losses that are no mere losses.
var classes = map[string]cli.Class{formats.KindDamage: cli.Damage, formats.KindReference: cli.Unseen}

// Tell tells of a loss in the session whose id that is. People are told the place, which is that of the loss, or an address.
func (l *Log) Tell(session, place string, loss formats.Loss) {
	class, ok := classes[loss.Kind]
	switch {
	case ok:
	case l.faults && loss.Fault():
		class = cli.Note
	default:
		class = cli.Loss
	}
	if !l.faults || loss.Fault() {
		told := loss
		if told.Where = place; l.streams.Verbose {
			told.Where = loss.Where
		}
		l.streams.Warn(class, "%s", told)
	}
	if !l.faults {
		l.add(session, place, loss)
	}
	if l.w != nil {
		l.write(row.JSON(LossRow{Session: session, Where: loss.Where, Loss: loss.Kind, Text: loss.What, N: max(loss.N, 1)}))
	}
}

func (l *Log) write(row string) {
	if l.w != nil {
		l.w.WriteString(row + "\n")
	}
}

// Take takes the losses of another run, which wrote them into the file path and has told of them what people have to know.
func (l *Log) Take(path string) error {
	data, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the losses: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		row := js.Value(strings.TrimSuffix(line, "\n"))
		l.add(row.Get("session").Str(), "", formats.Loss{Kind: row.Get("loss").Str(), What: row.Get("text").Str(), N: int(row.Get("n").Int())})
		l.write(string(row))
	}
	return nil
}

// add counts a loss for the table.
func (l *Log) add(session, place string, loss formats.Loss) {
	var to *tableRow
	for _, r := range l.rows {
		if r.kind == loss.Kind {
			to = r
		}
	}
	if to == nil {
		first := loss
		first.Where = place
		to = &tableRow{kind: loss.Kind, sessions: map[string]bool{}, first: first}
		l.rows = append(l.rows, to)
	}
	to.things += max(loss.N, 1)
	to.sessions[session] = true
}

// Any reports whether the table has a row.
func (l *Log) Any() bool { return len(l.rows) > 0 }

// example is how many columns a table needs to have an example in each row.
const example = 72

// Table returns the table of what was not kept, without lines if that is nothing: of each kind how many things in how many
// sessions, which is left out for one session, and the first. It is at most width columns wide, of any width if that is 0.
func (l *Log) Table(head string, width int) (lines []string) {
	if !l.Any() {
		return nil
	}
	columns := cli.Columns{{Head: head}, {Head: "THINGS", Right: true}}
	all := map[string]bool{}
	for _, r := range l.rows {
		for session := range r.sessions {
			all[session] = true
		}
	}
	if len(all) > 1 {
		columns = append(columns, cli.Column{Head: "SESSIONS", Right: true})
	}
	heads := []string{head, "THINGS", "SESSIONS"}[:len(columns)]
	rows := [][]string{heads}
	for _, r := range l.rows {
		rows = append(rows, []string{formats.Things(r.kind), strconv.Itoa(r.things), strconv.Itoa(len(r.sessions))}[:len(columns)])
	}
	columns.Fit(rows...)
	for i, cells := range rows {
		line := "  " + columns.Line(cells...)
		if width == 0 || width >= example {
			such := "SUCH AS"
			if i > 0 {
				such = l.rows[i-1].example(width - utf8.RuneCountInString(line) - 2)
			}
			line += "  " + such
		}
		if width > 0 {
			line = tty.Fit(line, width)
		}
		lines = append(lines, line)
	}
	return lines
}

// example is the first loss, its text cut so that its place has room in a number of characters; not cut if that is not above 0.
func (r *tableRow) example(room int) string {
	place, what := "", tty.Clean(r.first.What)
	if r.first.Where != "" {
		place = ", " + tty.Clean(r.first.Where)
	}
	if room > 0 {
		what = tty.Fit(what, max(room-utf8.RuneCountInString(place), 8))
	}
	return what + place
}

// Sum says how many things of each kind were not kept, such as "thinking (3), titles (1)"; "" for none.
func (l *Log) Sum() string {
	var out []string
	for _, r := range l.rows {
		out = append(out, fmt.Sprintf("%s (%d)", formats.Things(r.kind), r.things))
	}
	return strings.Join(out, ", ")
}

// Close prints the table, whose first heading is head, and ends the file.
func (l *Log) Close(head string) error {
	if l.streams.Verbose && l.streams.Unfolded() {
		l.rows = nil // the program that reads the warnings has them all
	}
	l.streams.Unfold() // the table is the end
	for _, line := range l.Table(head, l.streams.ErrWidth()) {
		l.streams.Infof("%s", line)
	}
	if l.Any() && l.w == nil && !l.streams.Verbose {
		l.streams.Hintf("--losses FILE writes each of them, -v prints them")
	}
	return l.End()
}

// End ends the file, without a table. Its error is that of the first loss that could not be written.
func (l *Log) End() error {
	if l.w == nil {
		return nil
	}
	if err := disk.Closing(l.file, l.w.Flush()); err != nil {
		return fmt.Errorf("writing %s: %w", l.path, disk.Cause(err))
	}
	return nil
}

// Place returns the place of a loss as people read it. If where is PATH:LINE and the session has an address, it is the address
// with the line; anything else is returned as it was given.
func Place(address, path, where string) string {
	line, ok := strings.CutPrefix(where, path+":")
	if _, err := strconv.Atoi(line); !ok || err != nil || address == "" {
		return where
	}
	return address + ", line " + line
}

// A LossRow is something that the result of a conversion cannot say, or says otherwise.
type LossRow struct {
	row.Kind `row:"loss"`
	Session  string `row:"session,null"` // The id of the session; null if it was not known yet.
	Where    string `row:"where,null"`   // The place: in the source of an import, in the session of an export; null for the whole.
	Loss     string `row:"loss,known"`   // What kind of loss it is, such as branch, tool or thinking.
	Text     string `row:"text,known"`   // The loss, and its replacement.
	N        int    `row:"n"`            // How many things are lost.
}
