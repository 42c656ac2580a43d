package codex

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

const (
	namePrefix = "rollout-"
	suffix     = ".jsonl"
	compressed = ".zst"
	uuidLength = 36
)

// isRollout reports whether a file with this base name is a rollout.
func isRollout(base string) bool {
	return strings.HasPrefix(base, namePrefix) && strings.HasSuffix(strings.TrimSuffix(base, compressed), suffix)
}

// idsOf returns the ids in the name of a rollout: that of its thread and its own; "" for
// other names.
func idsOf(path string) (thread, own string) {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), compressed), suffix)
	name, own, later := strings.Cut(name, "_")
	if len(name) < uuidLength {
		return "", ""
	}
	thread = strings.ToLower(name[len(name)-uuidLength:])
	if !isUUID(thread) {
		return "", ""
	}
	if !later {
		own = thread
	}
	return thread, strings.ToLower(own)
}

// isUUID reports whether s is a UUID in lower case.
func isUUID(s string) bool {
	if len(s) != uuidLength {
		return false
	}
	for i, c := range []byte(s) {
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case (c < '0' || c > '9') && (c < 'a' || c > 'f'):
			return false
		}
	}
	return true
}

// A file is an open rollout.
type file struct {
	*formats.File
	r       *bufio.Reader
	decoder *zstd.Decoder
}

// maxWindow bounds the memory that decompressing takes, in bytes.
const maxWindow = 128 << 20

// open opens a rollout, compressed or not.
func open(ctx context.Context, src *formats.Source) (*file, error) {
	f, err := src.Open(ctx)
	if err != nil {
		return nil, err
	}
	r := f.Reader(ctx)
	out := &file{File: f, r: r}
	if magic, _ := r.Peek(4); !bytes.Equal(magic, zstdMagic) {
		return out, nil
	}
	out.decoder, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, errors.Join(src.Located(err), f.Close())
	}
	out.r = bufio.NewReaderSize(src.Expanded(out.decoder, f.Size), 64<<10)
	return out, nil
}

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// done closes the rollout, which was only read.
func (f *file) done() {
	if f.decoder != nil {
		f.decoder.Close()
	}
	f.Close()
}

// A base is the part of another rollout that one goes on from.
type base struct {
	rollout string
	end     int64 // in bytes
}

// A head is what the first line of a rollout says.
type head struct {
	id, cwd, parent string
	asked           string // the first thing that codex shows of the user, if that is near
	created         int64
	base            *base
	size            int64
	modified        time.Time
}

// headOf reads the first line of a rollout.
func headOf(ctx context.Context, src *formats.Source) (head, error) {
	f, err := open(ctx, src)
	if err != nil {
		return head{}, err
	}
	defer f.done()
	h, err := readHead(f.r)
	if err != nil {
		return head{}, src.Located(err)
	}
	h.size, h.modified = f.Size, f.ModTime
	return h, nil
}

var errNoMeta = formats.Damaged("not a rollout: the first line says nothing of a session")

// near is how many bytes of a rollout are looked at for what the user asked first.
const near = 256 << 10

func readHead(r io.Reader) (h head, _ error) {
	for jl, err := range jsonl.Lines(r) {
		if err != nil {
			return head{}, err
		}
		if h.id != "" {
			if h.asked = askedIn(jl.Data); h.asked != "" || jl.End() > near {
				break
			}
			continue
		}
		raw := jl.Data
		if jl.Number == 1 {
			raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
		}
		raw = bytes.TrimSpace(raw)
		if len(raw) == 0 {
			continue
		}
		if raw[0] != '{' || !js.Valid(raw) {
			return head{}, errNoMeta
		}
		l := parseLine(string(raw))
		if l.typ != typeMeta {
			return head{}, errNoMeta
		}
		if h, err = parseHead(l); err != nil {
			return head{}, err
		}
	}
	if h.id == "" {
		return head{}, formats.Damaged("not a rollout: empty")
	}
	return h, nil
}

// askedIn returns what the user says in a line that shows it, "" for any other.
func askedIn(data []byte) string {
	if !bytes.Contains(data, []byte(`"user_message"`)) && !bytes.Contains(data, []byte(`"UserMessage"`)) || !js.Valid(data) {
		return ""
	}
	l := parseLine(string(data))
	switch {
	case l.typ != typeEvent:
		return ""
	case l.kind == "user_message":
		return member(l.raw, l.payload, `"message"`).str(l.raw)
	}
	at := member(l.raw, l.payload, `"item"`)
	if kindOf(l.raw, at) != "UserMessage" {
		return ""
	}
	for _, p := range parts(l.raw, member(l.raw, at, `"content"`)) {
		if text := p.text.str(l.raw); text != "" {
			return text
		}
	}
	return ""
}

func parseHead(l line) (head, error) {
	var h head
	raw := l.raw
	h.created = l.time
	var fork, parent string
	members(raw, l.payload, func(key string, v span) {
		switch key {
		case `"id"`:
			h.id = v.str(raw)
		case `"cwd"`:
			h.cwd = v.str(raw)
		case `"timestamp"`:
			if ms, ok := js.ParseTime(v.str(raw)); ok {
				h.created = ms
			}
		case `"forked_from_id"`:
			fork = v.str(raw)
		case `"parent_thread_id"`:
			parent = v.str(raw)
		case `"history_base"`:
			if v.first(raw) == '{' {
				h.base = baseAt(raw, v)
			}
		}
	})
	if h.parent = fork; fork == "" {
		h.parent = parent
	}
	if h.id == "" {
		return head{}, formats.Damaged("not a rollout: the first line has no id of a session")
	}
	return h, nil
}

func baseAt(raw string, at span) *base {
	b := &base{rollout: strings.ToLower(member(raw, at, `"thread_id"`).str(raw))}
	b.end, _ = member(raw, at, `"end_byte_offset"`).number(raw)
	return b
}

// errLineage says what a rollout lacks.
func errLineage(path string, b *base) error {
	return fmt.Errorf("%s: it goes on from rollout %s, which is neither beside it nor among the sessions it belongs to", path, b.rollout)
}
