package seg

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/pkg/js"
)

const (
	manifestFile     = "manifest.json"
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
	sum := sha256.Sum256(compact(&m))
	return hex.EncodeToString(sum[:])
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
func readManifest(d disk.FS, dir string) (manifest, error) {
	var m manifest
	b, err := readFile(d, joined(dir, manifestFile), maxDocument)
	if err == nil {
		m, err = parseManifest(b)
	}
	for try := 0; missing(err) && try < readTries; try++ { // every store has one, from its first moment on
		if err = missingFrom(d, dir); errors.Is(err, ErrCorrupt) {
			// Another store may have taken the place of one that was rolled back.
			b, rerr := readFile(d, joined(dir, manifestFile), maxDocument)
			switch {
			case rerr == nil:
				m, err = parseManifest(b)
			case !missing(rerr) || try < readTries-1:
				err = rerr
			}
		}
	}
	if err != nil {
		return m, fmt.Errorf("reading %s: %w", manifestFile, disk.Cause(err))
	}
	return m, nil
}

// sourceFormats are those that the contract knows, and the one that pi's first
// releases wrote.
var sourceFormats = []string{formatJSONL, formatNative, "sqlite_v1", "jsonl"}

func parseManifest(b []byte) (manifest, error) {
	var m manifest
	if err := decode(b, &m); err != nil {
		return m, err
	}
	_, created := js.ParseTime(m.CreatedAt)
	_, updated := js.ParseTime(m.UpdatedAt)
	empty := m.Counters.Entries == 0
	switch {
	case m.Schema != manifestSchema && m.Schema != manifestExtended || m.Version != 2:
		return m, fmt.Errorf("%w: schema %.60q, version %d", ErrCorrupt, m.Schema, m.Version)
	case !created || !updated || m.SessionID == "" || !hex64(m.Integrity.Chain) || !slices.Contains(sourceFormats, m.SourceFormat):
		return m, fmt.Errorf("%w: a member is not what it must be", ErrCorrupt)
	case m.Head.Entry != m.Counters.Entries || empty != (m.Head.ID == "") || empty != (m.Head.Segment == 0):
		return m, fmt.Errorf("%w: head and counters disagree", ErrCorrupt)
	case m.Integrity.Self != m.selfHash():
		return m, fmt.Errorf("%w: manifest hash mismatch", ErrCorrupt)
	}
	return m, nil
}

// writeManifest installs m, with its hash, in the store in dir.
func writeManifest(d disk.FS, dir string, m *manifest, at string) error {
	m.UpdatedAt = at
	m.Integrity.Self = m.selfHash()
	temp := joined(dir, "tmp", manifestFile+".tmp")
	if err := replaceFile(d, temp, joined(dir, manifestFile), pretty(m)); err != nil {
		return about("writing "+manifestFile, err)
	}
	return nil
}
