package entire_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/git"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// A repo is a repository in the making.
type repo struct {
	t   *testing.T
	dir string
	env []string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git: the checkpoints of Entire are not tried")
	}
	r := &repo{t: t, dir: t.TempDir()}
	r.env = append(os.Environ(), "HOME="+r.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	r.git("init", "-q")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	c := exec.Command("git", append([]string{"-C", r.dir}, args...)...)
	c.Env = r.env
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit makes a commit of files, which a ref names.
func (r *repo) commit(ref string, files map[string]string) {
	r.t.Helper()
	r.git("read-tree", "--empty")
	for name, text := range files {
		formatstest.Put(r.t, filepath.Join(r.dir, "blob"), text)
		r.git("update-index", "--add", "--cacheinfo", "100644,"+r.git("hash-object", "-w", "blob")+","+name)
	}
	r.git("update-ref", ref, r.git("commit-tree", "-m", "x", r.git("write-tree")))
}

const branch = "refs/heads/entire/checkpoints/v1"

func meta(id, created string) string {
	return fmt.Sprintf(`{"checkpoint_id":"0e053674f90a","session_id":%q,"agent":"Claude Code","created_at":%q,"summary":{"intent":"x"}}`, id, created)
}

// claude is a transcript of Claude Code.
func claude(id string, texts ...string) string {
	var b strings.Builder
	parent := "null"
	for i, text := range texts {
		uuid := fmt.Sprintf("%08d-0000-4000-8000-000000000000", i+1)
		fmt.Fprintf(&b, `{"parentUuid":%s,"isSidechain":false,"type":"user","uuid":%q,"sessionId":%q,"cwd":"/w","version":"2.1.0","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":%q}}`+"\n", parent, uuid, id, text)
		parent = `"` + uuid + `"`
	}
	return b.String()
}

func entire(t *testing.T) formats.Format {
	t.Helper()
	f, ok := formats.Lookup(all.Formats(), "entire")
	if !ok {
		t.Fatal("it is not known")
	}
	return f
}

func (r *repo) source() *formats.Source {
	return &formats.Source{Path: r.dir, Env: formats.Env{Getenv: func(string) string { return "" }, Home: r.dir, Git: git.Run}}
}

// sessions are the texts of the sessions of a repository, by their ids.
func (r *repo) sessions() map[string]string {
	r.t.Helper()
	out := map[string]string{}
	for _, one := range formatstest.Import(r.t, entire(r.t), r.source(), true) {
		s := one.Session(r.t)
		var texts []string
		for _, e := range s.Entries {
			if m, ok := e.Message(); ok {
				texts = append(texts, m.Text(""))
			}
		}
		last := s.Entries[len(s.Entries)-1]
		if !last.IsAside() || !strings.Contains(last.Raw(), `"customType":"entire:checkpoint"`) || strings.Contains(last.Raw(), "intent") {
			r.t.Errorf("the last entry: %s", last.Raw())
		}
		out[s.Header.ID] = strings.Join(texts, "|")
	}
	return out
}

func want(t *testing.T, got map[string]string, list ...string) {
	t.Helper()
	var have []string
	for id, text := range got {
		have = append(have, id+": "+text)
	}
	slices.Sort(have)
	if !slices.Equal(have, list) {
		t.Errorf("%q, want %q", have, list)
	}
}

const one, two = "11111111-0000-4000-8000-000000000000", "22222222-0000-4000-8000-000000000000"

func TestEntireTwoSessions(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit(branch, map[string]string{
		"0e/053674f90a/metadata.json": `{}`, "0e/053674f90a/0/metadata.json": meta(one, "2026-01-01T00:00:00Z"), "0e/053674f90a/0/full.jsonl": claude(one, "first"),
		"0e/053674f90a/1/metadata.json": meta(two, "2026-01-01T00:00:01Z"), "0e/053674f90a/1/full.jsonl": claude(two, "second"), "0e/053674f90a/1/prompt.txt": "x",
	})
	want(t, r.sessions(), one+": first", two+": second")
	a := formatstest.Open(t, entire(t), r.source())
	if _, err := formats.Find(t.Context(), a, "0e053674f90a"); err == nil || !strings.Contains(err.Error(), "means 2 sessions") {
		t.Errorf("a checkpoint of two: %v", err)
	}
}

// Of a session the newest checkpoint counts, and the ids of all of them name it.
func TestEntireLaterCheckpoint(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit(branch, map[string]string{
		"aa/0000000001/0/metadata.json": meta(one, "2026-01-02T00:00:00Z"), "aa/0000000001/0/full.jsonl": claude(one, "first", "more"),
		"bb/0000000002/0/metadata.json": meta(one, "2026-01-01T00:00:00Z"), "bb/0000000002/0/full.jsonl": claude(one, "first"),
	})
	want(t, r.sessions(), one+": first|more")
	a := formatstest.Open(t, entire(t), r.source())
	for _, id := range []string{one, "11111111", "aa0000000001", "bb0000000002"} {
		if info, err := formats.Find(t.Context(), a, id); err != nil || info.ID != one {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// A ref of its own names a checkpoint by a ULID; the branch may have it as well, and a remote both.
func TestEntireULID(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	files := map[string]string{"0/metadata.json": meta(one, "2026-01-01T00:00:00Z"), "0/full.jsonl": claude(one, "first"), "metadata.json": "{}"}
	r.commit("refs/entire/checkpoints/56/01M00RJ1HC7TDT6GQBD07F6356", files)
	r.commit("refs/remotes/origin/entire/checkpoints/v1", map[string]string{"aa/0000000001/0/metadata.json": meta(two, "2026-01-01T00:00:00Z"), "aa/0000000001/0/full.jsonl": claude(two, "second")})
	want(t, r.sessions(), one+": first", two+": second")
	a := formatstest.Open(t, entire(t), r.source())
	if info, err := formats.Find(t.Context(), a, "01M00RJ1HC7TDT6GQBD07F6356"); err != nil || info.ID != one {
		t.Errorf("%v", err)
	}
}

// Older refs have checkpoints, too: of one with a transcript of Entire's alone it is said, unless another checkpoint
// of the session has that of the agent.
func TestEntireOlderRefs(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	const one, two, three = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333"
	r.commit("refs/entire/checkpoints/v1", map[string]string{"aa/0000000001/0/metadata.json": meta(one, "2026-01-01T00:00:00Z"), "aa/0000000001/0/full.jsonl": claude(one, "first")})
	r.commit("refs/entire/checkpoints/v2/main", map[string]string{
		"bb/0000000002/0/metadata.json": meta(two, "2026-01-02T00:00:00Z"), "bb/0000000002/0/transcript.jsonl": `{"type":"user","content":"short"}` + "\n",
		"cc/0000000003/0/metadata.json": meta(one, "2026-01-03T00:00:00Z"), "cc/0000000003/0/transcript.jsonl": `{"type":"user","content":"short"}` + "\n",
		"dd/0000000004/0/metadata.json": meta(three, "2026-01-04T00:00:00Z"), "dd/0000000004/0/transcript.jsonl": claude(three, "third"),
	})
	a, got := formatstest.Open(t, entire(t), r.source()), map[string]string{}
	for info, err := range a.List(t.Context(), formats.Query{Details: true}) {
		if got[info.ID] = info.FirstMessage; err != nil {
			got[info.ID] = err.Error()
		}
	}
	if len(got) != 3 || got[one] != "first" || got[three] != "third" || !strings.Contains(got[two], "of no known format") {
		t.Errorf("%q", got)
	}
}

// A large transcript is in numbered parts, in the order of their numbers.
func TestEntireChunks(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	text := claude(one, "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12")
	files := map[string]string{"aa/0000000001/0/metadata.json": meta(one, "2026-01-01T00:00:00Z")}
	for i, line := range strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n") {
		name := "full.jsonl"
		if i > 0 {
			name = fmt.Sprintf("full.jsonl.%d", i)
		}
		files["aa/0000000001/0/"+name] = line
	}
	r.commit(branch, files)
	want(t, r.sessions(), one+": 1|2|3|4|5|6|7|8|9|10|11|12")
}

// Without git, outside of a repository, and in one without checkpoints there is no such place.
func TestEntireNoGit(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	src := r.source()
	src.Env.Git = nil
	if _, err := entire(t).Open(t.Context(), src); err == nil || !strings.Contains(err.Error(), "there is no git to be run") {
		t.Errorf("%v", err)
	}
	if a := formatstest.Open(t, entire(t), r.source()); len(formatstest.Import(t, entire(t), r.source(), true)) != 0 || a == nil {
		t.Error("sessions out of nothing")
	}
	if _, err := entire(t).About().Home(formats.Env{}); err == nil || !strings.Contains(err.Error(), "no git repository around this directory has checkpoints of Entire") {
		t.Errorf("%v", err)
	}
	none := &formats.Source{Path: t.TempDir(), Env: src.Env}
	none.Env.Git = git.Run
	if _, err := entire(t).Open(context.Background(), none); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("%v", err)
	}
}

// An id that was redacted names no session: it gets one of its own, the same each time. A transcript of no
// known format is an error of that session alone.
func TestEntireRedactedID(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit(branch, map[string]string{
		"aa/0000000001/0/metadata.json": meta("REDACTED", "2026-01-01T00:00:00Z"), "aa/0000000001/0/full.jsonl": claude("REDACTED", "first"),
		"bb/0000000002/0/metadata.json": meta(two, "2026-01-01T00:00:00Z"), "bb/0000000002/0/full.jsonl": "what is this\n",
	})
	a := formatstest.Open(t, entire(t), r.source())
	n := 0
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if n++; err != nil {
			t.Fatal(err)
		}
		got, err := formatstest.Try(t.Context(), entire(t), a, info)
		switch {
		case info.ID == two:
			if err == nil || !strings.Contains(err.Error(), `is of no known format; its label says "Claude Code"`) {
				t.Errorf("%v", err)
			}
		case err != nil || !formats.IsUUID(info.ID) || got.Session(t).Header.ID != info.ID:
			t.Errorf("%s: %v", info.ID, err)
		}
	}
	if n != 2 {
		t.Errorf("%d sessions", n)
	}
}

// The sessions of a bundle of people's, if SESS_AGENTS names the directory that has it: each is read by the format that
// it is of, once.
func TestWild(t *testing.T) {
	t.Parallel()
	bundles, _ := filepath.Glob(filepath.Join(os.Getenv("SESS_AGENTS"), "entire", "*.bundle"))
	if os.Getenv("SESS_AGENTS") == "" || len(bundles) == 0 {
		t.Skip("SESS_AGENTS names no directory with a bundle")
	}
	for _, bundle := range bundles {
		r := newRepo(t)
		r.git("fetch", "-q", bundle, "+refs/*:refs/*")
		sessions := r.sessions()
		files := 0
		for name := range strings.Lines(r.git("ls-tree", "-r", "--name-only", branch)) {
			if strings.HasSuffix(strings.TrimSpace(name), "/full.jsonl") {
				files++
			}
		}
		if len(sessions) == 0 || len(sessions) > files {
			t.Errorf("%s: %d sessions of %d files", bundle, len(sessions), files)
		}
		for id, text := range sessions {
			if text == "" {
				t.Errorf("%s: nothing was said", id)
			}
		}
	}
}
