package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Why nothing was made of a session that is brought up to date.
var (
	errWaiting   = errors.New("no entry is final yet")
	errRewritten = errors.New("lines that were imported have changed")
)

// A stored is a file that a session was imported to, with a digest of each entry.
type stored struct {
	*jsonl.Appender // holds the lock; nil in a dry run
	header          session.Header
	entries         map[string]*entry // by id, and by which of those with that id it is
	met             map[string]int    // how often the source has had an id
	name, last      string            // the name that it has, and its last entry
	missing         [][]byte          // lines of the source that it has not
	judged          bool              // the bytes that the source had are known
	only            bool              // the source has them, and more behind them
	differs         string            // the first line of the source that is another one here
	rules           string            // the digest of those by which its last lines were cleaned, "" if that is not known
	left            int               // entries of which other rules take out more
	written         int64             // the bytes that it had when an import had written it, 0 if that is not known
	here            bool              // of these some were added by others
	keeps           string            // the agent whose lines are kept with its first entries
}

type entry struct {
	whole, said uint64 // sums of the line, with its kept lines and without
	calls       int    // of tools, in its message
	fact        bool   // it only marks an end, or has a name that stands beside the log
	seen        bool   // the source has it
	own         bool   // no import wrote it, as far as is known
}

var seed = maphash.MakeSeed()

// sums are the digests of a line: its kept lines may be told otherwise by another reader.
func sums(line string) (whole, said uint64) {
	return maphash.String(seed, line), maphash.String(seed, string(js.Value(line).Without(session.MemberKept)))
}

// callsOf returns how many calls of tools the message of an entry has, 0 if it is none.
func callsOf(e session.Entry) (n int) {
	if m, ok := e.Message(); ok {
		n = len(m.ToolCalls())
	}
	return n
}

// nth returns the key of the next entry with an id, of which a damaged file may have several.
func nth(met map[string]int, id string) string {
	if met[id]++; met[id] == 1 {
		return id
	}
	return fmt.Sprintf("%s\x00%d", id, met[id])
}

// load takes in the file that is there. Its lock is held from here on, so that of two runs the second finds what the
// first has appended.
func (k *sink) load(ctx context.Context, was from) (err error) {
	s, met := &stored{entries: map[string]*entry{}, met: map[string]int{}, rules: was.Rules, written: was.Written, here: was.Here}, map[string]int{}
	var clean *redact.Growing
	if !k.dest.DryRun {
		if s.Appender, err = jsonl.OpenAppender(ctx, k.path, jsonl.Options{Tail: jsonl.EndLine}); err != nil {
			return err
		}
	}
	k.there = s
	f, err := formats.OpenFile(k.path)
	if err != nil {
		return err
	}
	defer f.Close()
	for l, err := range jsonl.Lines(f.Reader(ctx)) {
		if err != nil {
			return fmt.Errorf("reading %s: %w", k.path, err)
		}
		text := l.Text()
		if s.header.ID == "" {
			if s.header, err = session.HeaderOf([]byte(text)); err != nil {
				return fmt.Errorf("reading %s: %w", k.path, err)
			}
			s.name = s.header.Title
			if clean, err = k.judge(s, was); err != nil {
				return err
			}
		}
		if clean != nil {
			if now, err := clean.Line(text); err != nil || now != text {
				s.left++
			}
		}
		if s.header.Raw() == text {
			continue
		}
		e, err := session.ParseEntry(text)
		if err != nil {
			continue // damage, which is that file's
		}
		if e.Str("customType") == customRedacted {
			s.rules = js.Value(text).Get("data", "rules").Str()
		}
		if s.keeps == "" {
			s.keeps = e.Importer()
		}
		own := &entry{own: l.Offset >= s.written, fact: e.Type() == session.TypeSessionInfo || e.Str("customType") == customRedacted || slices.Contains([]string{"leaf", "lines", "name"}, formats.CustomName(e, k.kept))}
		own.whole, own.said = sums(text)
		own.calls = callsOf(e)
		if e.Type() == session.TypeSessionInfo {
			s.name = e.Str("name")
		}
		s.entries[nth(met, e.ID())], s.last = own, cmp.Or(e.ID(), s.last)
	}
	return nil
}

// compare compares a line of the source with the file that is there.
func (k *sink) compare(text string) error {
	s := k.there
	if !k.compared {
		k.compared = true
		h, err := session.HeaderOf([]byte(text))
		if err != nil {
			return err
		}
		if h.ID != s.header.ID || h.Timestamp != s.header.Timestamp || h.CWD != s.header.CWD && k.clean == nil {
			s.differs = text
			return errRewritten
		}
		return nil
	}
	e, err := session.ParseEntry(text)
	if err != nil {
		return err
	}
	key := nth(s.met, e.ID())
	own := s.entries[key]
	if own == nil {
		s.missing = append(s.missing, []byte(text))
		s.entries[key] = &entry{seen: true}
		return nil
	}
	own.seen = true
	others := k.clean != nil && s.rules != k.digest && !s.judged // it may be the rules that say it otherwise
	// Another reader may say it otherwise, but a call that it has more is in no other entry.
	if whole, said := sums(text); own.whole != whole && own.said != said && (!s.only || callsOf(e) > own.calls) && !others {
		s.differs = text
		return errRewritten
	}
	return nil
}

