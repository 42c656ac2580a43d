package jqmap

import (
	"embed"
	"sync"

	"github.com/sess-tools/sess/internal/agents/formats"
)

//go:embed maps
var texts embed.FS

// table is what listing formats needs of the embedded maps, so that it parses none. A test
// compares it with the maps.
var table = []struct {
	name, summary string
	homes, signs  []string
}{
	{
		"copilot", "sessions of GitHub Copilot CLI (experimental)",
		[]string{"$COPILOT_HOME/session-state", "~/.copilot/session-state"},
		[]string{`"copilot-agent"`, `"copilotVersion"`, `"session.start"`},
	},
	{
		"gemini", "sessions of Gemini CLI (experimental)",
		[]string{"$GEMINI_CLI_HOME/.gemini/tmp", "~/.gemini/tmp"},
		[]string{`"projectHash"`},
	},
	{
		"qwen", "sessions of Qwen Code (experimental)",
		[]string{"$QWEN_HOME/projects", "~/.qwen/projects"},
		[]string{`"parts":[`},
	},
	{
		"kimi", "sessions of Kimi Code (experimental)",
		[]string{"$KIMI_CODE_HOME/sessions", "~/.kimi-code/sessions"},
		[]string{`"protocol_version"`},
	},
	{
		"kimicli", "sessions of kimi-cli (experimental)",
		[]string{"~/.kimi/sessions"},
		[]string{`"_system_prompt"`, `"_checkpoint"`},
	},
	{
		"grok", "sessions of Grok Build (experimental)",
		[]string{"$GROK_HOME/sessions", "~/.grok/sessions"},
		[]string{`"sessionUpdate"`, `"model_id"`, `"prompt_index"`},
	},
}

// Embedded returns the formats whose maps are parts of the program.
func Embedded() []formats.Format { return embedded() }

var embedded = sync.OnceValue(func() (list []formats.Format) {
	for _, row := range table {
		about := formats.About{Name: row.name, Summary: row.summary, Grows: row.name != "copilot"} // which tells the usage of replies at the end of a run
		list = append(list, newMap(row.name+".jq", about, row.homes, row.signs, func() ([]byte, error) {
			return texts.ReadFile("maps/" + row.name + ".jq")
		}))
	}
	return list
})
