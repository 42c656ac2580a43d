package address

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// answered reports whether the session has an assistant message, the batch
// included. It may have had one already: a process that died right before it
// published left such a draft.
func (t *Target) answered() bool {
	assistant := func(e session.Entry) bool {
		return e.Type() == session.TypeMessage && e.Role() == session.RoleAssistant
	}
	return slices.ContainsFunc(t.Batch.Entries, assistant) || slices.ContainsFunc(t.Session.Entries, assistant)
}

// publish appends the batch to the draft, makes it durable if that is wanted,
// and gives the draft its name. All of it happens under the draft's lock, which
// is the session's lock afterwards: it is the same file.
func (t *Target) publish() error {
	if err := store.Vacant(t.place.path); err != nil {
		return t.occupied(fmt.Errorf("publishing %s: %w, and nothing was written", t.Name, err))
	}
	if err := t.append(); err != nil {
		return err
	}
	if err := store.Publish(t.place.path, t.sync); err != nil {
		return t.occupied(fmt.Errorf("%w; the new entries are in the draft", err))
	}
	t.place.file = t.place.path
	t.streams.Notef("%s: published", t.Name)
	return nil
}

// occupied says what to do about a name that is taken.
func (t *Target) occupied(err error) error {
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	return cli.WithHint(err, "move the file away, or give the draft %s another name", t.place.file)
}

// Spool returns the bytes of an input of which nothing has been read: those of its file
// up to its size now or, of what can be read once, a copy.
func (in *Input) Spool(ctx context.Context) (*disk.Spool, error) {
	if f, size, ok := in.Large(0); ok {
		return &disk.Spool{ReaderAt: f, Size: size}, nil
	}
	return Spooled(ctx, in.Name, in)
}

// Spooled copies what can be read once. Errors of reading are those of a session called
// name; those of the copy are not.
func Spooled(ctx context.Context, name string, r io.Reader) (*disk.Spool, error) {
	return disk.Spooled(ctx, locating{name, r})
}

// locating says of an error of r whose it is.
type locating struct {
	name string
	r    io.Reader
}

func (l locating) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = located(l.name, err)
	}
	return n, err
}

// Keep saves a text that was paid for and cannot be added to the session, in a new file
// NAME.unsent-*EXT beside it or, if that cannot be, where temporary files are. Only its
// owner can read it. The error says where what, such as "the summary", is now. Without
// any place it is printed, and the name is "".
func (src *Source) Keep(what, ext, text string) (name string, kept error) {
	return Keep(src.streams, src.Path, what, ext, text)
}

// Keep is [Source.Keep] for the session at a path; "" is one that is no file.
func Keep(s *cli.Streams, path, what, ext, text string) (name string, kept error) {
	name, failed := save(path, ext, text)
	switch {
	case name == "":
		// The last place where it is not lost is the screen.
		fmt.Fprint(s.Err, text)
		return "", fmt.Errorf("%s could not be saved anywhere, so it stands above: %w", what, failed)
	case failed != nil:
		return name, fmt.Errorf("%s is kept in %s, because %w", what, name, failed)
	}
	return name, fmt.Errorf("%s is kept in %s", what, name)
}

// save returns the name of the file. If it is not beside the session, failed says why.
func save(path, ext, text string) (name string, failed error) {
	base := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	dirs := []string{filepath.Dir(path), os.TempDir()}
	if path == "" {
		base, dirs = "session", dirs[1:]
	}
	for _, dir := range dirs {
		name, err := create(dir, base+".unsent-*"+ext, text)
		if err == nil {
			return name, failed
		}
		failed = cmp.Or(failed, err)
	}
	return "", failed
}

// create makes a new file with a content. Only its owner can read it.
func create(dir, pattern, content string) (string, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return "", fmt.Errorf("making a file in %s: %w", dir, errors.Unwrap(err))
	}
	_, err = f.WriteString(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, disk.Close(f)); err != nil {
		_ = os.Remove(f.Name())
		return "", fmt.Errorf("writing to %s: %w", dir, err)
	}
	if name := filepath.Clean(f.Name()); name[0] != '-' {
		return name, nil
	}
	return f.Name(), nil // as ./-x, which no command takes for a flag
}
