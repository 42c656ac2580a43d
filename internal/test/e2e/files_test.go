package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// Which file a call is about is one rule: what sess-grep --touched finds, sess-stat --by file counts,
// under whichever name an agent gives the file.
func TestGrepAndStatAgreeAboutFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := 0
	for _, name := range []string{
		"path", "file", "file_path", "filePath", "filename", "notebook_path", "absolute_path", "target_file",
		"pattern", "command", "name", "url", "content", "directory", "glob",
	} {
		file := name + ".jsonl"
		write(t, dir, file, `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`+"\n"+
			fmt.Sprintf(`{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"look","arguments":{%q:"src/needle.go"}}]}}`, name)+"\n")
		found := runCommand(t, dir, "", "sess-grep", "--touched", "*.go", "--in", "call", "-c", ".", file)
		counted := runCommand(t, dir, "", "sess-stat", "--context", "--by", "file", file)
		if finds, counts := found.stdout == "1\n", strings.Contains(counted.stdout, "src/needle.go\t"); finds != counts || counted.status != 0 {
			t.Errorf("%s: sess-grep finds it: %t, sess-stat counts it: %t %s", name, finds, counts, counted.stdout)
		} else if finds {
			files++
		}
	}
	if files != 8 {
		t.Errorf("%d names are those of files", files)
	}
}
