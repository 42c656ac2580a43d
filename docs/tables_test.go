package docs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/remotetest"
)

// twoSessions puts two sessions into the store, of which one was last modified in 2025.
const twoSessions = `s=$(sess-new --store --cwd /w); sess-append -q -r user -t 'fix the parser' "$s"
mkdir -p "$SESS_DIR/--w--"
printf '%s\n' '{"type":"session","version":3,"id":"begun-in-2025","timestamp":"2025-01-02T03:04:05.000Z","cwd":"/w"}' \
	'{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2025-01-02T03:04:06.000Z","message":{"role":"user","content":"say hi","timestamp":1735787046000}}' \
	>"$SESS_DIR/--w--/2025-01-02T03-04-05-000Z_begun-in-2025.jsonl"
touch -t 202501020304 "$SESS_DIR/--w--/2025-01-02T03-04-05-000Z_begun-in-2025.jsonl"
`

// TestTables runs the commands of docs/tables.md in their order, in each shell, with a server in place of the buckets that the
// page names. What DuckDB reads of the tables is run by scripts/interop.
func TestTables(t *testing.T) {
	t.Parallel()
	page := read(t, "tables.md")
	commands := fenced(page, "sh")
	wants := []string{"-o 's3://", " remote:", "writer=*", "--prune"}
	if len(commands) != len(wants) {
		t.Fatalf("%d blocks of commands", len(commands))
	}
	for i, want := range wants {
		if !strings.Contains(commands[i], want) {
			t.Fatalf("block %d is %q, which has no %q", i, commands[i], want)
		}
	}
	for _, name := range []string{"bash", "dash", "zsh"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := remotetest.NewServer(t, false)
			server.Page = 1000
			for _, team := range []string{"team", "red", "blue"} {
				server.Objects[team+"/v1/remote.json"] = remotetest.Marked()
			}
			there := strings.NewReplacer(
				"s3://reports/", "s3://"+remotetest.BucketName+"/", "https://storage.example", server.URL,
				"s3://ci-sessions/team", "'s3://"+remotetest.BucketName+"/team?endpoint="+server.URL+"'",
				"s3://ci-sessions/red", "'s3://"+remotetest.BucketName+"/red?endpoint="+server.URL+"'",
				"s3://ci-sessions/blue", "'s3://"+remotetest.BucketName+"/blue?endpoint="+server.URL+"'")
			block := func(i int) string { return there.Replace(commands[i]) + "\n" }
			dir := t.TempDir()
			run := func(script string) string {
				t.Helper()
				stdout, stderr, err := shellOf(t, name, dir, "export AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=hunter2 XDG_CACHE_HOME=\"$PWD/cache\"\n"+script)
				if err != nil || stderr != "" {
					t.Fatalf("status %d: %s%s\n%s", status(err), stdout, stderr, script)
				}
				return stdout
			}
			run(twoSessions + there.Replace("for team in s3://ci-sessions/team s3://ci-sessions/red s3://ci-sessions/blue; do sess-sync push -q -a --remote \"$team\"; done\n"))

			run(block(0))
			inBucket := []string{}
			for name := range server.Objects {
				if name, ok := strings.CutPrefix(name, "tables/"); ok && strings.HasSuffix(name, ".parquet") {
					inBucket = append(inBucket, name)
				}
			}
			slices.Sort(inBucket)
			run(block(1))
			files := strings.Fields(run("cd tables && find . -name '*.parquet' | sed 's/^..//' | LC_ALL=C sort\n"))
			if diff := cmp.Diff(files, inBucket); diff != "" || len(files) != 8 {
				t.Errorf("in the directory, and in the bucket:\n%s", diff)
			}
			views := run("sess-table --views -o tables")
			remote, _, _ := strings.Cut(block(1), "\n") // which a person has set once
			old := filepath.Join(dir, "tables/sessions/day=2025-01-02/part.parquet")
			before := read(t, old)
			run(remote + "\n" + block(3))
			if !strings.Contains(before, "begun-in-2025") || strings.Contains(read(t, old), "begun-in-2025") {
				t.Error("the session of 2025 had no row, or has one after --prune")
			}

			run("rm -r tables")
			if united := run(block(2)); strings.Count(united, "create ") < strings.Count(views, "create ") || !strings.Contains(united, "writer") {
				t.Errorf("the views of several writers are\n%s", united)
			}
			for _, view := range []string{"usage_once", "calls_once", "ancestors"} {
				if !strings.Contains(page, "| `"+view+"` |") || !strings.Contains(views, view) {
					t.Errorf("no view %s on the page, or in\n%s", view, views)
				}
			}
		})
	}
}
