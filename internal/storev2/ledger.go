package storev2

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/sess-tools/sess/internal/core/beside"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
)

// An event is one line of the migration ledger.
type event struct {
	Schema       string       `json:"schema"`
	Migration    string       `json:"migrationId"`
	Phase        string       `json:"phase"`
	At           string       `json:"at"`
	Source       string       `json:"sourcePath"`
	Target       string       `json:"targetPath"`
	SourceFormat string       `json:"sourceFormat"`
	TargetFormat string       `json:"targetFormat"`
	Verification verification `json:"verification"`
	Outcome      string       `json:"outcome"`
	ErrorClass   string       `json:"errorClass,omitempty"`
	Correlation  string       `json:"correlationId"`
}

type verification struct {
	Count bool `json:"entryCountMatch"`
	Chain bool `json:"hashChainMatch"`
	Index bool `json:"indexConsistent"`
}

var allTrue = verification{true, true, true}

const (
	eventSchema = beside.EventSchema
	ledgerFile  = beside.LedgerFile
	maxLedger   = beside.MaxLedger
)

var (
	phases = []string{
		"planned", "staging_copy", "integrity_check", "cutover_commit", "rollback", "completed", "failed",
		"forward", "rollback_to_jsonl", // by pi before its contract had teeth
	}
	// migrationPhases are those of one migration, in the order in which they are noted.
	migrationPhases = []string{"planned", "staging_copy", "integrity_check", "cutover_commit", "completed"}

	outcomes = []string{"ok", "recoverable_error", "fatal_error"}
)

// ledger returns the events of the ledger of the store in dir. A line that is no event, or not
// ended, is an error, which comes with the other events.
func ledger(d disk.FS, dir string) ([]event, error) {
	b, err := readFile(d, joined(dir, ledgerFile), maxLedger)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, about("reading the ledger", err)
	}
	var out []event
	var first error
	for n := 1; len(b) > 0; n++ {
		line, rest, ended := bytes.Cut(b, []byte("\n"))
		var e event
		err := decode(line, &e)
		switch {
		case !ended:
			err = fmt.Errorf("%w: the last line is not ended", ErrCorrupt)
		case err == nil && !e.valid():
			err = errMember
		}
		if b = rest; err == nil {
			out = append(out, e)
		} else if first == nil {
			first = fmt.Errorf("ledger line %d: %w", n, err)
		}
	}
	return out, first
}

// cutOver reports whether the ledger tells of a migration by this package.
func cutOver(events []event) bool {
	return slices.ContainsFunc(events, func(e event) bool { return beside.CutOver(e.Phase) })
}

// newEvent returns the event of a step that went well, of a migration of a JSONL file.
func newEvent(migration, correlation, phase, at, source, target string) event {
	return event{
		Schema: eventSchema, Migration: migration, Phase: phase, At: at, Source: source, Target: target,
		SourceFormat: formatJSONL, TargetFormat: formatNative, Verification: allTrue, Outcome: "ok", Correlation: correlation,
	}
}

func (e *event) valid() bool {
	_, timed := js.ParseTime(e.At)
	return e.Schema == eventSchema && isUUID(e.Migration) && slices.Contains(phases, e.Phase) && timed &&
		e.Source != "" && e.Target != "" && slices.Contains(sourceFormats, e.SourceFormat) && slices.Contains(sourceFormats, e.TargetFormat) && slices.Contains(outcomes, e.Outcome) && isCorrelation(e.Correlation)
}

// rank is the place of an event among those of its migration, -1 for others.
func (e *event) rank() int { return slices.Index(migrationPhases, e.Phase) }

// addEvent adds e to the ledger, which must be sound. The ledger, a few lines, is
// replaced in one step: a line that a crash left torn could never be mended, as
// no program repairs a ledger.
func addEvent(d disk.FS, dir string, e *event) error {
	if _, err := ledger(d, dir); err != nil {
		return err
	}
	name := joined(dir, ledgerFile)
	b, err := readFile(d, name, maxLedger)
	if err != nil && !missing(err) {
		return about("reading the ledger", err)
	}
	return replaceLedger(d, dir, append(append(b, compact(e)...), '\n'))
}

