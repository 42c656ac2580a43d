package main

import (
	"io"

	"github.com/sess-tools/sess/internal/tool/listing"
	"github.com/sess-tools/sess/pkg/store"
)

// rowJSON is the JSON of a row, as --json prints it.
func (c *config) rowJSON(r store.Row) string { return listing.JSON(c.owned(r)) }

// writeRow writes it.
func (c *config) writeRow(w io.Writer, r store.Row) error { return listing.Write(w, c.owned(r)) }
