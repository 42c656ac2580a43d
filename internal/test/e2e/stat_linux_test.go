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
			for _, plot := range []string{"--plot --by day", "--line --by hour", "--plot --by session,model", "--plot --context --by role,kind"} {
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
	text := onColumns(t, dir, 120, "sess-stat", "--tz", "UTC", "--cost", "stored", "--table", "--by", "day", "store")
	want := `day         calls    input  output  cacheRead  cacheWrite  reasoning    total     cost  priced-by
2026-11-01      5    2,520     750      6,100       4,500          0   13,870  $0.0786  stored
2026-11-02      3       63      30     10,500           0          0   10,593  $0.0060  stored
2026-11-03      3  254,070   1,157          0           0          0  255,227  $0.0155  stored
total          11  256,653   1,937     16,600       4,500          0  279,690  $0.1001  stored
`
	if strings.ReplaceAll(strings.ReplaceAll(text, "\x1b[1m", ""), "\x1b[0m", "") != want {
		t.Errorf("\n%s", text)
	}
	text = onColumns(t, dir, 120, "sess-stat", "--table", "--color", "never", "--context", "--by", "role,kind", filepath.Join("store", "2026-11-03T10-00-22-022Z_33333333-0000-7000-8000-000000000001.jsonl"))
	want = `role               kind      tokens   share  entries  bytes
outside            outside  250,997  100.0%        0      0
assistant          text           1    0.0%        1     26
compactionSummary  summary        1    0.0%        1     88
user               text           1    0.0%        1     26
total                       251,000  100.0%        3    140
`
	if text != want {
		t.Errorf("\n%s", text)
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
