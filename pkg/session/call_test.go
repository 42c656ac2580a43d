package session_test

import (
	"slices"
	"testing"

	"github.com/sess-tools/sess/pkg/session"
)

func TestWhatACallIsAbout(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string][4]string{ // file, command, asks, words
		`{"command":"ls","description":"list"}`:       {"", "ls", "", "list"},
		`{"cmd":["bash","-lc","go test ./..."]}`:      {"", "go test ./...", "", ""},
		`{"command":["go","vet"]}`:                    {"", "go vet", "", ""},
		`{"command":[1,"vet"]}`:                       {"", "vet", "", ""},
		`{"command":[]}`:                              {"", "", "", ""},
		`{"pattern":"TODO","path":"src"}`:             {"src", "", "TODO", ""},
		`{"url":"http://x","prompt":"what is it"}`:    {"", "", "http://x", "what is it"},
		` {"file_path":"a.go","content":"x"}`:         {"a.go", "", "", ""},
		`{"filename":"b.go"}`:                         {"b.go", "", "", ""},
		`{"file":"c.go","path":""}`:                   {"c.go", "", "", ""},
		`{"notebook_path":"n.ipynb"}`:                 {"n.ipynb", "", "", ""},
		`{"absolute_path":"/a"}`:                      {"/a", "", "", ""},
		`{"path":7,"command":{"a":1},"pattern":null}`: {},
		`["path"]`:                       {},
		`"path"`:                         {},
		``:                               {},
		`{"path":"first","path":"last"}`: {"last"},
		`{"task":"look around","name":"scout","x":"y"}`:  {"", "", "", "look around"},
		`{"target_file":"t.go","query":"where is main"}`: {"t.go", "", "where is main", ""},
	} {
		c := session.ToolCall{Name: "x", Arguments: arguments}
		if got := [4]string{c.File(), c.Command(), c.Asks(), c.Words()}; got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
	c := session.ToolCall{Arguments: `{"file":"b","path":"a","other":"c"}`}
	if got := c.Files(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("files: %q", got)
	}
}

// Both spellings of thinking that is encrypted are told to be that.
func TestEncryptedThinking(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		`{"type":"redactedThinking","data":"x"}`:                                    true,
		`{"type":"thinking","thinking":"","redacted":true,"thinkingSignature":"x"}`: true,
		`{"type":"thinking","thinking":"hm","redacted":false}`:                      false,
		`{"type":"thinking","thinking":"hm"}`:                                       false,
		`{"type":"text","text":"","redacted":true}`:                                 false,
	} {
		m := session.NewMessage(`{"role":"assistant","content":[` + raw + `]}`)
		for b := range m.Blocks() {
			if data, ok := b.Encrypted(); ok != want || ok && data != "x" {
				t.Errorf("%s: %q, %t", raw, data, ok)
			}
		}
	}
}
