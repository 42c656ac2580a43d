package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/memo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
	"github.com/sess-tools/sess/pkg/typed"
)

// A spot tells a session of an archive from others.
type spot struct{ path, key, id string }

func spotOf(info formats.Info) spot { return spot{info.Path, info.Key, info.ID} }

// Said has the details of sessions that need not be read once more: this run read them, or an earlier one, and they are remembered.
type said struct {
	memo  *memo.Memo // nil for nothing
	kind  string     // the format, as its entries are called
	begun time.Time

	mu   sync.Mutex
	keys map[spot]memo.Key // of sessions that are read
	read map[spot]formats.Info
}

// newSaid returns the details that are known of sessions of a kind when a run begins, of the memo unless that is nil. What an archive that is kept open has
// read counts from when that may have been.
func newSaid(kind string, m *memo.Memo) *said {
	s := &said{kind: kind, memo: m, keys: map[spot]memo.Key{}, read: map[spot]formats.Info{}}
	if m != nil {
		s.begun = m.Now().Add(-lasts)
	}
	return s
}

// remembering returns the memo of a run that may answer from it, else nil.
func (c *config) remembering() *memo.Memo {
	if c.remembered == "" {
		return nil
	}
	if c.memo != nil {
		return c.memo
	}
	return memo.Open()
}

