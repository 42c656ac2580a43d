package formats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/agent"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A Target is the destination of an export, and the wishes about it.
type Target struct {
	Path    string    // a file that must not exist, a directory, or what else the format takes; "" for Out
	Out     io.Writer // standard output
	Version string    // one of [About.Versions], "" if it has none
	Blobs   string    // directory of the blobs that the session refers to, "" for none
	Strict  bool      // a loss is an error, and nothing is written
	DryRun  bool      // everything goes to Out, nothing else is written
	Sync    bool      // the file is durable when Export returns
	Index   bool      // the agent's list of names is to have the session's as well, if Path is its home
	Replace bool      // a file that is in the way, or has the same session, is moved aside
	Content bool      // what was said is written, too, by a format that leaves it out
	Env     Env
	// Price says what the calls of a session cost in USD, or why that is not known; nil leaves it at the costs that are stored.
	Price func(ctx context.Context, session jsonl.Content) (usd float64, err error)

	Losses int        // how many there have been
	Made   []string   // paths of what was written
	Moved  []string   // where files went that were in the way
	Next   [][]string // the commands that go on with the session in the agent, one after the other; none if there is none

	lose      func(Loss)
	crlf, bom bool // how the lines were that the session keeps
}

// NewTarget returns a target that gives each loss to lose.
func NewTarget(lose func(Loss)) *Target { return &Target{lose: lose} }

// ErrLossy is the error of an export that may not lose anything and would.
var ErrLossy = errors.New("the session cannot be held without loss")

// Lose tells of a loss.
func (t *Target) Lose(where, kind, format string, args ...any) {
	t.Lost(loss(where, kind, format, args))
}

// Lost tells of a loss.
func (t *Target) Lost(l Loss) {
	t.Losses++
	t.lose(l)
}

// Note tells of something that is left out for good reason, which no strict export ends for.
func (t *Target) Note(where, kind, format string, args ...any) {
	t.Noted(loss(where, kind, format, args))
}

// Noted tells of a loss as [Target.Note] does.
func (t *Target) Noted(l Loss) { t.lose(l) }

// At returns an entry as [Loss.Where] has it.
func At(e session.Entry) string {
	if e.ID() == "" {
		return fmt.Sprintf("line %d", e.Line())
	}
	return "entry " + e.ID()
}

// Ready is to be asked when all losses have been told and nothing has been
// written: its error ends a strict export that lost something.
func (t *Target) Ready() error {
	if t.Strict && t.Losses > 0 {
		return ErrLossy
	}
	return nil
}

// File writes one file, after asking Ready: to Out if there is no Path or only a
// dry run is asked for, as name into the directory Path, or as the file Path.
// name may have several elements, whose directories are made. An existing file
// is not touched, and the error matches fs.ErrExist; with Replace it is moved aside.
func (t *Target) File(name string, content io.WriterTo) error { return t.Instead("", name, content) }

// Instead is File for a directory that may have the session already, in the file there. That file is in the
// way, and with Replace the session takes its name.
func (t *Target) Instead(there, name string, content io.WriterTo) error {
	if err := t.Ready(); err != nil {
		return err
	}
	if t.crlf || t.bom {
		content = styled{content, t.crlf, t.bom}
	}
	if t.Path == "" || t.DryRun {
		_, err := content.WriteTo(t.Out)
		return err
	}
	path := t.Path
	fi, err := os.Stat(path)
	switch {
	case err == nil && fi.IsDir(), os.IsPathSeparator(path[len(path)-1]):
		if !filepath.IsLocal(name) {
			return fmt.Errorf("naming the file: %q would not lie in %s", name, path)
		}
		path = filepath.Join(path, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("making the directory of %s: %w", path, disk.Cause(err))
		}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("creating %s: %w", path, disk.Cause(err))
	}
	if there != "" {
		path = there
	}
	return t.create(path, content)
}

// create makes a file, and moves one aside that is in the way if it may.
func (t *Target) create(path string, content io.WriterTo) error {
	aside := ""
	if _, err := os.Lstat(path); err == nil && t.Replace {
		if aside, err = moveAside(path); err != nil {
			return err
		}
	}
	if err := jsonl.Create(path, content, t.Sync); err != nil {
		if aside != "" {
			err = errors.Join(err, disk.Publish(aside, path))
		}
		return err
	}
	t.Made = append(t.Made, path)
	if aside != "" {
		t.Moved = append(t.Moved, aside)
	}
	return nil
}

// moveAside gives a file a name that no agent takes for a session's.
func moveAside(path string) (string, error) {
	for n := 1; ; n++ {
		aside := path + ".replaced-" + strconv.Itoa(n)
		err := disk.Publish(path, aside)
		switch {
		case err == nil:
			if one, err := os.Lstat(path); err == nil { // a second name, where there is no exclusive rename
				if other, err := os.Lstat(aside); err == nil && os.SameFile(one, other) {
					return aside, os.Remove(path)
				}
			}
			return aside, nil
		case !errors.Is(err, fs.ErrExist):
			return "", fmt.Errorf("moving %s aside: %w", path, disk.Cause(err))
		}
	}
}