// append appends the lines that are missing. The lock is given back, whatever the error.
func (k *sink) append(err error) error {
	s := k.there
	if s.Appender == nil {
		return err
	}
	if err == nil {
		if err = s.Append(s.missing...); err == nil {
			s.here = s.merged()
			s.written, err = sizeOf(k.path) // under the lock
		}
		if err == nil && k.dest.Durable() {
			err = syncFile(k.path)
		}
		if err != nil {
			err = &writeError{fmt.Errorf("appending to %s: %w", k.path, disk.Cause(err))}
		}
	}
	if cerr := s.Close(); err == nil && cerr != nil {
		err = k.failed(cerr)
	}
	return err
}

func sizeOf(path string) (int64, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// merged reports whether entries were added to the file that is there, which are not of the source: the session went on here as
// well. What an import wrote and the source has no more was not added here.
func (s *stored) merged() bool {
	for _, e := range s.entries {
		if e.own && !e.seen && !e.fact {
			return true
		}
	}
	return s.here
}

// retitled adds the name that the agent keeps beside the session, if that is another one than the session has.
func (k *sink) retitled(info formats.Info) error {
	name, known, last := session.OneLine(info.Name), k.title, k.last
	if k.redacts && name != "" {
		clean, err := k.cleaner()
		if err != nil {
			return err
		}
		line, err := clean.Line(js.Object(js.StringField("name", name)))
		if err != nil {
			return err
		}
		name = js.Value(line).Get("name").Str()
	}
	isKnown := func(string) bool { return false }
	if s := k.there; s != nil {
		isKnown = func(id string) bool { return s.entries[id] != nil }
		if len(s.missing) == 0 {
			known, last = s.name, s.last
		}
		known = cmp.Or(known, s.name)
	}
	if name == "" || name == known || last == "" {
		return nil
	}
	id := formats.EntryID(isKnown, k.id, "name", name)
	at := cmp.Or(info.Modified, info.Created)
	return k.line(js.Object(js.StringField("type", session.TypeSessionInfo), js.StringField("name", name), js.StringField("id", id),
		js.StringField("parentId", last), js.StringField("timestamp", js.FormatTime(at.UnixMilli()))))
}

// A from is the source that a file in the store was made of. It is a cache: without it everything is read and compared.
type from struct {
	Source     string `json:"source"`
	disk.Stamp        // of the source when it was read
	Quiet      bool   `json:"quiet"`  // all of it was taken
	SHA256     string `json:"sha256"` // of that many bytes
	Next       string `json:"next,omitempty"`

	Cuts []int64 `json:"cuts,omitempty"` // where all of it was taken before, as [formats.Builder.Cuts] has it

	Written int64 `json:"written,omitempty"` // the bytes that the file had when an import had written it; 0 is not known
	Here    bool  `json:"here,omitempty"`    // of these some were added by others

	Rules   string `json:"rules,omitempty"`   // the digest of those by which the last lines were cleaned
	Checked string `json:"checked,omitempty"` // the digest of those by which all lines were looked at, if others
}

func fromFile(path string) string {
	dir, base := filepath.Split(path)
	return dir + "." + base + ".from"
}

// maxFrom is the largest file of its kind that is read, in bytes.
const maxFrom = 1 << 20

// loadFrom returns what a file was made of, nothing if that is not known.
func loadFrom(path string) (f from) {
	file, err := os.OpenFile(fromFile(path), os.O_RDONLY|disk.NoFollow|disk.Nonblock, 0)
	if err != nil {
		return f
	}
	defer file.Close()
	if fi, err := file.Stat(); err != nil || disk.Regular(fi) != nil || fi.Size() > maxFrom {
		return f
	}
	data, err := io.ReadAll(file)
	if err != nil || json.Unmarshal(data, &f) != nil {
		return from{}
	}
	return f
}

// sameFile reports whether a source is as it was.
func (f from) sameFile(of from) bool {
	return f.Source == of.Source && f.Stamp == of.Stamp
}

// fromOf returns the facts about a source that the file system knows.
func fromOf(info formats.Info, quiet bool) (f from, ok bool) {
	fi, err := os.Stat(info.Path)
	if err != nil || !fi.Mode().IsRegular() {
		return f, false
	}
	source, err := filepath.Abs(info.Path)
	if err != nil {
		return f, false
	}
	return from{Source: source + info.Key, Stamp: disk.StampOf(fi), Quiet: quiet}, true
}

// sum returns the digest of the first bytes of a file, "" if it has fewer.
func sum(path string, size int64) string {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if n, err := io.CopyN(h, f, size); err != nil || n != size {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// save notes what the file was made of. That it cannot is no error: the next run reads more.
func (k *sink) save(path string, f from) error {
	if k.dest.DryRun {
		return nil
	}
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	name := fromFile(path)
	err = disk.Replace(disk.OS{}, name+"-"+rand.Text(), name, append(data, '\n'), false)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// note saves the facts about the source, when all of the session was compared with it or made of it.
func (k *sink) note(info formats.Info) error {
	if !k.stamped || k.path == "" || k.there == nil && k.what != listing.New || k.there != nil && !k.compared {
		return nil
	}
	k.stamp.SHA256, k.stamp.Next = sum(info.Path, k.stamp.Size), ""
	if k.stamp.Rules = k.digest; k.there != nil && len(k.there.missing) == 0 && k.there.rules != "" && k.there.rules != k.digest {
		k.stamp.Rules, k.stamp.Checked = k.there.rules, k.digest
	}
	if k.stamp.Written = k.written; k.there != nil {
		k.stamp.Written, k.stamp.Here = k.there.written, k.there.here
	}
	return k.save(k.path, k.stamp)
}
