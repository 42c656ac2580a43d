package calls_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// same demands that the calls of a session are those of its lines that are cut.
func same(t *testing.T, data []byte) {
	t.Helper()
	whole, err := session.Read(bytes.NewReader(data))
	if err != nil {
		return // no session
	}
	want := calls.Of(whole.Entries, whole.Header.CWD)
	for _, cut := range []func(string) string{calls.Cut, calls.CutResults} {
		part, err := session.ReadCut(bytes.NewReader(data), cut)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, calls.Of(part.Entries, part.Header.CWD), cmpopts.IgnoreUnexported(calls.Call{}, calls.Ending{})); diff != "" {
			t.Errorf("(-whole +cut):\n%s", diff)
		}
		if diff := cmp.Diff(whole.Problems, part.Problems); diff != "" {
			t.Errorf("problems (-whole +cut):\n%s", diff)
		}
	}
}

func TestCutCorpus(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"pi", "omp"} {
		for _, path := range corpus.Sessions(t, dir) {
			t.Run(path, func(t *testing.T) {
				t.Parallel()
				same(t, corpus.Session(t, path))
			})
		}
	}
}

// pieces are what texts are drawn of: escapes of all kinds, letters of one to four bytes, bytes that are no letter, and what agents say.
var pieces = []string{
	`\n`, `\\`, `\"`, `\u0041`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\udc00`, `\uD83D\u0041`, "é", "語", "😀", "a", "word ", "\xff", "\xe8\xaa",
	`Exit code 3\n`, `\n\nCommand exited with code 7`, `Process exited with code 4\n`, `Command running in background with ID: b1`, `\n  `,
	`The user doesn't want to proceed with this tool use`, strings.Repeat("x", 100), strings.Repeat(`\u001b`, 90), strings.Repeat("語", 150),
}

func literal(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(3) == 0 { // one piece, which is parted at both edges
		x := strings.Repeat("x", 408)
		return `"` + x[r.IntN(16):] + strings.Repeat(pieces[r.IntN(len(pieces))], 100) + x[r.IntN(16):] + `"`
	}
	for range r.IntN(40) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return `"` + b.String() + `"`
}

// TestCutDrawn: what is left of a result ends as the result did, wherever escapes and letters stand.
func TestCutDrawn(t *testing.T) {
	t.Parallel()
	tools := []string{"bash", "Bash", "exec_command", "read", "Task", "BashOutput", "KillShell", "list_background_processes", "claude_Bash"}
	shorter := 0
	for _, r := range drawn.Cases(t, 20_000) {
		content := literal(r)
		if blocks := r.IntN(4); blocks > 0 {
			all := []string{`{"type":"image","data":"` + strings.Repeat("A", 200) + `"}`}
			for range blocks {
				all = append(all, `{"text":`+literal(r)+`,"type":"text"}`)
			}
			content = "[" + strings.Join(all, ",") + "]"
		}
		failed := []string{"true", "false"}[r.IntN(2)]
		text := `{"role":"toolResult","toolCallId":"c","toolName":"` + tools[r.IntN(len(tools))] + `","content":` + content + `,"isError":` + failed + `}`
		line := `{"message":` + text + `,"type":"message","id":"a"}`
		cut := calls.Cut(line)
		if !js.Valid([]byte(cut)) {
			t.Fatalf("not JSON: %s\nof %s", cut, line)
		}
		if len(cut) < len(line) {
			shorter++
		}
		m := session.NewMessage(js.Member(cut, "message"))
		if diff := cmp.Diff(calls.End(session.NewMessage(text)), calls.End(m), cmp.AllowUnexported(calls.Ending{})); diff != "" {
			t.Fatalf("(-whole +cut):\n%s\nof %s\ncut %s", diff, line, cut)
		}
		const edge = 400
		before, after := session.NewMessage(text).Text("\n"), m.Text("\n")
		if len(after) < len(before) && (len(after) < 2*edge || before[:edge] != after[:edge] || before[len(before)-edge:] != after[len(after)-edge:]) {
			t.Fatalf("the edges differ\nof %s\ncut %s", line, cut)
		}
	}
	if shorter == 0 {
		t.Error("nothing was left out")
	}
}

// TestCut: what is left out, and where nothing is.
func TestCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 1000)
	for name, tt := range map[string]struct {
		message        string
		cut, cutResult int // how many times long is left
	}{
		"a reply":                            {`{"role":"assistant","content":[{"type":"thinking","thinking":"L","thinkingSignature":"L"},{"type":"text","text":"L"},{"type":"toolCall","id":"c","name":"write","arguments":{"content":"L"}}]}`, 1, 2},
		"a reply as a string":                {`{"role":"assistant","content":"L"}`, 0, 1},
		"a result":                           {`{"role":"toolResult","toolName":"bash","content":[{"type":"text","text":"L"},{"type":"image","data":"L"}],"details":{"diff":"L"}}`, 1, 1},
		"a result as a string":               {`{"role":"toolResult","toolName":"bash","content":"L"}`, 0, 0},
		"an answer to who asks after a task": {`{"role":"toolResult","toolName":"BashOutput","content":"L"}`, 1, 1},
		"what the provider did":              {`{"role":"assistant","content":[{"type":"providerCall","text":"L","content":[{"type":"text","text":"L"}]}]}`, 2, 2},
		"the user":                           {`{"role":"user","content":[{"type":"text","text":"L"}]}`, 1, 1},
		"a command of the user":              {`{"role":"bashExecution","output":"L"}`, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := `{"type":"message","id":"a","message":` + strings.ReplaceAll(tt.message, "L", long) + `}`
			if got := strings.Count(calls.Cut(line), long); got != tt.cut {
				t.Errorf("Cut leaves %d long texts, want %d", got, tt.cut)
			}
			if got := strings.Count(calls.CutResults(line), long); got != tt.cutResult {
				t.Errorf("CutResults leaves %d long texts, want %d", got, tt.cutResult)
			}
			if custom := strings.Replace(line, `"type":"message"`, `"type":"custom"`, 1); calls.Cut(custom) != custom {
				t.Error("another entry is cut")
			}
		})
	}
}
