package jqmap_test

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

var update = flag.Bool("update", false, "write what cases become into testdata")

// TestCases compares what testdata has of each map. A case ends with the file session, the entries and the losses of
// the file before it, or of the sample with the name of the case; or with list, the sessions among the files before it.
func TestCases(t *testing.T) {
	t.Parallel()
	for _, f := range own() {
		t.Run(f.About().Name, func(t *testing.T) {
			t.Parallel()
			file, samples := filepath.Join("testdata", f.About().Name+".txtar"), samples(t, f.About().Name)
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			home := t.TempDir()
			last := ""
			for i, c := range a.Files {
				name, got := path.Dir(c.Name), ""
				switch path.Base(c.Name) {
				case "session":
					if s, ok := samples[name]; ok {
						last = formatstest.File(t, caseBase(f.About().Name), s)
					}
					got = became(t, f, last)
				case "list":
					got = listed(t, f, filepath.Join(home, name))
				default:
					last = filepath.Join(home, filepath.FromSlash(c.Name))
					formatstest.Put(t, last, string(c.Data))
					continue
				}
				if diff := cmp.Diff(string(c.Data), got); diff != "" && !*update {
					t.Errorf("%s (-want +got):\n%s", c.Name, diff)
				}
				a.Files[i].Data = []byte(got)
			}
			if *update {
				formatstest.Put(t, file, string(txtar.Format(a)))
			}
		})
	}
}

// became returns the entries of a session, and its losses; of each session of a database, behind what is listed of it.
func became(t *testing.T, f formats.Format, path string) (out string) {
	t.Helper()
	if err := os.Chtimes(path, time.Time{}, time.Unix(1772600700, 0)); err != nil { // entries may have no other time
		t.Fatal(err)
	}
	results := formatstest.Import(t, f, source(path), false)
	for _, r := range results {
		if len(results) > 1 {
			out += fmt.Sprintf("# %s of %q in %s, %d to %d, %q\n", r.Info.ID, r.Info.ParentSession, strings.ReplaceAll(r.Info.CWD, filepath.Dir(filepath.Dir(path)), "DIR"), r.Info.Created.UnixMilli(), r.Info.Modified.UnixMilli(), r.Info.Name)
		}
		out += strings.Join(r.Lines[1:], "\n") + "\n"
		for _, l := range r.Losses {
			out += fmt.Sprintln("loss", l.Kind, l.What)
		}
	}
	return out
}

// listed returns the sessions of a home.
func listed(t *testing.T, f formats.Format, home string) (out string) {
	for info, err := range formatstest.Open(t, f, source(home)).List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Error(err)
		}
		below, _ := filepath.Rel(home, info.Path)
		at := fmt.Sprint(info.Created.UnixMilli())
		if info.Undated {
			at = "undated"
		}
		out += fmt.Sprintf("%s: %s of %q in %s, %s, %q\n", filepath.ToSlash(below), info.ID, info.ParentSession, info.CWD, at, info.Name)
	}
	return out
}

// caseBase returns what the file of a sample is called.
func caseBase(name string) string {
	if base, ok := bases[name]; ok {
		return base
	}
	return "s.jsonl"
}
