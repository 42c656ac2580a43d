// Package entire reads the sessions that Entire keeps in a git repository, beside the code: the own file
// of an agent as it was at a commit, which the format of that agent reads.
//
// It reads with the git program, and fetches nothing. docs/formats/entire.md has the facts.
package entire

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

const agent = "entire"

// refs are the patterns of the refs that have checkpoints: one branch for all of them, which for some time was no branch,
// and, since 0.10, a ref for each.
var refs = []string{"refs/heads/entire/checkpoints/v1", "refs/remotes/*/entire/checkpoints/v1", "refs/entire/checkpoints/v1", "refs/entire/checkpoints/*/*"}

type format struct{ known func() []formats.Format }

// New returns the format. known are the formats of stored transcripts.
func New(known func() []formats.Format) formats.Format { return format{known} }

// About describes the format.
func (format) About() formats.About {
	about := formats.AboutOf(agent)
	about.Home = home
	about.Here = func(string) func(string) bool { return func(string) bool { return true } } // they are those of this repository
	return about
}

// Detect is false: a repository is no file.
func (format) Detect(string, []byte) bool { return false }

// Export is [formats.ErrReadOnly].
func (format) Export(context.Context, *session.Session, *formats.Target) error {
	return formats.ErrReadOnly
}

// home is the repository around the current directory, if it has checkpoints.
func home(env formats.Env) (string, error) {
	dir := formats.GitRoot(".")
	if dir == "" || env.Git == nil {
		return "", errNone
	}
	text, err := output(context.Background(), env, dir, nil, append([]string{"for-each-ref", "--count=1", "--format=%(refname)"}, refs...)...)
	if err != nil || text == "" {
		return "", errNone
	}
	return dir, nil
}

// errNone is the error outside of a repository with checkpoints.
var errNone error = noneError{}

type noneError struct{}

func (noneError) Error() string {
	return "no git repository around this directory has checkpoints of Entire"
}

// Is says that there is no such place.
func (noneError) Is(target error) bool { return target == fs.ErrNotExist }

// output runs git and returns its standard output.
func output(ctx context.Context, env formats.Env, dir string, stdin io.Reader, args ...string) (string, error) {
	if env.Git == nil {
		return "", errors.New("there is no git to be run")
	}
	r, err := env.Git(ctx, dir, stdin, args...)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	return string(text), err
}

// A stored is the newest checkpoint of a session.
type stored struct {
	id          string
	created     time.Time
	meta        js.Value
	checkpoints []string // ids of all checkpoints that have it
	parts       []part   // of the transcript
	short       bool     // as in found
}

// A part is a blob.
type part struct {
	name, sum string
	size      int64
}

type archive struct {
	format
	src  *formats.Source
	list []*stored // the oldest first
}

// Open finds the sessions of a repository.
func (f format) Open(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	a := &archive{format: f, src: src}
	dir := cmp.Or(src.Path, ".")
	text, err := output(ctx, src.Env, dir, nil, append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, refs...)...)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", src.Name(), err)
	}
	byMeta := map[string][]found{} // by the sums of their metadata
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		sum, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		if sum == "" || seen[sum] {
			continue
		}
		seen[sum] = true
		tree, err := output(ctx, src.Env, dir, nil, "ls-tree", "-r", "-l", "-z", sum)
		if err != nil {
			return nil, fmt.Errorf("reading %s of %s: %w", ref, src.Name(), err)
		}
		for _, one := range sessionsOf(tree, ref) {
			byMeta[one.meta] = append(byMeta[one.meta], one)
		}
	}
	return a, a.fill(ctx, dir, byMeta)
}

// A found is a session in a checkpoint: a directory with a number.
type found struct {
	checkpoint string
	meta       string // the sum of its metadata
	parts      []part
	short      bool // the transcript is Entire's own, which is taken where no checkpoint has that of the agent
}

