package pager_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/pager"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

// A run that has printed more than fits, and finds nothing more, ends when the user leaves the pager: as one that is done.
func TestLeavingThePagerEndsTheRun(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("SESS_PAGER", "head -n 1")
	person, terminal := scripttest.OpenTerminal(t, 24, 80)
	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(person) // ends in EIO when the terminal is closed
		shown <- string(text)
	}()
	tool := cli.Tool{Name: "sess-demo", New: func() ([]cli.Flag, cli.Action) {
		return nil, pager.Of(func(ctx context.Context, s *cli.Streams, _ []string) error {
			for i := range 100 {
				if _, err := fmt.Fprintln(s.Out, "row", i); err != nil {
					return err
				}
			}
			if err := s.Flush(); err != nil {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		})
	}}
	var errs strings.Builder
	status := cli.Run(t.Context(), tool, strings.NewReader(""), terminal, &errs, nil)
	if err := terminal.Close(); err != nil {
		t.Fatal(err)
	}
	if text := <-shown; status != 0 || errs.String() != "" || !strings.HasPrefix(text, "row 0") || strings.Contains(text, "row 1") {
		t.Errorf("status %d, %q, %q on the terminal", status, errs.String(), text)
	}
}
