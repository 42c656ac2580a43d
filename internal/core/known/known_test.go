package known_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/test/must"
)

// TestMaps: a map of the user's is an agent by its header; one with the name of the program's map stands in its place, and none
// in that of an agent in Go; one that cannot be read is known by its name alone.
func TestMaps(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	for name, text := range map[string]string{
		"made":    `module {name: "made", program: "Made Up", tools: {run: "zap"}, resume: ["madeup", "ID"]};`,
		"kimi":    `module {name: "kimi", program: "My Kimi"};`,
		"claude":  `module {name: "claude", program: "Not Claude"};`,
		"broken":  `module {`,
		"other":   `module {name: "another", program: "Another"};`,
		"No-Name": `module {name: "No-Name"};`,
	} {
		must.Write(t, dir, "sess/agents/"+name+".jq", text)
	}
	must.Do(t, os.Mkdir(filepath.Join(dir, "sess/agents/pipe.jq"), 0o700))
	if n := len(known.MapFiles(known.MapDir())); n != 6 {
		t.Errorf("%d files", n)
	}
	names := known.Names()
	if n := len(known.ProgramNames()); !slices.Equal(names[n:], []string{"broken", "made", "other", "pipe"}) || len(known.Agents()) != len(names) {
		t.Errorf("%q", names)
	}
	for name, want := range map[string]string{
		"made": "Made Up", "kimi": "My Kimi", "claude": "Claude Code", "broken": "broken", "other": "other", "pipe": "pipe", "openai": "OpenAI's API", "nobody": "nobody",
	} {
		if got := known.ProgramName(name); got != want {
			t.Errorf("%s is called %q, want %q", name, got, want)
		}
		if is := name != "openai" && name != "nobody"; known.IsAgent(name) != is {
			t.Errorf("%s: an agent %t", name, !is)
		}
	}
	if a, ok := known.Agent("made"); !ok || len(a.Tools) != 1 || a.ResumeWith("x")[1] != "x" {
		t.Errorf("%+v", a)
	}
	if _, ok := known.Agent("openai"); ok {
		t.Error("an API is an agent")
	}
}