// sessionsOf returns the sessions in the tree of a ref, as git lists it.
func sessionsOf(tree, ref string) (out []found) {
	byDir := map[string]*found{}
	for line := range strings.SplitSeq(tree, "\x00") {
		about, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 4 || fields[1] != "blob" {
			continue
		}
		dir, base := path.Split(name)
		if _, err := strconv.Atoi(path.Base(dir)); err != nil {
			continue // of the checkpoint itself
		}
		f := byDir[dir]
		if f == nil {
			f = &found{checkpoint: checkpointOf(dir, ref)}
			byDir[dir] = f
		}
		size, _ := strconv.ParseInt(fields[3], 10, 64)
		switch rest, is := strings.CutPrefix(base, "full.jsonl"); {
		case base == "metadata.json":
			f.meta = fields[2]
		case is && strings.Trim(rest, ".0123456789") == "":
			f.parts = append(f.parts, part{base, fields[2], size})
		case base == shortName:
			f.parts = append(f.parts, part{base, fields[2], size})
		}
	}
	for _, f := range byDir {
		full := slices.DeleteFunc(slices.Clone(f.parts), func(p part) bool { return p.name == shortName })
		if f.short = len(full) == 0; !f.short {
			f.parts = full
		}
		if f.meta != "" && len(f.parts) > 0 {
			slices.SortFunc(f.parts, func(a, b part) int { return cmp.Or(cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name)) })
			out = append(out, *f)
		}
	}
	return out
}

// shortName is the transcript of a checkpoint whose ref has no other.
const shortName = "transcript.jsonl"

// checkpointOf returns the id of a checkpoint: twelve digits in the path, or the ULID in the name of its ref.
func checkpointOf(dir, ref string) string {
	if parts := strings.Split(dir, "/"); len(parts) > 2 {
		return strings.Join(parts[:len(parts)-2], "")
	}
	return path.Base(ref)
}

// fill reads the metadata, and takes of each session the newest checkpoint.
func (a *archive) fill(ctx context.Context, dir string, byMeta map[string][]found) error {
	sums := make([]string, 0, len(byMeta))
	for sum := range byMeta {
		sums = append(sums, sum)
	}
	slices.Sort(sums)
	byID := map[string]*stored{}
	i := 0
	err := a.blobs(ctx, dir, sums, func(text []byte) error {
		sum := sums[i]
		i++
		if !js.Valid(text) {
			return nil // no metadata of Entire's
		}
		meta := js.Value(text)
		id := meta.Get("session_id").Str()
		if !session.ValidSessionID(id) || id == "REDACTED" {
			id = formats.SessionID(agent, byMeta[sum][0].checkpoint, sum)
		}
		s := byID[id]
		if s == nil {
			s = &stored{id: id}
			byID[id] = s
			a.list = append(a.list, s)
		}
		at, _ := time.Parse(time.RFC3339Nano, meta.Get("created_at").Str())
		for _, f := range byMeta[sum] {
			s.checkpoints = append(s.checkpoints, f.checkpoint, meta.Get("checkpoint_id").Str())
			if s.parts == nil || s.short && !f.short || s.short == f.short && at.After(s.created) {
				s.created, s.meta, s.parts, s.short = at, meta, f.parts, f.short
			}
		}
		return nil
	})
	slices.SortFunc(a.list, func(x, y *stored) int { return cmp.Or(x.created.Compare(y.created), cmp.Compare(x.id, y.id)) })
	return err
}