// ActivePath returns the path to the leaf of s, for formats that hold one branch, and
// tells of what stays behind. The entries' problems have been told by the one that
// read the session.
func (t *Target) ActivePath(s *session.Session) []session.Entry {
	leaf, ok := s.Leaf()
	if !ok {
		return nil
	}
	path, _ := s.Path(leaf)
	onPath := make(map[string]bool, len(path))
	for _, e := range path {
		onPath[e.ID()] = true
	}
	t.LoseBranches(s, func(_ int, e session.Entry) bool { return onPath[e.ID()] })
	t.LoseNested(s, nil)
	return path
}

// LoseBranches tells of the messages of s that are not written, as held says.
func (t *Target) LoseBranches(s *session.Session, held func(i int, e session.Entry) bool) {
	left, first := 0, ""
	for i, e := range s.Entries {
		if e.Type() == session.TypeMessage && !held(i, e) {
			if left++; left == 1 {
				first = At(e)
			}
		}
	}
	const others = " on other branches left out; sess-fork makes sessions of them"
	if left > 0 {
		t.Lost(Many(left, first, KindBranch, "1 message"+others, "%d messages"+others))
	}
}

// LoseNested tells of the calls that tools made while they ran, or sub-agents: no agent but pi records them so. Told is true
// of entries whose calls the target's own lines tell; nil is none.
func (t *Target) LoseNested(s *session.Session, told func(session.Entry) bool) {
	lost, first := 0, ""
	for _, e := range s.Entries {
		if _, calls, more := e.NestedCalls(); (len(calls) > 0 || more) && (told == nil || !told(e)) {
			if first == "" {
				first = At(e)
			}
			lost += max(1, len(calls))
		}
	}
	if lost > 0 {
		t.Lost(Many(lost, first, KindTool, "1 call that tools or sub-agents made, left out", "%d calls that tools or sub-agents made, left out"))
	}
}

// maxGrowth is how many times its size a session may become, and freeGrowth how many bytes it may become in any case.
const (
	maxGrowth  = 16
	freeGrowth = 64 << 20
)

// A GrowthError is the error of an export that would be far larger than the session,
// which repeats nothing.
type GrowthError struct {
	Why        string
	Size, Made int64 // bytes, of the session and of what would be made of it
	Unfinished bool  // more would be made than Made
}

// Error names the sizes.
func (e *GrowthError) Error() string {
	more := ""
	if e.Unfinished {
		more = "more than "
	}
	return fmt.Sprintf("%s: %s%d bytes would be made of %d, %s%d times as many", e.Why, more, e.Made, e.Size, more, e.Times())
}

// Times returns how many times the size of the session that would be, rounded up.
func (e *GrowthError) Times() int64 { return (e.Made + max(e.Size, 1) - 1) / max(e.Size, 1) }

// Afford is to be asked before anything is written by a format that repeats parts of a
// session: its error says that size bytes would become made, which is too many.
func (t *Target) Afford(size, made int64, why string) error {
	e := &GrowthError{Why: why, Size: size, Made: made}
	if e.Times() <= maxGrowth || made <= freeGrowth {
		return nil
	}
	return e
}

// Resolve returns an entry with the data of its images in place of references to blobs,
// for an agent that keeps entries as we do but knows no blobs. What stays a reference is a loss.
func (t *Target) Resolve(e session.Entry) session.Entry {
	return resolve(e, t.Blobs, t.Lose)
}

// Inline is Resolve for an agent whose model is shown references as they are: a text takes the
// place of a reference, and of an image that no API takes. Such an image would fail the request,
// and each one behind it.
func (t *Target) Inline(e session.Entry) session.Entry {
	if e = t.Resolve(e); !strings.Contains(e.Raw(), `"image"`) {
		return e
	}
	shown := func(content string) (string, bool) { return t.shown(e, js.Value(content)) }
	if m, ok := e.Message(); ok {
		if content, ok := shown(m.Get("content")); ok {
			return e.WithRaw("message", string(js.Value(m.Raw()).With("content", js.Value(content))))
		}
	} else if content, ok := shown(e.Get("content")); ok {
		return e.WithRaw("content", content)
	}
	return e
}

// shown returns a content with texts in the place of images that cannot be shown; not ok if there is
// none.
func (t *Target) shown(e session.Entry, content js.Value) (_ string, changed bool) {
	if !content.IsArray() {
		return "", false
	}
	var out []js.Value
	for b := range content.Elements() {
		if b.Get("type").Str() == session.BlockImage {
			if _, why := convo.Image(session.NewBlock(string(b))); why != "" {
				if why != convo.ImageOutside { // that has been told
					t.Lose(At(e), KindMedia, "an image, left out: %s", why)
				}
				b, changed = js.Value(api.Text(convo.ImageLeftOut(why))), true
			}
		}
		out = append(out, b)
	}
	return api.Array(out...), changed
}

