// Package known has the agents that are known on this machine: those of the program, and those of the maps of the
// user (sess-map(5)).
package known

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/homes"
	"github.com/sess-tools/sess/pkg/agent"
	"github.com/sess-tools/sess/pkg/session"
)

// extension is that of the file of a map.
const extension = ".jq"

// MapDir returns the directory of the user's own maps, "" if there is no place for one.
func MapDir() string {
	if dir := homes.Config(); dir != "" {
		return filepath.Join(dir, "agents")
	}
	return ""
}

// MapFiles returns the paths of the maps in a directory, in the order of their names, see [MapName].
func MapFiles(dir string) []string {
	paths, err := filepath.Glob(filepath.Join(dir, "*"+extension))
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(paths, func(path string) bool { return !agent.ValidName(MapName(path)) })
}

// MapName returns the name of the agent whose map is in a file.
func MapName(path string) string { return strings.TrimSuffix(filepath.Base(path), extension) }

// maxMap is how many bytes a map has at most.
const maxMap = 1 << 20

// ReadMap reads the file of a map. A pipe is refused, and not waited for.
func ReadMap(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	if err == nil {
		err = disk.Regular(fi)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the map %s: %w", path, disk.Cause(err))
	}
	f, err := disk.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMap+1))
	if err == nil && len(text) > maxMap {
		err = fmt.Errorf("reading the map %s: it has more than a mebibyte", path)
	}
	return text, err
}

// IsAgent reports whether a name is that of an agent of the program, or of a map of the user's, for whose file it looks.
func IsAgent(name string) bool {
	if agent.Has(name) {
		return true
	}
	if !agent.ValidName(name) {
		return false
	}
	_, err := os.Stat(filepath.Join(MapDir(), name+extension))
	return err == nil
}

// Names returns the names of the agents of the program, and behind them those of the user's own maps. It reads no map.
func Names() []string {
	names := ProgramNames()
	for _, path := range MapFiles(MapDir()) {
		if name := MapName(path); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// ProgramNames returns the names of the agents of the program.
func ProgramNames() []string {
	all := agent.All()
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.Name
	}
	return names
}

// Agents returns the agents with these names. A map of the user's stands for the one of the program with its name; one
// that cannot be read says nothing but its name.
func Agents() []agent.Agent {
	names := Names()
	all := make([]agent.Agent, len(names))
	for i, name := range names {
		all[i], _ = Agent(name)
	}
	return all
}

// Agent returns the agent of [Agents] with a name.
func Agent(name string) (a agent.Agent, ok bool) {
	if agent.Has(name) {
		a, ok = agent.Named(name)
	}
	if ok && !a.Map {
		return a, true
	}
	if own, isOwn := ownMaps()[name]; isOwn {
		return own, true
	}
	return a, ok
}

// ownMaps are the agents of the user's own maps by their names, read once.
var ownMaps = sync.OnceValue(func() map[string]agent.Agent {
	own := map[string]agent.Agent{}
	for _, path := range MapFiles(MapDir()) {
		name := MapName(path)
		text, err := ReadMap(path)
		if err != nil { // sess-doctor says so, and so does the importer
			own[name] = agent.Agent{Name: name, Map: true}
			continue
		}
		a, err := agent.ParseHeader(string(text))
		if err != nil || a.Name != name {
			a = agent.Agent{Name: name, Map: true}
		}
		own[name] = a
	}
	return own
})

// ProgramName returns what people call the program of an agent; of one that says nothing of it, the name.
func ProgramName(name string) string {
	if a, ok := Agent(name); ok && a.Program != "" {
		return a.Program
	}
	return session.AgentName(name)
}