// blobs gives the contents of blobs to yield, in their order.
func (a *archive) blobs(ctx context.Context, dir string, sums []string, yield func([]byte) error) error {
	if len(sums) == 0 {
		return nil
	}
	r, err := a.src.Env.Git(ctx, dir, strings.NewReader(strings.Join(sums, "\n")+"\n"), "cat-file", "--batch")
	if err != nil {
		return err
	}
	defer r.Close()
	in := bufio.NewReader(r)
	for _, sum := range sums {
		head, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("reading %s of %s: %w", sum, a.src.Name(), unexpected(err))
		}
		fields := strings.Fields(head)
		if len(fields) != 3 || fields[1] != "blob" {
			return formats.Damaged("%s: git has no %s: %s", a.src.Name(), sum, strings.TrimSpace(head))
		}
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return err
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(in, text); err != nil {
			return fmt.Errorf("reading %s of %s: %w", sum, a.src.Name(), unexpected(err))
		}
		if _, err := in.Discard(1); err != nil {
			return unexpected(err)
		}
		if err := yield(text); err != nil {
			return err
		}
	}
	return nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Close ends nothing: each call of git has ended.
func (a *archive) Close() error { return nil }

// List yields the sessions. The ids of their checkpoints are names of theirs.
func (a *archive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		for i, s := range a.list {
			info := formats.Info{Key: strconv.Itoa(i), Row: store.Row{Path: a.src.Path}}
			info.ID, info.Created, info.Modified, info.Version = s.id, s.created.UTC(), s.created.UTC(), session.Version
			for _, p := range s.parts {
				info.Size += p.size
			}
			if slices.Contains(s.checkpoints, q.ID) {
				info.Alias = q.ID
			}
			var err error
			if q.Detailed(info) {
				info, err = formats.Describe(ctx, a, info)
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// Read reads a stored transcript with the format that recognizes it: the label is not trusted.
func (a *archive) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	i, err := strconv.Atoi(info.Key)
	if err != nil || i >= len(a.list) {
		return formats.Damaged("%s: no session %s", a.src.Name(), info.ID)
	}
	s := a.list[i]
	var text strings.Builder
	sums := make([]string, len(s.parts))
	for i, p := range s.parts {
		sums[i] = p.sum
	}
	if err := a.blobs(ctx, cmp.Or(a.src.Path, "."), sums, func(part []byte) error { text.Write(part); return nil }); err != nil {
		return err
	}
	in := &formats.Source{Called: a.src.Name() + ", " + s.id, Stdin: strings.NewReader(text.String()), Blobs: a.src.Blobs, Env: a.src.Env}
	head := text.String()[:min(text.Len(), formats.HeadSize)]
	f, ok := formats.Detect(a.known(), "full.jsonl", []byte(head))
	if !ok {
		return formats.Damaged("%s: the transcript of %s is of no known format; its label says %q", a.src.Name(), s.id, s.meta.Get("agent").Str())
	}
	if err := a.through(ctx, f, in, s, b); err != nil {
		return errors.Join(err, in.Close())
	}
	if _, err := b.Custom(formats.Place{Key: "checkpoint"}, "checkpoint", string(s.meta.Without("summary"))); err != nil {
		return err
	}
	return in.Close()
}

// through gives what a format makes of a transcript to b, under the id that the session has here.
func (a *archive) through(ctx context.Context, f formats.Format, in *formats.Source, s *stored, b *formats.Builder) error {
	inner, err := f.Open(ctx, in)
	if err != nil {
		return err
	}
	for info, err := range inner.List(ctx, formats.Query{}) {
		if err != nil {
			return errors.Join(err, inner.Close())
		}
		through := formats.NewBuilder(f.About().Kept(), func(line string) error {
			if !b.Opened() {
				return b.RawHeader(string(js.Value(line).With("id", js.Value(js.Quote(s.id)))))
			}
			e, err := session.ParseEntry(line)
			if err != nil {
				return err
			}
			return b.Entry(e)
		}, func(l formats.Loss) { b.Lose(l.Where, l.Kind, "%s", l.What) })
		through.Unkept, through.UsageOnly = b.Unkept, b.UsageOnly
		err = through.Read(ctx, inner, info)
		return errors.Join(err, inner.Close())
	}
	return errors.Join(formats.Damaged("%s: the transcript of %s has no session", a.src.Name(), s.id), inner.Close())
}