// Resolve returns an entry as it is to be added, with the data of its images in place of
// references to the blobs in dir, unless that is "". What stays a reference is a loss.
func (b *Builder) Resolve(e session.Entry, dir string) session.Entry {
	return resolve(e, dir, b.Lose)
}

func refersToBlob(e session.Entry) bool { return strings.Contains(e.Raw(), `"blob:sha256:`) }

func resolve(e session.Entry, dir string, lose func(where, kind, format string, args ...any)) session.Entry {
	if dir == "" {
		if refersToBlob(e) {
			lose(At(e), KindBlob, "refers to a blob, which SESS_BLOBS would resolve")
		}
		return e
	}
	e, problems := convo.ResolveBlobs(e, store.OpenBlobs(dir).Get)
	for _, p := range problems {
		lose(At(e), KindBlob, "%s", p.Text)
	}
	return e
}

// SessionID returns the id of a session whose own id is none of ours: a UUID
// made of the parts, the same for the same parts.
func SessionID(parts ...string) string {
	sum := digest(parts...)
	sum[6] = sum[6]&0x0f | 0x80 // version 8: made by a rule of one's own
	sum[8] = sum[8]&0x3f | 0x80
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:32]
}

// EntryID returns the id of an entry: eight hex digits made of the parts, and of
// a number if that id is known already.
func EntryID(known func(string) bool, parts ...string) string {
	id, _ := entryID(known, 0, parts...)
	return id
}

// entryID is EntryID from a number on, and returns the number of the id. Numbers below are those of ids that are known.
func entryID(known func(string) bool, n int, parts ...string) (string, int) {
	for ; ; n++ {
		try := parts
		if n > 0 {
			try = slices.Concat(parts, []string{strconv.Itoa(n)})
		}
		sum := digest(try...)
		if id := hex.EncodeToString(sum[:4]); !known(id) {
			return id, n
		}
	}
}

// digest hashes the parts so that none can be taken for another's end.
func digest(parts ...string) [sha256.Size]byte {
	var text []byte
	for _, p := range parts {
		text = append(strconv.AppendInt(text, int64(len(p)), 10), ':')
		text = append(text, p...)
	}
	return sha256.Sum256(text)
}

var callID = lazy.Regexp(`^[A-Za-z0-9_-]{1,64}$`)

// CallID returns the id of a call as every API takes it: Anthropic's wants these characters, and
// OpenAI's at most 64. An id that an API would refuse is replaced by one made of it.
func CallID(id string) string {
	if callID().MatchString(id) {
		return id
	}
	sum := digest("call", id)
	return "call_" + hex.EncodeToString(sum[:12])
}

// FileName returns the name of a file for the session with this header: that of
// [store.FileName], or, if its time or its id cannot be part of one, a name made of
// them.
func FileName(h session.Header) string {
	at, id := h.Timestamp, h.ID
	if !session.ValidSessionID(id) {
		id = SessionID("file", id)
	}
	name, err := store.FileName(at, id)
	if err != nil {
		ms, _ := js.ParseTime(at)
		name, _ = store.FileName(js.FormatTime(ms), id)
	}
	return name
}

// The expansion of a compressed file has at most expandTimes its bytes: no fewer than expandLeast may be read, and no more than
// expandMost.
const (
	expandTimes = 1000
	expandLeast = 64 << 20
	expandMost  = 4 << 30
)

// ResumeWith returns the commands for [Target.Next] that go on with a session in an agent: one, or none.
func ResumeWith(name, id string) [][]string {
	a, _ := agent.Named(name)
	if command := a.ResumeWith(id); command != nil {
		return [][]string{command}
	}
	return nil
}

// An ExpansionError is the error of a compressed file that becomes more than it may.
type ExpansionError struct {
	Size, Most int64 // bytes: of the file, and at most of its expansion
}

// Error names the sizes.
func (e *ExpansionError) Error() string {
	return fmt.Sprintf("%d compressed bytes become more than %d", e.Size, e.Most)
}

// Expanded limits r, which decompresses a file of size bytes, to what such a file may become. Reading more than that is an
// [ExpansionError].
func Expanded(r io.Reader, size int64) io.Reader {
	most := min(max(expandTimes*min(size, expandMost), expandLeast), expandMost)
	return &expanded{r: r, left: most, e: ExpansionError{size, most}}
}

type expanded struct {
	r    io.Reader
	left int64 // bytes that may come
	e    ExpansionError
}

// Read reads one byte more than may come, to see whether there is one.
func (x *expanded) Read(p []byte) (int, error) {
	if int64(len(p)) > x.left+1 {
		p = p[:x.left+1]
	}
	n, err := x.r.Read(p)
	if int64(n) > x.left {
		return int(x.left), &x.e
	}
	x.left -= int64(n)
	return n, err
}
