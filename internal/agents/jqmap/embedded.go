package jqmap

import (
	"embed"
	"sync"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/agent"
)

//go:embed maps
var texts embed.FS

// Embedded returns the formats whose maps are parts of the program. What listing them needs is in the table of
// package agent, so that no map is parsed for it.
func Embedded() []formats.Format { return embedded() }

var embedded = sync.OnceValue(func() (list []formats.Format) {
	for _, a := range agent.All() {
		if a.Map {
			list = append(list, newMap(a.Name+".jq", a, func() ([]byte, error) { return texts.ReadFile("maps/" + a.Name + ".jq") }))
		}
	}
	return list
})
