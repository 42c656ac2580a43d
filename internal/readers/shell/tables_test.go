package shell

import (
	"slices"
	"strings"
	"testing"
)

// A program stands in one table alone: which one decides would be a matter of chance.
func TestTables(t *testing.T) {
	t.Parallel()
	tables := map[string]map[string]bool{"inert": inert, "hiders": hiders, "builtins": builtins, "renames": renames, "otherShells": otherShells, "shells": {}, "interpreters": {}}
	for _, name := range shells {
		tables["shells"][name] = true
	}
	for name := range interpreters {
		tables["interpreters"][name] = true
	}
	in := map[string][]string{}
	for table, names := range tables {
		for name := range names {
			in[name] = append(in[name], table)
		}
	}
	seen := map[string]bool{}
	for _, run := range runners {
		if seen[run.name] {
			t.Errorf("two runners are %q", run.name)
		}
		if seen[run.name] = true; !strings.Contains(run.name, " ") {
			in[run.name] = append(in[run.name], "runners")
		}
		for _, list := range []string{run.alone, run.takes, run.line} {
			if slices.ContainsFunc(strings.Fields(list), func(flag string) bool { return strings.HasPrefix(flag, "-") && flag != "-" }) {
				t.Errorf("%q has a flag with dashes in %q", run.name, list)
			}
		}
	}
	for name, tables := range in {
		if len(tables) > 1 {
			t.Errorf("%q stands in %q", name, tables)
		}
	}
	for name := range flags {
		if !inert[name] {
			t.Errorf("flags of %q, which is not inert", name)
		}
	}
}
