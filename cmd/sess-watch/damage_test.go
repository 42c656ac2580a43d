package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
)

// A state of a session that cannot be read whole is no state to wait for, unless that is let pass.
func TestDamage(t *testing.T) {
	t.Parallel()
	const head = `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hi"}}` + "\n"
	const reply = `{"type":"message","id":"a0000002","parentId":"a0000001","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[],"stopReason":"stop"}}` + "\n"
	for _, tt := range []struct {
		name, text string
		old        bool
		flags      string
		want       int
	}{
		{"whole", head + reply, false, "--state answered", 0},
		{"a damaged line", head + `{"type":"mess` + "\n" + reply, false, "--state answered", 2},
		{"a parent that is missing", head + strings.Replace(reply, `"a0000001"`, `"b0000001"`, 1), false, "--state answered", 2},
		{"a line that is being written", head + reply + `{"type":"mess`, false, "--state answered", 0},
		{"a line that was left torn", head + reply + `{"type":"mess`, true, "--state answered", 2},
		{"not waited for", head + `{"type":"mess` + "\n" + reply, false, "--once", 0},
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		must.Do(t, os.WriteFile(path, []byte(tt.text), 0o600))
		if tt.old {
			must.Do(t, os.Chtimes(path, time.Now(), time.Now().Add(-time.Hour)))
		}
		var out, errs bytes.Buffer
		if status := cli.Run(t.Context(), tool, strings.NewReader(""), &out, &errs, append(strings.Fields(tt.flags), path)); status != tt.want {
			t.Errorf("%s: status %d, want %d: %s%s", tt.name, status, tt.want, &out, &errs)
		}
	}
}
