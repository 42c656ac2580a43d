package main

import (
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// limit applies --max-chars and --blobs to the new entries. Blobs are stored
// here, before any line refers to them: one that nothing refers to does no
// harm.
func (c *config) limit(b *session.Batch) error {
	limits := convo.Limits{MaxChars: c.maxChars, Blobs: c.blobs != ""}
	dir := store.OpenBlobs(c.blobs)
	for i, e := range b.Entries {
		var blobs []convo.Blob
		b.Entries[i], blobs = limits.Apply(e)
		for _, blob := range blobs {
			if c.dryRun {
				continue
			}
			if err := dir.Put(blob); err != nil {
				return err
			}
		}
	}
	return nil
}
