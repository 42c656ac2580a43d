// Package rows has the schemas of what the tools print with --json, in JSON Schema.
package rows

import "embed"

// Schemas has a file TOOL.json for each tool that prints rows.
//
//go:embed *.json
var Schemas embed.FS
