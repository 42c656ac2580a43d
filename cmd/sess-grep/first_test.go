package main

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
)

// The first row comes while the search goes on, and so does the first name: a session that is still being written is
// next, and it is not written before the row was read. Without a flush both would wait
// for ever.
func TestFirstRow(t *testing.T) {
	t.Parallel()
	path := must.Write(t, t.TempDir(), "s.jsonl", header+entries(message("user", `"a needle"`)))
	for flag, want := range map[string][2]string{
		"-I": {"e001:user:a needle\n", "e001:user:another needle\n"},
		"-l": {path + "\n", "(standard input)\n"},
	} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			stdin, session := io.Pipe()
			rows, stdout := io.Pipe()
			status := make(chan int)
			var errs bytes.Buffer
			go func() {
				defer stdout.Close()
				status <- cli.Run(t.Context(), tool, stdin, stdout, &errs, []string{flag, "needle", path, "-"})
			}()
			r := bufio.NewReader(rows)
			if row, err := r.ReadString('\n'); row != want[0] || err != nil {
				t.Fatalf("%q %v", row, err)
			}
			if _, err := io.WriteString(session, header+entries(message("user", `"another needle"`))); err != nil {
				t.Fatal(err)
			}
			session.Close()
			rest := make(chan []byte)
			go func() {
				text, _ := io.ReadAll(r)
				rest <- text
			}()
			if got := <-status; got != 0 || errs.Len() > 0 {
				t.Errorf("status %d: %s", got, &errs)
			}
			if text := string(<-rest); text != want[1] {
				t.Errorf("then %q", text)
			}
		})
	}
}