// knows reports whether the details of a session are known, and notes the files that it is made of if not.
func (s *said) knows(ctx context.Context, a formats.Archive, info formats.Info) bool {
	at := spotOf(info)
	s.mu.Lock()
	_, known := s.read[at]
	s.mu.Unlock()
	if known || s.memo == nil {
		return known
	}
	key, ok := s.memo.Key(s.begun, []string{"row", s.kind, info.Key, info.ID}, formats.SourcesOf(ctx, a, info)...)
	if !ok {
		return false
	}
	if text, ok := s.memo.Get(key); ok {
		if row, err := listing.Parse(text); err == nil {
			info.Info, known = row.Info, true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known {
		s.read[at] = info
	} else {
		s.keys[at] = key
	}
	return known
}

// details returns a session that was listed with its details, if they are known, and remembers those that were read for it.
func (s *said) details(info formats.Info) formats.Info {
	at := spotOf(info)
	s.mu.Lock()
	known, ok := s.read[at]
	key, read := s.keys[at]
	delete(s.keys, at)
	s.mu.Unlock()
	if ok {
		return known
	}
	if read {
		row := listing.Row{Row: store.Row{Info: info.Info}}
		row.FirstMessage, row.LastMessage = "", ""
		s.memo.Put(key, []byte(listing.JSON(row)))
	}
	return info
}

// keep keeps the details that were read for a session.
func (s *said) keep(info formats.Info) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read[spotOf(info)] = info
}

// Values of --remembered: what an answer may be made of.
const (
	remembersRows = "said"
	remembersSum  = "sum"
	remembersCopy = "copy"
)

// key is the key of the note of a session of a source: the lines that say what was used, or the sum of its text. The session is named as it was
// asked for.
func (j *job) key(files []string) (memo.Key, bool) {
	o, what := j.origin, remembersSum
	if j.usage {
		what = "usage"
	}
	return j.said.memo.Key(j.said.begun, []string{what, j.said.kind, j.root, j.session, o.Harness, o.Host, o.User, os.Getenv("SESS_BLOBS")}, files...)
}

// remembers reports whether a note may stand in the place of a session's text: it is printed, and nothing but faults is told of it.
func (j *job) remembers() bool {
	wanted := j.usage && j.recalls == remembersRows || !j.usage && (j.recalls == remembersSum || j.recalls == remembersCopy)
	return wanted && j.said.memo != nil && j.session != "" && !j.kinds && !j.strict && j.damaged != "fail" && j.damaged != "strict" && !j.dest.Store && j.dest.File == "" && !j.redact
}

// recall answers from the note of a session that is made of some files: by itself, or by the copy in the store with the same sum. Where
// there is no note it returns the one to make, nil if there is none to make.
func (j *job) recall(ctx context.Context, files []string) (n *note, done bool, err error) {
	key, ok := j.key(files)
	if !ok {
		return nil, false, nil
	}
	text, known := j.said.memo.Get(key)
	switch {
	case !known:
		return j.note(key), false, nil
	case j.recalls == remembersCopy:
		done, err = j.copied(ctx, string(text))
		return nil, done, err
	}
	_, err = j.streams.Out.Write(text)
	return nil, true, err
}

// copied prints the copy of a session in the store, if it has the bytes that converting the session gave.
func (j *job) copied(ctx context.Context, note string) (done bool, err error) {
	sum, ok := address.ParseSum(note)
	if !ok {
		return false, nil
	}
	path := copyOf(sum.Header)
	if path == "" {
		return false, nil
	}
	f, err := disk.OpenRegular(path)
	if err != nil {
		return false, nil
	}
	defer f.Close()
	text := func() io.Reader { return disk.Reader{Ctx: ctx, R: io.NewSectionReader(f, 0, sum.Size)} }
	if fi, err := f.Stat(); err != nil || fi.Size() != sum.Size {
		return false, nil
	}
	digest := sha256.New()
	if _, err := io.Copy(digest, text()); err != nil || hex.EncodeToString(digest.Sum(nil)) != sum.SHA256 {
		return false, ctx.Err()
	}
	_, err = io.Copy(j.streams.Out, text())
	return true, err
}

// copyOf returns the file of a session in the store, "" if there is none.
func copyOf(header string) string {
	h, err := session.HeaderOf([]byte(header))
	if err != nil {
		return ""
	}
	path, err := storedAt(h)
	if err != nil {
		return ""
	}
	if fi, err := os.Lstat(path); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	return path
}

// A note stands in the place of a session's text, and is remembered. The nil pointer takes no lines.
type note struct {
	key  memo.Key
	text []byte
	lost bool // it is too large, or has words, or something was told beside it

	kind   string    // remembersRows and its like
	digest hash.Hash // of the text; nil for the lines themselves
	sum    address.Sum
}

func (j *job) note(key memo.Key) *note {
	n := &note{key: key, kind: j.recalls}
	if n.kind != remembersRows {
		n.digest = sha256.New()
	}
	return n
}

// mostNoted is the largest note in bytes.
const mostNoted = 4 << 20

// line takes a line. It reports whether the line is not to be printed.
func (n *note) line(line string) (instead bool) {
	switch {
	case n == nil:
	case n.digest != nil:
		if n.sum.Size == 0 {
			n.sum.Header = strings.Clone(line)
			n.lost = n.lost || n.kind == remembersCopy && copyOf(line) == "" // something may have been told in front of it
		}
		if instead = n.kind == remembersSum; n.lost && !instead {
			return false
		}
		n.sum.Size += int64(len(line)) + 1
		_, _ = io.WriteString(n.digest, line) // a hash has no errors
		_, _ = io.WriteString(n.digest, "\n")
	case n.lost:
	case len(n.text)+len(line) > mostNoted || len(n.text) > 0 && hasWords(js.Value(line)):
		n.lost, n.text = true, nil
	default:
		n.text = append(append(n.text, line...), '\n')
	}
	return instead
}

// end prints a sum that was asked for, and remembers the note.
func (n *note) end(out io.Writer, m *memo.Memo) error {
	if n.digest != nil {
		n.sum.SHA256 = hex.EncodeToString(n.digest.Sum(nil))
		n.text = []byte(n.sum.Lines())
	}
	if n.kind == remembersSum {
		if _, err := out.Write(n.text); err != nil {
			return err
		}
	}
	if !n.lost {
		m.Put(n.key, n.text)
	}
	return nil
}

// used returns the line of an entry for a reader that adds up, "" for one that says nothing of what was used: with a digest in place of
// the content, by which copies of a call are known.
func used(line string) string {
	switch {
	case strings.Contains(line, typed.MovedHere), strings.Contains(line, `"`+session.CustomRun+`"`):
		return line
	case !strings.Contains(line, `"usage"`):
		return ""
	}
	entry := js.Value(line)
	message := entry.Get("message")
	content := message.Get("content")
	if content == "" || content == "[]" {
		return line
	}
	sum := sha256.Sum256([]byte(content))
	return string(entry.With("message", message.With("content", js.Value(js.Quote(hex.EncodeToString(sum[:8]))))))
}

// hasWords reports whether a line of [used] may have what was said.
func hasWords(entry js.Value) bool {
	switch entry.Get("type").Str() {
	case session.TypeUsage:
		return false
	case session.TypeMessage:
		m := entry.Get("message")
		return m.Get("role").Str() != session.RoleAssistant || m.Get("details") != "" || m.Get("errorMessage") != ""
	}
	return true
}
