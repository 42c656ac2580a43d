package codex

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
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
	if !formats.IsUUID(thread) {
		return "", ""
	}
	if !later {
		own = thread
	}
	return thread, strings.ToLower(own)
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
	out.r = bufio.NewReaderSize(formats.Expanded(out.decoder, f.Size), 64<<10)
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
	id, cwd, parent, git string
	firstPrompt          string // the first thing that codex shows of the user, if that is near
	created              int64
	base                 *base
	size                 int64
	modified             time.Time
	subagent             bool // another thread spawned it
}

// headOf reads the first line of a rollout. With an error it says what the file was when it was read.
func headOf(ctx context.Context, src *formats.Source) (head, error) {
	f, err := open(ctx, src)
	if err != nil {
		return head{}, err
	}
	defer f.done()
	h, err := readHead(f.r)
	if h.size, h.modified = f.Size, f.ModTime; err != nil {
		err = src.Located(err)
	}
	return h, err
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
			if h.parent == "" && bytes.Contains(jl.Data, []byte(typeMeta)) && js.Valid(jl.Data) { // a copy of the parent begins so
				if l := parseLine(string(jl.Data)); l.typ == typeMeta && l.payload.Get("id").Str() != h.id {
					h.parent = l.payload.Get("id").Str()
				}
			}
			if h.firstPrompt = promptIn(jl.Data); h.firstPrompt != "" || jl.End() > near {
				break
			}
			continue
		}
		raw := jl.Data
		if jl.Number == 1 {
			raw = bytes.TrimPrefix(raw, []byte(jsonl.ByteOrderMark))
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

// promptIn returns what the user says in a line that shows it, "" for any other.
func promptIn(data []byte) string {
	if !bytes.Contains(data, []byte(`"user_message"`)) && !bytes.Contains(data, []byte(`"UserMessage"`)) || !js.Valid(data) {
		return ""
	}
	l := parseLine(string(data))
	switch {
	case l.typ != typeEvent:
		return ""
	case l.kind == "user_message":
		return l.payload.Get("message").Str()
	}
	item := l.payload.Get("item")
	if item.Get("type").Str() != "UserMessage" {
		return ""
	}
	for p := range item.Get("content").Elements() {
		if text := p.Get("text").Str(); text != "" {
			return text
		}
	}
	return ""
}

func parseHead(l line) (head, error) {
	v := l.payload
	h := head{
		id: v.Get("id").Str(), cwd: v.Get("cwd").Str(), created: l.time,
		parent: parentIn(v), subagent: typed.IsCodexSubagent(v),
		git: session.Git(v.Get("git", "repository_url").Str(), v.Get("git", "branch").Str(), v.Get("git", "commit_hash").Str()),
	}
	if ms, ok := js.ParseTime(v.Get("timestamp").Str()); ok {
		h.created = ms
	}
	if b := v.Get("history_base"); b.IsObject() {
		h.base = &base{rollout: strings.ToLower(b.Get("thread_id").Str())}
		h.base.end, _ = api.Whole(b.Get("end_byte_offset"))
	}
	if h.id == "" {
		return head{}, formats.Damaged("not a rollout: the first line has no id of a session")
	}
	return h, nil
}

// parentIn returns the thread that the first line of a rollout names as the one it comes from: it was forked from it,
// spawned by it, or belongs to its session. "" is none.
func parentIn(v js.Value) string {
	parent := cmp.Or(v.Get("forked_from_id").Str(), v.Get("parent_thread_id").Str())
	for _, spawned := range v.Get("source", "subagent").Members() {
		parent = cmp.Or(parent, spawned.Get("parent_thread_id").Str())
	}
	if parent = cmp.Or(parent, v.Get("session_id").Str()); parent == v.Get("id").Str() {
		return ""
	}
	return parent
}

// largeSize is from how many bytes on a text is not copied into lines.
const largeSize = 64 << 10

// A store of large texts: in lines a number between NULs, which JSON never has, stands for
// each. They are quoted as they are written: one may be most of a session, and codex says
// it in two lines.
type large []string

// quote returns valid text as a literal, or its placeholder.
func (g *large) quote(text string) string {
	if len(text) < largeSize {
		return js.Quote(text)
	}
	*g = append(*g, text)
	return "\x00" + strconv.Itoa(len(*g)-1) + "\x00"
}

// pieces calls each with the parts of a line: JSON text, and texts to be quoted.
func (g large) pieces(line string, each func(piece string, text bool)) {
	for text := false; ; text = !text {
		piece, rest, more := strings.Cut(line, "\x00")
		if text {
			n, _ := strconv.Atoi(piece) // of our own
			each(g[n], true)
		} else {
			each(piece, false)
		}
		if !more {
			return
		}
		line = rest
	}
}

// A rollout is lines with large texts.
type rollout struct {
	lines []string
	large large
}

// WriteTo writes the lines, each with its line feed. The error is that of w.
func (r rollout) WriteTo(w io.Writer) (int64, error) {
	c := &disk.Counter{W: w}
	out := bufio.NewWriterSize(c, largeSize)
	var buf []byte
	for _, line := range r.lines {
		r.large.pieces(line, func(piece string, text bool) {
			if !text {
				out.WriteString(piece)
				return
			}
			out.WriteByte('"')
			for piece != "" {
				n := min(len(piece), largeSize)
				for n < len(piece) && !utf8.RuneStart(piece[n]) {
					n--
				}
				buf = js.AppendQuote(buf[:0], piece[:n])
				out.Write(buf[1 : len(buf)-1])
				piece = piece[n:]
			}
			out.WriteByte('"')
		})
		out.WriteByte('\n')
	}
	err := out.Flush()
	return c.N, err
}
