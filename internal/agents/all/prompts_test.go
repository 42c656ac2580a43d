package all_test

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/typed"
)

// asked lists what people typed in sessions that are no part of the project, as it was read in the files by eye: a path, and for
// each prompt its line or message in the file, and the beginning of the SHA-256 of its text without blanks around it.
//
//go:embed testdata/prompts.tsv
var asked string

// TestPromptsWild compares the prompts of the sessions in the directories of SESS_PEOPLE with what people typed. The first part
// of a path in the list is the last one of such a directory.
func TestPromptsWild(t *testing.T) {
	t.Parallel()
	roots := map[string]string{}
	for _, root := range filepath.SplitList(os.Getenv("SESS_PEOPLE")) {
		roots[filepath.Base(root)] = root
	}
	if len(roots) == 0 {
		t.Skip("SESS_PEOPLE names no directory with sessions of people")
	}
	sessions, prompts, agents := 0, 0, map[string]bool{}
	for row := range strings.Lines(asked) {
		path, list, _ := strings.Cut(strings.TrimSuffix(row, "\n"), "\t")
		first, rest, _ := strings.Cut(path, "/")
		root, is := roots[first]
		if !is {
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(rest))
		data, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		f, ok := formats.Detect(all.Formats(), file, data[:min(len(data), formats.HeadSize)])
		if !ok {
			t.Errorf("%s: of no known format", path)
			continue
		}
		var got, want []string
		texts := map[string]string{}
		for _, s := range formatstest.Sessions(t, formatstest.Import(t, f, &formats.Source{Path: file}, true)) {
			for _, e := range s.Entries {
				if text, ok := typed.Prompt(e); ok {
					sum := sha256.Sum256([]byte(strings.TrimSpace(text)))
					id := hex.EncodeToString(sum[:])[:12]
					got, texts[id] = append(got, id), text
				}
			}
		}
		for one := range strings.FieldsSeq(list) {
			_, id, _ := strings.Cut(one, ":")
			want = append(want, id)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: prompts %v\nwant %v", path, got, list)
			for _, id := range got {
				if !strings.Contains(list, id) {
					t.Errorf("not in the list: %s %.100q", id, texts[id])
				}
			}
		}
		sessions, prompts, agents[f.About().Name] = sessions+1, prompts+len(got), true
	}
	t.Logf("%d sessions of %d agents, %d prompts", sessions, len(agents), prompts)
}
