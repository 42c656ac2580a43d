package seg

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/sess-tools/sess/internal/disk"
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
	eventSchema = "pi.session_store_v2.migration_event.v1"
	ledgerFile  = "migrations/ledger.jsonl"
	maxLedger   = 1 << 30
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

// ledger returns the events of the ledger of the store in dir. A line that is no
// event, or not ended, is an error, and what is returned with it are the others.
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
			err = fmt.Errorf("%w: a member is not what it must be", ErrCorrupt)
		}
		if b = rest; err == nil {
			out = append(out, e)
		} else if first == nil {
			first = fmt.Errorf("ledger line %d: %w", n, err)
		}
	}
	return out, first
}

// cutOver reports whether the ledger tells of a migration by this package: pi
// notes nothing but its end.
func cutOver(events []event) bool {
	return slices.ContainsFunc(events, func(e event) bool {
		return e.Phase == "planned" || e.Phase == "staging_copy" || e.Phase == "cutover_commit"
	})
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
	e.Schema = eventSchema
	return replaceLedger(d, dir, append(append(b, compact(e)...), '\n'))
}

// writeLedger makes a ledger of events.
func writeLedger(d disk.FS, dir string, events []event) error {
	var b []byte
	for i := range events {
		b = append(append(b, compact(&events[i])...), '\n')
	}
	return replaceLedger(d, dir, b)
}

func replaceLedger(d disk.FS, dir string, b []byte) error {
	name := joined(dir, ledgerFile)
	err := replaceFile(d, joined(dir, "tmp", base(name)+".tmp"), name, b)
	if err == nil {
		err = d.SyncDir(filepath.Dir(name))
	}
	if err != nil {
		return about("writing the ledger", err)
	}
	return nil
}
