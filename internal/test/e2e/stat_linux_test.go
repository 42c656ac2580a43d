package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// Plots fit the terminal, and have ASCII characters where the locale has no others; the
// table of --table has headings and all columns there.
func TestStatOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check(t, os.CopyFS(filepath.Join(dir, "store"), os.DirFS("../../readers/usage/testdata/forks")))
	for _, columns := range []uint16{40, 80, 200} {
		for _, locale := range []string{"C", "C.UTF-8"} {
			for _, plot := range []string{"--plot bars --by day", "--plot line --by hour", "--plot bars --by session,model", "--plot bars --context --by role,kind"} {
				text := onColumns(t, dir, columns, "sh", "-c", "LC_ALL="+locale+" exec sess-stat --tz UTC --cost stored "+plot+" store")
				widest, ascii := 0, true
				for line := range strings.Lines(text) {
					widest = max(widest, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
					ascii = ascii && len(line) == utf8.RuneCountInString(line)
				}
				if widest > int(columns) || widest < int(columns)*8/10 || ascii != (locale == "C") {
					t.Errorf("%s in %s, %d columns: the widest line has %d\n%s", plot, locale, columns, widest, text)
				}
			}
		}
	}
}

// The compositions of the manual: a gate behind a gate, rows for awk, addresses for others.
func TestStatComposes(t *testing.T) {
	t.Parallel()
	dir := planted(t)
	check(t, os.CopyFS(filepath.Join(dir, "store"), os.DirFS("../../readers/usage/testdata/forks")))
	for script, want := range map[string]string{
		`sess-stat --cost stored --by day --tz UTC store | awk -F'\t' '$1 != "total" { n += $2 } END { print n }'`:                                                                                            "11\n",
		`sess-stat --cost stored --by session --sort cost --limit 1 store | cut -f1 | head -1`:                                                                                                                "11111111-0000-7000-8000-000000000001\n",
		`sess-check -q store/*11111111* && sess-stat --usage --max-cost 1 --strict-prices store/*11111111* >/dev/null && echo pass`:                                                                           "pass\n",
		`sess-stat --usage --max-cost 0.01 --strict-prices store/*11111111* >/dev/null 2>&1 || echo $?`:                                                                                                       "1\n",
		`cat store/*11111111* | sess-stat --usage --cost stored --by branch | cut -f1,2`:                                                                                                                      "abandoned\t1\nactive\t3\ntotal\t4\n",
		`sess-stat --agent all --by agent,session --json -q | grep -o '"address":"[^"]*"' | cut -d'"' -f4 | xargs -n1 sess-path --as text | grep -o 'planted needle in [a-z]*' | sort -u | wc -l | tr -d ' '`: strconv.Itoa(len(planters)) + "\n",
		`SESS_DIR=store/.. sess-stat --cost stored -a --csv --by model | head -2`:                                                                                                                             "model,calls,input,output,cacheRead,cacheWrite,reasoning,total,cost,priced-by\nclaude-sonnet-4-5,9,252153,1737,16500,4500,0,274890,0.081100000,stored\n",
	} {
		if got := runCommand(t, dir, "", "sh", "-c", script); got.stdout != want {
			t.Errorf("%s: %q, want %q: %s", script, got.stdout, want, got.stderr)
		}
	}
}
