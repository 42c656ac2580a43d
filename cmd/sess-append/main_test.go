package main

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/scripttest"
	"github.com/sess-tools/sess/pkg/jsonl"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main, "hold": hold})
}

func TestScript(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, "testdata")
}

// hold FILE holds the lock of FILE, as another writer does: it makes FILE.held
// once it has it, and lets go when that is gone.
func hold() {
	a, err := jsonl.OpenAppender(context.Background(), os.Args[1], jsonl.Options{})
	if err == nil {
		sign := os.Args[1] + ".held"
		err = os.WriteFile(sign, nil, 0o600)
		for ; err == nil; time.Sleep(5 * time.Millisecond) {
			_, err = os.Stat(sign)
		}
		if os.IsNotExist(err) {
			err = a.Close()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hold:", err)
		os.Exit(1)
	}
}

// A wait of 0 is none at all, not the default.
func TestWait(t *testing.T) {
	t.Parallel()
	text := "x"
	c := config{text: &text}
	if err := c.check("s.jsonl"); err != nil || c.target.Wait >= 0 {
		t.Errorf("wait %v, %v", c.target.Wait, err)
	}
}
