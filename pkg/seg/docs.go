package seg

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

const (
	checkpointSchema   = "pi.session_store_v2.checkpoint.v1"
	checkpointExtended = "sess.session_store_v2.checkpoint.v1"
	eventSchema        = "pi.session_store_v2.migration_event.v1"
	sourceSchema       = "pi.session_store_v2.source_state.v1"
	maxDocument        = 1 << 20
)

// A Checkpoint is a point in the history of a store to which it can be rolled
// back. It holds no copy of anything.
type Checkpoint struct {
	Schema    string `json:"schema"`
	Seq       int64  `json:"checkpointSeq"` // 1 for the first
	At        string `json:"at"`
	HeadSeq   int64  `json:"headEntrySeq"`
	HeadID    string `json:"headEntryId"`
	Snapshot  string `json:"snapshotRef"`             // its own path in the store
	Compacted int64  `json:"compactedBeforeEntrySeq"` // always 0
	Chain     string `json:"chainHash"`               // after the entry HeadSeq
	Reason    string `json:"reason"`
}

var reasons = []string{"periodic", "manual", "pre_migration", "post_migration", "recovery"}

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

// A sourceState tells pi whether the store is as new as its JSONL file.
type sourceState struct {
	Schema      string       `json:"schema"`
	State       string       `json:"state"`
	Fingerprint *fingerprint `json:"sourceFingerprint,omitempty"`
}

type fingerprint struct {
	Bytes int64           `json:"byteLength"`
	SHA   string          `json:"sha256"`
	File  json.RawMessage `json:"fileIdentity,omitempty"`
}

// compact returns v as one line without line feed, as serde_json prints it.
func compact(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("seg: encoding %T: %v", v, err)) // only structs of ours come here
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// pretty returns v as pi writes a document of its own.
func pretty(v any) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, compact(v), "", "  "); err != nil {
		panic(fmt.Sprintf("seg: indenting %T: %v", v, err))
	}
	return b.Bytes()
}

// decode reads one JSON document that has no other members than v.
func decode(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: more than one JSON value", ErrCorrupt)
	}
	return nil
}

func checkpointName(seq int64) string { return fmt.Sprintf("checkpoints/%016d.json", seq) }

// checkpoints returns the checkpoints of the store in dir in order. One that
// cannot be read is an error that names it.
func checkpoints(d disk, dir string) ([]Checkpoint, error) {
	entries, err := d.list(joined(dir, "checkpoints"))
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, about("reading checkpoints", err)
	}
	var out []Checkpoint
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		c, err := readCheckpoint(d, joined(dir, "checkpoints", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("checkpoint %s: %w", e.Name(), cause(err))
		}
		if n, err := strconv.ParseInt(stem, 10, 64); err != nil || n != c.Seq || c.Snapshot != checkpointName(n) {
			return nil, fmt.Errorf("checkpoint %s: %w: it calls itself %d", e.Name(), ErrCorrupt, c.Seq)
		}
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Seq < out[j].Seq })
	return out, nil
}

func readCheckpoint(d disk, name string) (Checkpoint, error) {
	var c Checkpoint
	b, err := readFile(d, name, maxDocument)
	if err == nil {
		err = decode(b, &c)
	}
	if err != nil {
		return c, err
	}
	_, timed := js.ParseTime(c.At)
	if c.Schema != checkpointSchema && c.Schema != checkpointExtended ||
		c.Seq < 1 || c.HeadSeq < 1 || c.HeadID == "" || !hex64(c.Chain) || !timed || !slices.Contains(reasons, c.Reason) {
		return c, fmt.Errorf("%w: a member is not what it must be", ErrCorrupt)
	}
	return c, nil
}

const ledgerFile = "migrations/ledger.jsonl"

var (
	uuidPattern        = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	correlationPattern = regexp.MustCompile(`^[A-Za-z0-9._:-]{8,128}$`)
	phases             = []string{
		"planned", "staging_copy", "integrity_check", "cutover_commit", "rollback", "completed", "failed",
		"forward", "rollback_to_jsonl", // by pi before its contract had teeth
	}
	outcomes = []string{"ok", "recoverable_error", "fatal_error"}
)

// ledger returns the events of the ledger of the store in dir. A line that is no
// event, or not ended, is an error: nobody repairs a ledger.
func ledger(d disk, dir string) ([]event, error) {
	b, err := readFile(d, joined(dir, ledgerFile), 1<<30)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, about("reading the ledger", err)
	}
	var out []event
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
		if err != nil {
			return nil, fmt.Errorf("ledger line %d: %w", n, err)
		}
		out, b = append(out, e), rest
	}
	return out, nil
}

func (e *event) valid() bool {
	_, timed := js.ParseTime(e.At)
	return e.Schema == eventSchema && uuidPattern.MatchString(e.Migration) && slices.Contains(phases, e.Phase) && timed &&
		e.Source != "" && e.Target != "" && slices.Contains(outcomes, e.Outcome) && correlationPattern.MatchString(e.Correlation)
}

// addEvent appends e to the ledger, which must be sound, and makes it durable. A
// short write is taken back.
func addEvent(d disk, dir string, e *event) error {
	if _, err := ledger(d, dir); err != nil {
		return err
	}
	e.Schema = eventSchema
	f, err := d.open(joined(dir, ledgerFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return about("opening the ledger", err)
	}
	fi, err := f.Stat()
	if err == nil {
		if err = write(f, append(compact(e), '\n')); err == nil {
			err = f.Sync()
		}
		if err != nil {
			err = errors.Join(err, f.Truncate(fi.Size()))
		}
	}
	if err = closing(f, err); err != nil {
		return about("writing the ledger", err)
	}
	return nil
}

func hex64(s string) bool {
	if len(s) != 64 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func absolute(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}
