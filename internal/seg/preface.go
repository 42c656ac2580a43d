package seg

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Preface returns the lines before the first entry, the header among them, with
// their line feeds; see [Store.WriteTo].
func (s *Store) Preface() (string, error) {
	lines, err := s.preface()
	return lines, s.named(err)
}

// preface takes the lines from the commit marker, or else from the JSONL file. It
// makes no header up, but for the cache of another program, which never held one.
func (s *Store) preface() (string, error) {
	man, err := readManifest(s.d, s.dir)
	if err != nil {
		return "", err
	}
	m, err := readMarker(s.d, s.dir)
	if err == nil || m.PrefaceSHA != "" && m.PrefaceSHA == hexSum(m.Preface) { // whatever else is damaged
		return m.Preface, man.owns(m.Preface)
	}
	if !missing(err) && !errors.Is(err, ErrCorrupt) {
		return "", err
	}
	ours, cerr := s.committed()
	if cerr != nil {
		return "", cerr
	}
	lines, serr := s.sourcePreface(ours)
	switch {
	case serr == nil && man.owns(lines) == nil:
		return lines, nil
	case serr != nil && !missing(serr) && !noHeader(serr):
		return "", serr
	case ours && missing(err):
		return "", fmt.Errorf("%w: %s, which held the header, is missing, and %s is not there as it was migrated",
			ErrCorrupt, markerFile, base(Source(s.dir)))
	case ours:
		return "", fmt.Errorf("%w, and %s is not there as it was migrated", err, base(Source(s.dir)))
	}
	if err := missingFrom(s.d, s.dir); !errors.Is(err, ErrCorrupt) {
		return "", err
	}
	return man.madeUp(), nil
}

// owns says whether the header in lines is that of the store's session.
func (m *manifest) owns(lines string) error {
	h, err := session.ReadHeader(strings.NewReader(lines))
	if err != nil {
		return fmt.Errorf("%w: the header in %s: %w", ErrCorrupt, markerFile, err)
	}
	if h.ID != m.SessionID {
		return fmt.Errorf("%w: %s has the header of the session %q, and the manifest is of %q", ErrCorrupt, markerFile, h.ID, m.SessionID)
	}
	return nil
}

// committed reports whether the store is the work of [Migrate], and not a cache of
// pi's: it has a commit marker, or its ledger tells of one.
func (s *Store) committed() (bool, error) {
	_, err := s.d.Lstat(joined(s.dir, markerFile))
	if err == nil {
		return true, nil
	}
	if !missing(err) {
		return false, about("looking for "+markerFile, err)
	}
	events, err := ledger(s.d, s.dir)
	if errors.Is(err, ErrCorrupt) {
		err = nil // the lines that can be read tell enough
	}
	return cutOver(events), err
}

// Committed returns the store that is the session instead of the JSONL file at path,
// nil if there is none: it stands beside the file, or the one a symbolic link leads
// to, and was put there by [Migrate]. Without a store it costs one look.
func Committed(path string) (*Store, error) {
	if _, err := os.Readlink(path); err == nil {
		target, err := filepath.EvalSymlinks(path)
		switch {
		case missing(err):
			return nil, nil
		case err != nil:
			return nil, about("following the link "+path, err)
		}
		path = target
	}
	dir := Dir(path)
	if dir == path {
		return nil, nil
	}
	d := disk.OS{}
	fi, err := d.Lstat(dir)
	if missing(err) || err == nil && !fi.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, about("looking for "+dir, err)
	}
	s := newStore(d, dir, Options{})
	ours, err := s.committed()
	if err != nil || !ours {
		return nil, s.named(err)
	}
	return s, nil
}

// sourcePreface reads the lines from the JSONL file beside the store. If that has
// to be the one that was migrated, its hash says so.
func (s *Store) sourcePreface(same bool) (string, error) {
	name := Source(s.dir)
	if same {
		st, err := readSource(s.d, s.dir)
		if errors.Is(err, ErrCorrupt) || err == nil && st.Fingerprint == nil {
			return "", errNoHeader
		}
		begins := false
		if err == nil {
			begins, _, err = st.Fingerprint.matches(name)
		}
		if err == nil && !begins {
			err = errNoHeader
		}
		if err != nil {
			return "", err
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	p, err := readPreface(f)
	return p.lines, err
}

// readPreface reads up to the header.
func readPreface(r io.Reader) (preface, error) {
	p := preface{}
	for l, err := range jsonl.Lines(r) {
		if err != nil {
			return p, err
		}
		if l.Torn {
			return p, errNoHeader
		}
		if err := p.read(l.Text()); err != nil {
			return p, fmt.Errorf("line %d: %w", l.Number, err)
		}
		if p.header.Raw() != "" {
			return p, nil
		}
	}
	return p, errNoHeader
}

// noHeader reports whether an error says that a file has no header for a store.
func noHeader(err error) bool {
	for _, e := range []error{errNoHeader, ErrContract, session.ErrNotSession, session.ErrMalformed, session.ErrVersion} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
