package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
)

// TestMark: a run with a mark says and writes what one without it does, whatever changed in between.
func TestMark(t *testing.T) {
	dir := t.TempDir()
	store, out := filepath.Join(dir, "store", "--w--"), filepath.Join(dir, "out")
	t.Setenv("SESS_DIR", filepath.Dir(store))
	must.Do(t, os.MkdirAll(store, 0o700))
	file := func(i int) string {
		return filepath.Join(store, fmt.Sprintf("2026-01-0%dT03-04-05-678Z_s%d.jsonl", i, i))
	}
	const header = `{"type":"session","version":3,"id":"s%d","timestamp":"2026-01-0%dT03:04:05.678Z","cwd":"/w"}` + "\n"
	add := func(i int, text string) {
		t.Helper()
		f, err := os.OpenFile(file(i), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		must.Do(t, err)
		_, err = f.WriteString(text)
		must.Do(t, errors.Join(err, f.Close()))
	}
	for i := range 3 {
		add(i+1, fmt.Sprintf(header, i+1, i+1))
	}
	later := tool
	later.New = func() ([]cli.Flag, cli.Action) { // or all files were written to just now
		c := &config{now: func() time.Time { return time.Now().Add(time.Hour) }}
		return c.flags(), c.run
	}
	mark := filepath.Join(out, markName)
	sync := func(flags ...string) string {
		t.Helper()
		var text, errs bytes.Buffer
		status := cli.Run(t.Context(), later, strings.NewReader(""), &text, &errs, append([]string{"--all", "-o", out}, flags...))
		return fmt.Sprintf("%d\n%s%s", status, &text, &errs)
	}
	part := filepath.Join(out, "calls", "day=2026-01-02", partName)
	if got := sync(); !strings.HasPrefix(got, "0\n") {
		t.Fatal(got)
	}
	for name, change := range map[string]func(){
		"nothing": func() {},
		"an entry": func() {
			add(1, `{"type":"custom","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","customType":"x"}`+"\n")
		},
		"a new session": func() { add(4, fmt.Sprintf(header, 4, 4)) },
		"a copy": func() {
			must.Do(t, os.WriteFile(filepath.Join(store, "copy.jsonl"), fmt.Appendf(nil, header+"\n", 2, 2), 0o600))
		},
		"a session gone":    func() { must.Do(t, os.Remove(file(3))) },
		"a part gone":       func() { must.Do(t, os.Remove(part)) },
		"a part damaged":    func() { must.Do(t, os.WriteFile(part, []byte("PAR1 and more"), 0o600)) },
		"a foreign mark":    func() { must.Do(t, os.WriteFile(mark, []byte("00\n"), 0o600)) },
		"a segmented store": func() { must.Do(t, os.Mkdir(strings.TrimSuffix(file(1), ".jsonl")+".v2", 0o700)) },
	} {
		var said []string
		for _, marked := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, %t", name, marked), func(t *testing.T) {
				// Each has the same beginning.
				must.Do(t, errors.Join(os.RemoveAll(out), os.RemoveAll(store), os.Mkdir(store, 0o700)))
				for i := range 3 {
					add(i+1, fmt.Sprintf(header, i+1, i+1))
				}
				sync()
				if got := sync(); got != "1\n" {
					t.Fatal(got)
				}
				if _, err := os.Stat(mark); err != nil {
					t.Fatal(err)
				}
				change()
				if !marked {
					_ = os.Remove(mark)
				}
				got := strings.ReplaceAll(sync(), dir, "DIR")
				if said = append(said, got); !strings.HasPrefix(got, wants[name]) || got != said[0] {
					t.Errorf("%q, and with a mark %q", got, said[0])
				}
				if name == "a part damaged" {
					return // it stays so
				}
				if again := strings.ReplaceAll(sync(), dir, "DIR"); !strings.HasPrefix(again, "1\n") {
					t.Errorf("again: %q", again)
				}
			})
		}
	}
	// Other flags are another table.
	must.Do(t, os.RemoveAll(out))
	sync()
	sync()
	if got := sync("--content"); !strings.HasPrefix(got, "0\n") {
		t.Errorf("with texts: %q", got)
	}
}

// wants is what a run says behind a change.
var wants = map[string]string{
	"nothing":           "1\n",
	"an entry":          "0\nDIR/out/messages/day=2026-01-01/part.parquet\n",
	"a new session":     "0\nDIR/out/messages/day=2026-01-04/part.parquet\n",
	"a copy":            "0\nDIR/out/messages/day=2026-01-02/part.parquet\n",
	"a session gone":    "1\n",
	"a part gone":       "0\nDIR/out/messages/day=2026-01-02/part.parquet\n",
	"a part damaged":    "2\n",
	"a foreign mark":    "1\n",
	"a segmented store": "",
}
