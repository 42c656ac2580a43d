package seg

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/pkg/js"
)

const (
	checkpointSchema   = "pi.session_store_v2.checkpoint.v1"
	checkpointExtended = "sess.session_store_v2.checkpoint.v1"
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

// decode reads one JSON document that has the members of v, each of them once and
// spelled as it is there, and no others.
func decode(b []byte, v any) error {
	if !utf8.Valid(b) {
		return fmt.Errorf("%w: not UTF-8", ErrCorrupt)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: more than one JSON value", ErrCorrupt)
	}
	// The decoder takes names in any case, and does not miss any.
	got, want := names(nil, "", string(b)), names(nil, "", string(compact(v)))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("%w: it has other members than it must have", ErrCorrupt)
	}
	return nil
}

// names appends the names of all members of a JSON object, and of those within
// them. A null is as good as a member that is not there.
func names(out []string, within, object string) []string {
	for key, value := range js.Members(object) {
		name := within + "/" + js.Unquote(key)
		if value != "null" {
			out = append(out, name)
		}
		if strings.HasPrefix(value, "{") {
			out = names(out, name, value)
		}
	}
	return out
}

func checkpointName(seq int64) string { return fmt.Sprintf("checkpoints/%016d.json", seq) }

// checkpoints returns the checkpoints of the store in dir in order. One that
// cannot be read is an error that names it.
func checkpoints(d disk.FS, dir string) ([]Checkpoint, error) {
	points, bad, err := allCheckpoints(d, dir)
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		return nil, fmt.Errorf("checkpoint %s: %w", name, disk.Cause(bad[name]))
	}
	return points, err
}

// allCheckpoints returns the checkpoints that can be read, and by their file names
// why the others cannot.
func allCheckpoints(d disk.FS, dir string) (out []Checkpoint, bad map[string]error, err error) {
	entries, err := d.ReadDir(joined(dir, "checkpoints"))
	bad = map[string]error{}
	if missing(err) {
		return nil, bad, nil
	}
	if err != nil {
		return nil, bad, about("reading checkpoints", err)
	}
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		c, err := readCheckpoint(d, joined(dir, "checkpoints", e.Name()))
		if n, nerr := strconv.ParseInt(stem, 10, 64); err == nil && (nerr != nil || n != c.Seq || c.Snapshot != checkpointName(n)) {
			err = fmt.Errorf("%w: it calls itself %d", ErrCorrupt, c.Seq)
		}
		if err != nil {
			bad[e.Name()] = err
			continue
		}
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Seq < out[j].Seq })
	return out, bad, nil
}

func readCheckpoint(d disk.FS, name string) (Checkpoint, error) {
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

func absolute(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}
