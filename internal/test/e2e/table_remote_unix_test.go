//go:build unix

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tables of a remote are made without a copy of its sessions: what is new is read once, and nothing else. They are those of a machine
// that makes them anew.
func TestTablesOfARemote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(want int, args ...string) string {
		t.Helper()
		args = append([]string{"SESS_REMOTE=" + filepath.Join(dir, "remote")}, args...)
		r := runCommand(t, dir, "", args...)
		if r.status != want {
			t.Fatalf("%q: status %d, want %d\n%s%s", args[1:], r.status, want, r.stdout, r.stderr)
		}
		return r.stdout
	}
	script := func(text string) { t.Helper(); run(0, "sh", "-euc", text) }
	const add = `add() { printf '{"type":"message","id":"%s","parentId":null,"timestamp":"2026-01-0'$1'T03:04:06.000Z","message":{"role":"user","content":"%s","timestamp":%s}}\n' "$2" "$3" $((1767236646000 + ($1-1)*86400000)) >>store/--w--/2026-01-0$1T03-04-05-678Z_s$1.jsonl; }; `
	script(`mkdir -p store/--w-- remote`)
	run(0, "sess-sync", "init", "remote")
	script(add + `for i in 1 2 3; do
		printf '{"type":"session","version":3,"id":"s%s","timestamp":"2026-01-0%sT03:04:05.678Z","cwd":"/w"}\n' $i $i >store/--w--/2026-01-0${i}T03-04-05-678Z_s$i.jsonl
		add $i a$i "words of session $i"
	done
	secret=AKIA$(printf %s Z7QXW3RT5PLM2K4N)
	add 3 b3 "key=$secret"
	sess-redact store/--w--/*_s3.jsonl -o clean.jsonl
	mv clean.jsonl store/--w--/2026-01-03T03-04-05-678Z_s3.jsonl
	sess-sync push -q -a
	mv store away; mkdir store`)
	if got := run(0, "sess-table", "-o", "tables", "--content", "remote:"); strings.Count(got, "\n") != 12 {
		t.Fatalf("the first time:\n%s", got)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "store", "*")); err != nil || len(left) > 0 {
		t.Fatalf("sessions came here: %v, %v", left, err)
	}
	same := func(flags ...string) {
		t.Helper()
		script("rm -rf anew cache")
		run(0, append([]string{"sess-table", "-o", "anew", "remote:"}, flags...)...)
		script("diff -r -x '.*' tables anew")
	}
	same("--content")
	run(1, "sess-table", "-o", "tables", "--content", "remote:")

	// What is not new is not read: its parts can be away.
	script(add + `mv store none; mv away store; add 2 c2 'more words'; sess-sync push -q -a; mv store away; mv none store
	mkdir hidden
	for id in s1 s3; do d=$(echo remote/v1/s/*/$id); mv "$d" hidden/; done`)
	if got, want := run(0, "sess-table", "-o", "tables", "--content", "remote:"), "day=2026-01-02/"; strings.Count(got, "\n") != 4 || strings.Count(got, want) != 4 {
		t.Fatalf("one that grew:\n%s", got)
	}
	run(1, "sess-table", "-o", "tables", "--content", "remote:")
	script(`for id in s1 s3; do d=remote/v1/s/$(printf $id | sha256sum | cut -c1-2); mkdir -p $d; mv hidden/$id $d/; done`)
	same("--content")

	// With nothing new no card is listed, also behind a run that has written: a listing without cards would prune all rows.
	pruned := []string{"sess-table", "-o", "tables", "--content", "--prune", "remote:"}
	run(1, pruned...)
	script(add + `mv store none; mv away store; add 2 d2 'and more'; sess-sync push -q -a; mv store away; mv none store`)
	run(0, pruned...)
	script(`mv remote/v1/i hidden/i; mv .cache/sess hidden/cache; mkdir .cache/sess`)
	run(1, pruned...)
	run(1, pruned...)
	script(`rm -r .cache/sess; mv hidden/cache .cache/sess; mv hidden/i remote/v1/i`)
	same("--content", "--prune")

	// Another remote in the same place has other sessions, of the same sizes and beginnings.
	script(`cp -r remote tables hidden; rm -r remote; mkdir remote; sess-sync init remote
	cp -r away other; sed -i s/words/WORDS/ other/--w--/*.jsonl; rm other/--w--/.*.sync; SESS_DIR=$PWD/other sess-sync push -q -a`)
	run(0, pruned...)
	same("--content", "--prune")
	script(`rm -r remote tables; mv hidden/remote hidden/tables .; rm -r .cache/sess`)
	run(1, pruned...)
	same("--content", "--prune")

	// A cache that is torn, of another remote or gone is made again, and changes no table.
	cache := filepath.Join(dir, "tables", ".sess-table.cache")
	data, err := os.ReadFile(cache)
	ok(t, err)
	for _, text := range []string{"", string(data[:len(data)/2]), strings.ReplaceAll(string(data), `"stamp":"remote `, `"stamp":"remote 0`)} {
		ok(t, errors.Join(os.WriteFile(cache, []byte(text), 0o600), os.RemoveAll(filepath.Join(dir, "tables", ".sess-table.mark"))))
		run(1, "sess-table", "-o", "tables", "--content", "remote:")
		script("diff -r -x '.*' tables anew")
	}

	// Without texts a day is written anew without reading more than it has to.
	run(0, "sess-table", "-o", "tables", "remote:")
	same()

	// Rows that are kept for some time go, and do not come again.
	kept := []string{"sess-table", "-o", "tables", "--since", "2026-01-02", "--prune", "remote:"}
	if got := run(0, kept...); strings.Count(got, "\n") != 4 || strings.Count(got, "day=2026-01-01/") != 4 {
		t.Fatalf("with --since and --prune:\n%s", got)
	}
	run(1, kept...)
	script("rm -r tables/*/day=2026-01-01") // nothing of it is there
	run(1, kept...)
}
