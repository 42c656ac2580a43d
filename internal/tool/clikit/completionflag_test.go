package clikit_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/tool/clikit"
)

func TestCompletionFlag(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args   string
		status int
		stdout string // "script": what Completion writes
		stderr string
	}{
		{"--completion bash", clikit.ExitDone, "script", ""},
		{"--completion zsh", clikit.ExitDone, "script", ""},
		{"--completion fish", clikit.ExitDone, "script", ""},
		{"--completion tcsh", clikit.ExitUsage, "", "want bash, zsh, fish"},
		{"--completion", clikit.ExitUsage, "", "unknown flag --completion"},
		{"--completion bash x", clikit.ExitUsage, "", "unknown flag --completion"},
		{"--text --completion bash --completion", clikit.ExitUsage, "", "unknown flag --completion"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(tt.args)
			want := ""
			if tt.stdout == "script" {
				var b bytes.Buffer
				if err := clikit.Completion(&b, args[1], []clikit.Tool{demo(nil)}); err != nil {
					t.Fatal(err)
				}
				want = b.String()
			}
			var out, errs bytes.Buffer
			status := clikit.Run(t.Context(), demo(nil), strings.NewReader(""), &out, &errs, args)
			if status != tt.status || out.String() != want || !strings.Contains(errs.String(), tt.stderr) {
				t.Errorf("status %d, want %d; stderr %q; stdout %q", status, tt.status, errs.String(), out.String())
			}
		})
	}
}