func replaceLedger(d disk.FS, dir string, b []byte) error {
	err := replaceFile(d, dir, ledgerFile, b)
	if err == nil {
		err = d.SyncDir(joined(dir, filepath.Dir(ledgerFile)))
	}
	return about("writing the ledger", err)
}

const (
	markerFile   = beside.MarkerFile
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
	// PrefaceSHA is the hash of Preface, and Self that of the marker with an empty
	// Self. Markers of the first release have neither.
	PrefaceSHA string `json:"prefaceSha256,omitempty"`
	Self       string `json:"commitHash,omitempty"`
}

// readMarker reads the commit marker of the store in dir and checks it against its
// hashes. Of one that is damaged it returns what could be read.
func readMarker(d disk.FS, dir string) (marker, error) {
	var m marker
	err := readDocument(d, joined(dir, markerFile), maxMarker, &m, m.check)
	return m, about("reading "+markerFile, err)
}

const maxMarker = 64 << 20

func (m *marker) check() error {
	_, timed := js.ParseTime(m.At)
	switch {
	case m.Schema != markerSchema || !isUUID(m.Migration) || !isCorrelation(m.Correlation) || !timed || m.SourcePath == "" ||
		!hex64(m.Chain) || !hex64(m.Source.SHA):
		return errMember
	case m.PrefaceSHA != "" && m.PrefaceSHA != hexSum(m.Preface):
		return fmt.Errorf("%w: preface hash mismatch", ErrCorrupt)
	case m.hashed() && m.Self != m.selfHash():
		return fmt.Errorf("%w: commit hash mismatch", ErrCorrupt)
	}
	return nil
}

// hashed reports whether the marker has its hashes.
func (m *marker) hashed() bool { return m.PrefaceSHA != "" || m.Self != "" }

func (m marker) selfHash() string {
	m.Self = ""
	return hexSum(string(compact(&m)))
}

// writeMarker puts a marker, with its hashes, in the place of another, or of none.
func writeMarker(d disk.FS, dir string, m *marker) error {
	m.PrefaceSHA = hexSum(m.Preface)
	m.Self = m.selfHash()
	return writeDocument(d, dir, markerFile, m, true)
}

func (p *fingerprint) same(q *fingerprint) bool { return p.Bytes == q.Bytes && p.SHA == q.SHA }

// matches says whether the JSONL file name still begins with what was migrated,
// and whether it has anything behind that. One that is missing does not.
func (p *fingerprint) matches(name string) (begins, grown bool, err error) {
	f, err := disk.OpenRegular(name)
	if missing(err) {
		return false, false, nil
	}
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

// Stale reports whether the JSONL file beside the store is no longer the one that the store was
// made from, by its length and its hash. A store that does not name its source is not known to be
// fresh, so it is stale.
func (s *Store) Stale() (bool, error) {
	st, err := readSource(s.d, s.dir)
	if missing(err) || errors.Is(err, ErrCorrupt) || err == nil && st.Fingerprint == nil {
		return true, nil
	}
	if err != nil {
		return true, s.named(err)
	}
	begins, grown, err := st.Fingerprint.matches(Source(s.dir))
	return !begins || grown, s.named(err)
}

// readSource reads source-state.json, which identifies the file that the store was made from. It has no
// fingerprint while pi writes to the file.
func readSource(d disk.FS, dir string) (sourceState, error) {
	var st sourceState
	err := readDocument(d, joined(dir, sourceFile), 4096, &st, st.check)
	if err != nil {
		return sourceState{}, about("reading "+sourceFile, err)
	}
	if st.State != "clean" {
		st.Fingerprint = nil
	}
	return st, nil
}

func (st *sourceState) check() error {
	if st.Schema != sourceSchema || st.State != "clean" && st.State != "dirty" || st.Fingerprint != nil && !hex64(st.Fingerprint.SHA) {
		return errMember
	}
	return nil
}

func writeSource(d disk.FS, dir string, p fingerprint) error {
	doc := append(compact(&sourceState{sourceSchema, "clean", &p}), '\n')
	return about("writing "+sourceFile, replaceFile(d, dir, sourceFile, doc))
}
