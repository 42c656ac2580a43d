package seg

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sess-tools/sess/pkg/jsonl"
)

const (
	markerFile   = "commit.json"
	markerSchema = "sess.session_store_v2.commit.v1"
	sourceFile   = "source-state.json"
)

// A marker is the commit marker of a migration. It stands inside the store, so
// that the rename of the directory moves manifest and marker in one step
// (INV-007).
type marker struct {
	Schema      string      `json:"schema"`
	Migration   string      `json:"migrationId"`
	Correlation string      `json:"correlationId"`
	At          string      `json:"at"`
	SourcePath  string      `json:"sourcePath"`
	Source      fingerprint `json:"source"`
	Entries     int64       `json:"entries"`
	Chain       string      `json:"chainHash"`
	// Preface is what the JSONL file had before its first entry, which the wire
	// format has no place for.
	Preface string `json:"preface"`
}

func readMarker(d disk, dir string) (marker, error) {
	var m marker
	b, err := readFile(d, joined(dir, markerFile), 64<<20)
	if err == nil {
		err = decode(b, &m)
	}
	if err == nil && (m.Schema != markerSchema || !isUUID(m.Migration) || !hex64(m.Chain) || !hex64(m.Source.SHA)) {
		err = fmt.Errorf("%w: a member is not what it must be", ErrCorrupt)
	}
	if err != nil {
		return m, fmt.Errorf("reading %s: %w", markerFile, cause(err))
	}
	return m, nil
}

// matches says whether the JSONL file name still begins with what was migrated,
// and whether it has anything behind that.
func (p *fingerprint) matches(name string) (begins, grown bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return false, false, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, p.Bytes))
	if err != nil || n < p.Bytes || hex.EncodeToString(h.Sum(nil)) != p.SHA {
		return false, false, err
	}
	fi, err := f.Stat()
	return err == nil, err == nil && fi.Size() > p.Bytes, err
}

// Preface returns the lines before the first entry, the header among them, with
// their line feeds; see [Store.WriteTo].
func (s *Store) Preface() (string, error) {
	lines, err := s.preface()
	return lines, s.named(err)
}

func (s *Store) preface() (string, error) {
	m, err := readMarker(s.d, s.dir)
	if err == nil {
		return m.Preface, nil
	}
	if !missing(err) {
		return "", err
	}
	man, err := readManifest(s.d, s.dir)
	if err != nil {
		return "", err
	}
	f, err := os.Open(Source(s.dir))
	if missing(err) {
		return man.madeUp(), nil
	}
	if err != nil {
		return "", about("opening "+Source(s.dir), err)
	}
	defer f.Close()
	p, err := readPreface(f)
	if err == nil && p.header.ID != man.SessionID {
		return man.madeUp(), nil
	}
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

// Stale reports whether the JSONL file beside the store is no longer the one
// that the store was made from, by its length and its hash. A store that does not
// say what it was made from is not known to be fresh, so it is stale.
func (s *Store) Stale() (bool, error) {
	b, err := readFile(s.d, joined(s.dir, sourceFile), 4096)
	if missing(err) {
		return true, nil
	}
	var st sourceState
	if err == nil {
		err = decode(b, &st)
	}
	if errors.Is(err, ErrCorrupt) {
		return true, nil
	}
	if err != nil {
		return true, s.named(err)
	}
	if st.State != "clean" || st.Schema != sourceSchema || st.Fingerprint == nil {
		return true, nil
	}
	begins, grown, err := st.Fingerprint.matches(Source(s.dir))
	if missing(err) {
		return true, nil
	}
	return !begins || grown, s.named(err)
}
