package opencode

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

// A layout is where a storage has its files, below the directory of opencode's data.
type layout struct {
	session func(id string) string
	message func(session, id string) string
	part    func(session, message, id string) string
}

var layouts = map[string]layout{
	"v2": {
		session: func(id string) string { return "storage/session/prj/" + id },
		message: func(session, id string) string { return "storage/message/" + session + "/" + id },
		part:    func(_, message, id string) string { return "storage/part/" + message + "/" + id },
	},
	"legacy": {
		session: func(id string) string { return "project/home-dev-p/storage/session/info/" + id },
		message: func(session, id string) string {
			return "project/home-dev-p/storage/session/message/" + session + "/" + id
		},
		part: func(session, message, id string) string {
			return "project/home-dev-p/storage/session/part/" + session + "/" + message + "/" + id
		},
	},
}

// layOut writes an export as a storage has it, and returns the directory of the data and the
// file of the session.
func layOut(t *testing.T, dir string, l layout, export []byte) (file string) {
	t.Helper()
	write := func(name string, v js.Value) string {
		path := filepath.Join(dir, filepath.FromSlash(name)+".json")
		formatstest.Put(t, path, string(v))
		return path
	}
	doc := js.Value(export)
	id := doc.Get("info", "id").Str()
	for m := range doc.Get("messages").Elements() {
		message := m.Get("info", "id").Str()
		write(l.message(id, message), m.Get("info"))
		for p := range m.Get("parts").Elements() {
			write(l.part(id, message, p.Get("id").Str()), withDefaults(p, object(js.StringField("sessionID", id))))
		}
	}
	return write(l.session(id), doc.Get("info"))
}

// genuine are exports that opencode made of sessions it had.
func genuine(t *testing.T) map[string][]byte {
	all := exports(t)
	for name := range all {
		if !strings.HasPrefix(name, "genuine-") || !strings.HasSuffix(name, ".json") {
			delete(all, name)
		}
	}
	if len(all) < 5 {
		t.Fatalf("%d genuine exports", len(all))
	}
	return all
}

// A storage gives the same session as the export of it: as the directory of opencode's data, as
// the file of the session, and by what stands in that file.
func TestStorage(t *testing.T) {
	t.Parallel()
	for name, l := range layouts {
		for sample, data := range genuine(t) {
			want := importOne(t, data)
			dir := t.TempDir()
			file := layOut(t, dir, l, data)
			for _, src := range []string{dir, file} {
				got := formatstest.One(t, Format, source(src))
				if diff := cmp.Diff(want.Lines, got.Lines); diff != "" {
					t.Errorf("%s %s (-export +storage):\n%.3000s", name, sample, diff)
				}
				var unlike []formats.Loss // a message that failed may have no part
				for _, loss := range got.Losses {
					if loss.What != "no part of it is there" {
						unlike = append(unlike, loss)
					}
				}
				if len(unlike) != len(want.Losses) {
					t.Errorf("%s %s: %v, and of the export %v", name, sample, got.Losses, want.Losses)
				}
			}
			head, err := source(file).Head(t.Context())
			if err != nil || !Format.Detect(file, head) {
				t.Errorf("%s %s: not taken for opencode's (%v)", name, sample, err)
			}
		}
	}
}

// What is missing or broken is told, and the rest is read.
func TestStorageDamaged(t *testing.T) {
	t.Parallel()
	data := exportOf("", msg(1, "user", "", textPart("one")), msg(2, "assistant", answers(1), textPart("two")), msg(3, "user", "", textPart("three")))
	for name, tt := range map[string]struct {
		change func(l layout, id string) (path, content string) // "" removes
		want   string
	}{
		"message without parts": {func(l layout, id string) (string, string) { return l.part(id, "msg_02", "prt_0200"), "" }, "message msg_02: no part of it is there"},
		"part without message": {
			func(l layout, id string) (string, string) { return l.message(id, "msg_02"), "" },
			"message msg_02: there are parts of it, but not itself; they are left out",
		},
		"broken message": {func(l layout, id string) (string, string) { return l.message(id, "msg_02"), `{"id":` }, "it is not a JSON object, skipped"},
		"broken part":    {func(l layout, id string) (string, string) { return l.part(id, "msg_02", "prt_0200"), `[]` }, "it is not a JSON object, skipped"},
		"another place": {func(l layout, id string) (string, string) {
			return l.message(id, "msg_04"), `{"id":"../../../x","role":"user"}`
		}, "is no name of a directory, skipped"},
		"once more": {func(l layout, id string) (string, string) {
			return l.message(id, "msg_04"), `{"id":"msg_01","role":"user"}`
		}, "message msg_01 once more, skipped"},
	} {
		for layoutName, l := range layouts {
			t.Run(name+" "+layoutName, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				file := layOut(t, dir, l, data)
				id := strings.TrimSuffix(filepath.Base(file), ".json")
				path, content := tt.change(l, id)
				path = filepath.Join(dir, filepath.FromSlash(path)+".json")
				err := os.WriteFile(path, []byte(content), 0o600)
				if content == "" {
					err = os.Remove(path)
				}
				if err != nil {
					t.Fatal(err)
				}
				r := formatstest.One(t, Format, source(dir))
				if !slices.ContainsFunc(r.Losses, func(l formats.Loss) bool { return strings.HasSuffix(l.Where+": "+l.What, tt.want) }) {
					t.Errorf("%v", r.Losses)
				}
				if text := r.Text(); !strings.Contains(text, `"one"`) || !strings.Contains(text, `"three"`) {
					t.Error("the rest is gone: " + text)
				}
			})
		}
	}
}

// A session that opencode has taken over into its database is read from there, once, and one
// that it has not from the storage beside it.
func TestStorageBesideDatabase(t *testing.T) {
	t.Parallel()
	database := databaseCopy(t)
	taken := formatstest.Import(t, Format, source(database), false)
	old := exportOf("", msg(1, "user", "", textPart("left behind")))
	layOut(t, filepath.Dir(database), layouts["v2"], old)
	again := strings.ReplaceAll(string(old), js.Value(old).Get("info", "id").Str(), taken[0].Info.ID)
	layOut(t, filepath.Dir(database), layouts["legacy"], []byte(again))
	for _, path := range []string{database, filepath.Dir(database)} {
		all := formatstest.Import(t, Format, source(path), false)
		if len(all) != len(taken)+1 {
			t.Fatalf("%s: %d sessions", path, len(all))
		}
		for i, r := range taken {
			if diff := cmp.Diff(r.Lines, all[i].Lines); diff != "" {
				t.Errorf("%s: not that of the database:\n%s", path, diff)
			}
		}
		if !strings.Contains(all[len(taken)].Text(), "left behind") {
			t.Errorf("%s: %s", path, all[len(taken)].Text())
		}
	}
}
