package storev2

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

	"github.com/sess-tools/sess/internal/core/beside"
	"github.com/sess-tools/sess/internal/core/disk"
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

// pretty returns v as pi writes its documents.
func pretty(v any) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, compact(v), "", "  "); err != nil {
		panic(fmt.Sprintf("seg: indenting %T: %v", v, err))
	}
	return b.Bytes()
}

// errMember is the error of a document that has a value which it must not have.
var errMember = fmt.Errorf("%w: a member is not what it must be", ErrCorrupt)

// readDocument reads the JSON document name, of at most limit bytes, into v and
// checks it.
func readDocument(d disk.FS, name string, limit int64, v any, check func() error) error {
	b, err := readFile(d, name, limit)
	if err == nil {
		err = decode(b, v)
	}
	if err == nil {
		err = check()
	}
	return err
}

// writeDocument gives the document name of the store in dir a new content. Its name is
// durable once the directory it is in is synced.
func writeDocument(d disk.FS, dir, name string, v any, sync bool) error {
	err := replaceFile(d, dir, name, pretty(v))
	if err == nil && sync {
		err = d.SyncDir(filepath.Dir(joined(dir, name)))
	}
	return about("writing "+name, err)
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

// documents are those of a store, as far as they can be read, and why the others cannot:
// what there is to know beside its entries.
type documents struct {
	man    manifest
	merr   error
	mark   marker
	kerr   error
	source sourceState
	serr   error
	events []event
	lerr   error // of the others
	points []Checkpoint
	bad    map[string]error // the other checkpoints, by their file names
	st     transition
	ours   bool // there was a marker once
}

// documents reads them. The error is one that says nothing about the store.
func (s *Store) documents() (*documents, error) {
	x := &documents{}
	x.man, x.merr = readManifest(s.d, s.dir)
	x.mark, x.kerr = readMarker(s.d, s.dir)
	x.source, x.serr = readSource(s.d, s.dir)
	x.events, x.lerr = ledger(s.d, s.dir)
	var perr, terr error
	x.points, x.bad, perr = allCheckpoints(s.d, s.dir)
	x.st, terr = s.currentState()
	x.ours = x.kerr == nil || !missing(x.kerr) || cutOver(x.events)
	for _, err := range append(slices.Collect(maps.Values(x.bad)), x.merr, x.kerr, x.serr, x.lerr, perr) {
		if unread(err) {
			return nil, err
		}
	}
	return x, terr
}

func checkpointName(seq int64) string { return fmt.Sprintf("checkpoints/%016d.json", seq) }

// checkpoints returns the checkpoints of the store in dir in order. One that
// cannot be read is an error that names it.
func checkpoints(d disk.FS, dir string) ([]Checkpoint, error) {
	points, bad, err := allCheckpoints(d, dir)
	if err == nil {
		err = firstOf(bad)
	}
	if err != nil {
		return nil, err
	}
	return points, nil
}

// firstOf returns why one of the checkpoints cannot be read, nil if all can be.
func firstOf(bad map[string]error) error {
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		return fmt.Errorf("checkpoint %s: %w", name, disk.Cause(bad[name]))
	}
	return nil
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
		var c Checkpoint
		err := readDocument(d, joined(dir, "checkpoints", e.Name()), maxDocument, &c, c.check)
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

func (c *Checkpoint) check() error {
	_, timed := js.ParseTime(c.At)
	if c.Schema != checkpointSchema && c.Schema != checkpointExtended ||
		c.Seq < 1 || c.HeadSeq < 1 || c.HeadID == "" || !hex64(c.Chain) || !timed || !slices.Contains(reasons, c.Reason) {
		return errMember
	}
	return nil
}

func absolute(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}

const (
	manifestFile     = beside.ManifestFile
	manifestSchema   = "pi.session_store_v2.manifest.v1"
	manifestExtended = "sess.session_store_v2.manifest.v1"
	formatJSONL      = "jsonl_v3"
	formatNative     = "native_v2"
)

// A manifest is manifest.json; its members stand in pi's order.
type manifest struct {
	Schema       string     `json:"schema"`
	Version      int        `json:"storeVersion"`
	SessionID    string     `json:"sessionId"`
	SourceFormat string     `json:"sourceFormat"`
	CreatedAt    string     `json:"createdAt"`
	UpdatedAt    string     `json:"updatedAt"`
	Head         head       `json:"head"`
	Counters     counters   `json:"counters"`
	Files        files      `json:"files"`
	Integrity    integrity  `json:"integrity"`
	Invariants   invariants `json:"invariants"`
}

type head struct {
	Segment int64  `json:"segmentSeq"`
	Entry   int64  `json:"entrySeq"`
	ID      string `json:"entryId"`
}

type counters struct {
	Entries     int64 `json:"entriesTotal"`
	Messages    int64 `json:"messagesTotal"`
	Branches    int64 `json:"branchesTotal"` // entries with more than one child
	Compactions int64 `json:"compactionsTotal"`
	Bytes       int64 `json:"bytesTotal"` // of all frames
}

type files struct {
	SegmentDir    string `json:"segmentDir"`
	SegmentCount  int64  `json:"segmentCount"`
	IndexPath     string `json:"indexPath"`
	CheckpointDir string `json:"checkpointDir"`
	LedgerPath    string `json:"migrationLedgerPath"`
}

type integrity struct {
	Chain   string `json:"chainHash"`
	Self    string `json:"manifestHash"`
	LastCRC string `json:"lastCrc32c"`
}

type invariants struct {
	ParentLinksClosed        bool `json:"parentLinksClosed"`
	MonotonicEntrySeq        bool `json:"monotonicEntrySeq"`
	MonotonicSegmentSeq      bool `json:"monotonicSegmentSeq"`
	IndexWithinSegmentBounds bool `json:"indexWithinSegmentBounds"`
	BranchHeadsIndexed       bool `json:"branchHeadsIndexed"`
	CheckpointsMonotonic     bool `json:"checkpointsMonotonic"`
	HashChainValid           bool `json:"hashChainValid"`
}

var allHold = invariants{true, true, true, true, true, true, true}

// newManifest returns the manifest of an empty store.
func newManifest(sessionID, createdAt string, extended bool) manifest {
	m := manifest{
		Schema: manifestSchema, Version: 2, SessionID: sessionID, SourceFormat: formatJSONL, CreatedAt: createdAt,
		Files:      files{"segments/", 0, indexFile, "checkpoints/", ledgerFile},
		Integrity:  integrity{Chain: genesis, LastCRC: "00000000"},
		Invariants: allHold,
	}
	if extended {
		m.Schema = manifestExtended
	}
	return m
}

// selfHash is the hash of the manifest with an empty hash in it.
func (m manifest) selfHash() string {
	m.Integrity.Self = ""
	return hexSum(string(compact(&m)))
}

// add counts one more entry. opensBranch says that its parent had exactly one
// child before.
func (m *manifest) add(f *frame, r *row, opensBranch bool) {
	m.Counters.Entries++
	m.Counters.Bytes += r.length
	switch f.typ {
	case "message":
		m.Counters.Messages++
	case "compaction":
		m.Counters.Compactions++
	}
	if opensBranch {
		m.Counters.Branches++
	}
	if r.segment != m.Head.Segment {
		m.Files.SegmentCount++
	}
	m.Head = head{r.segment, r.seq, r.id}
	m.Integrity.Chain = link(m.Integrity.Chain, f.sha)
	m.Integrity.LastCRC = r.crc
	if f.extended || r.extended {
		m.Schema = manifestExtended
	}
}

// readManifest reads the manifest of the store in dir and checks it against its
// own hash.
func readManifest(d disk.FS, dir string) (m manifest, err error) {
	// Every store has one, from its first moment on. Another store may be about to
	// take the place of one that was rolled back.
	for try := 0; try == 0 || missing(err) && try <= readTries; try++ {
		m = manifest{}
		err = readDocument(d, joined(dir, manifestFile), maxDocument, &m, m.check)
	}
	if missing(err) {
		err = missingFrom(d, dir)
	}
	return m, about("reading "+manifestFile, err)
}

// sourceFormats are those that the contract knows, and the one that pi's first
// releases wrote.
var sourceFormats = []string{formatJSONL, formatNative, "sqlite_v1", "jsonl"}

func (m *manifest) check() error {
	_, created := js.ParseTime(m.CreatedAt)
	_, updated := js.ParseTime(m.UpdatedAt)
	empty := m.Counters.Entries == 0
	switch {
	case m.Schema != manifestSchema && m.Schema != manifestExtended || m.Version != 2:
		return fmt.Errorf("%w: schema %.60q, version %d", ErrCorrupt, m.Schema, m.Version)
	case !created || !updated || m.SessionID == "" || !hex64(m.Integrity.Chain) || !slices.Contains(sourceFormats, m.SourceFormat):
		return errMember
	case m.Head.Entry != m.Counters.Entries || empty != (m.Head.ID == "") || empty != (m.Head.Segment == 0):
		return fmt.Errorf("%w: head and counters disagree", ErrCorrupt)
	case m.Integrity.Self != m.selfHash():
		return fmt.Errorf("%w: manifest hash mismatch", ErrCorrupt)
	}
	return nil
}

// writeManifest installs m, with its hash, in the store in dir.
func writeManifest(d disk.FS, dir string, m *manifest, at string) error {
	m.UpdatedAt = at
	m.Integrity.Self = m.selfHash()
	return writeDocument(d, dir, manifestFile, m, false)
}
