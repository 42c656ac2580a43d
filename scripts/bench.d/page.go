package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/template"
)

// page is docs/bench.md.
var page = template.Must(template.New("page").Parse(`# Speed

The results of ` + "`scripts/bench`" + `, which wrote this page.

Measured on {{.Machine}}. With {{.Programs}}; pi is 0.73.1.

Our tool and the peer run in turn: {{.Runs}} pairs after one to warm up, or {{.Quick}} pairs if they are very short. A very slow peer
runs once; ours runs as often as usual. The ratio is the median of the ratios of neighbouring runs. Times are medians and include starting the process.
"met" compares the ratio with the goal. Sessions are linear, and their texts log-normal with a median of 1 KB and up to 200 KB.
Some lines are made to mislead a search. By default a session has {{.Size}}, and files are in the page cache. The exponents
are those of time over size, without points that take no longer than three starts of a process. The measuring program itself
takes {{.Floor}}, so smaller peaks of memory cannot be seen.

What ` + "`sess-sync`" + ` has pulled is durable when it ends, and so is what it has pushed to a directory. The peer makes the same
promise: ` + "`cp`" + `, or ` + "`curl`" + `, and then ` + "`sync`" + ` of the file. A bucket is that of a versitygw on the same machine, which compares what is
pushed with its SHA-256 on both sides. Those that append are a process for each message.

| goal | ours | peer | ratio | goal | met |
|---|---|---|---|---|---|
{{range .Rows}}{{.}}{{end}}
## Measuring again

` + "```console" + `
$ scripts/bench --quick
$ scripts/bench --fetch
$ scripts/bench --only 'sess-ls' --runs 15
$ SESS_BENCH_DIR=/var/tmp/bench scripts/bench --full --write
` + "```" + `

The first measures a twentieth of the size, to see whether it works; the second installs the peers from npm; the third measures some more
often.

A quiet machine matters more than a fast one: compare ratios, not the times of two runs. The data is the same every time
and takes about six times the size of the large sessions.

For a change of a package its benchmarks are more precise. Run them before and after, and let benchstat separate the noise:

` + "```console" + `
$ go test -run '^$' -bench . -count 10 ./pkg/... | tee old.txt
$ go test -run '^$' -bench . -count 10 ./pkg/... | tee new.txt
$ go tool -modfile=tools/go.mod benchstat old.txt new.txt
` + "```" + `

Where time is too noisy, count instructions, which hardly vary:

` + "```console" + `
$ perf stat -e instructions:u -r 5 sess-path big.jsonl > /dev/null
` + "```" + `
`))

// writePage writes the results as a page.
func (b *bench) writePage(ctx context.Context, name string, rows []row) error {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = r.markdown()
	}
	var text strings.Builder
	err := page.Execute(&text, map[string]any{
		"Machine": b.machine(), "Programs": strings.Join(b.programs(ctx), ", "),
		"Runs": b.runs, "Quick": 8 * b.runs, "Size": size(float64(b.size)), "Floor": size(float64(ownPeak())), "Rows": lines,
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return os.WriteFile(name, []byte(text.String()), 0o666)
}
