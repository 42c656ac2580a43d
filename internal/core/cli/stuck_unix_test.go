//go:build unix

package cli

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/must"
)

// Full pipes at standard output and standard error hold no tool that was told to stop, whatever it still has to say.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(ctx context.Context, s *Streams) error{
		"output": func(ctx context.Context, s *Streams) error {
			for ctx.Err() == nil {
				if _, err := io.WriteString(s.Out, strings.Repeat("x", 1<<16)); err != nil {
					return err
				}
			}
			return ctx.Err()
		},
		"the rest of the output": func(ctx context.Context, s *Streams) error {
			_, err := io.WriteString(s.Out, "x")
			<-ctx.Done()
			return err
		},
		"messages": func(ctx context.Context, s *Streams) error {
			for ctx.Err() == nil {
				s.Infof("%s", strings.Repeat("x", 1<<12))
			}
			return ctx.Err()
		},
		"the last message": func(ctx context.Context, _ *Streams) error {
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			must.Do(t, err)
			defer r.Close()
			must.Do(t, w.SetWriteDeadline(time.Now().Add(20*time.Millisecond)))
			for err == nil {
				_, err = w.Write(make([]byte, 1<<16))
			}
			must.Do(t, w.SetWriteDeadline(time.Time{}))
			ctx, cancel := context.WithCancel(t.Context())
			tool := Tool{Name: "sess-demo", New: func() ([]Flag, Action) {
				return nil, func(ctx context.Context, s *Streams, _ []string) error {
					time.AfterFunc(50*time.Millisecond, cancel)
					return act(ctx, s)
				}
			}}
			ended := make(chan int, 1)
			go func() { ended <- Run(ctx, tool, nil, w, w, nil) }()
			select {
			case status := <-ended:
				if status != ExitInterrupted {
					t.Errorf("status %d", status)
				}
			case <-time.After(10 * time.Second): // a second, on a machine that is not busy
				t.Error("it does not end")
			}
		})
	}
}
