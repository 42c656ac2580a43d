package address

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		operand, args string // no args for what is no address
		hint          string
	}{
		{"codex:0199abcd", "codex --session=0199abcd", "sess-import codex --session 0199abcd -o FILE"},
		{"codex:", "codex --recent", "sess-import codex --recent -o FILE"},
		{"codex:.", "codex --recent --cwd=.", "sess-import codex --recent --cwd '.' -o FILE"},
		{"claude:/w/a b", "claude --recent --cwd=/w/a b", "sess-import claude --recent --cwd '/w/a b' -o FILE"},
		{"claude:../x", "claude --recent --cwd=../x", "sess-import claude --recent --cwd '../x' -o FILE"},
		{"pi:.x", "pi --session=.x", "sess-import pi --session '.x' -o FILE"},
		{"pi:a name", "pi --session=a name", "sess-import pi --session 'a name' -o FILE"},
		{"zeroclaw:telegram:1:2", "zeroclaw --session=telegram:1:2", "sess-import zeroclaw --session 'telegram:1:2' -o FILE"},
		{"pi:--store", "pi --session=--store", "sess-import pi --session '--store' -o FILE"},
		{"omp:it's", "omp --session=it's", `sess-import omp --session 'it'\''s' -o FILE`},
		{"remote:01a1fc13", "cat -- 01a1fc13", "sess-sync pull 01a1fc13 makes a file of it"},
		{"remote:-x y", "cat -- -x y", "sess-sync pull '-x y' makes"},
		{"./codex:x", "", ""},
		{"codex", "", ""},
		{"", "", ""},
		{"-", "", ""},
		{":x", "", ""},
		{"openai:x", "", ""}, // has no store
		{"notes:x", "", ""},
		{"Codex:x", "", ""},
		{"a/pi:x", "", ""},
		{"C:x", "", ""},
	} {
		a, ok := parseAddress(tt.operand)
		if ok != (tt.args != "") || ok && (strings.Join(a.args(), " ") != tt.args || a.String() != tt.operand) {
			t.Errorf("%q: %q, %t", tt.operand, a.args(), ok)
		}
		err := Writable(tt.operand)
		if (err != nil) != ok || ok && cli.Status(err) != cli.ExitUsage {
			t.Errorf("%q is writable: %v", tt.operand, err)
		}
		var said strings.Builder
		if ok {
			cli.Run(t.Context(), cli.Tool{Name: "x", New: func() ([]cli.Flag, cli.Action) {
				return nil, func(_ context.Context, _ *cli.Streams, _ []string) error { return err }
			}}, nil, &said, &said, nil)
			if !strings.Contains(said.String(), tt.hint) {
				t.Errorf("%q: %s", tt.operand, said.String())
			}
		}
	}
}

// Every agent that has a place for its sessions can be addressed.
func TestAgents(t *testing.T) {
	t.Parallel()
	for _, f := range all.Formats() {
		about := f.About()
		if _, ok := parseAddress(about.Name + ":x"); about.Home != nil && !ok {
			t.Errorf("%s has a place for sessions, and they cannot be addressed", about.Name)
		}
	}
}

// An address is never taken for standard input, which other tools may seek in.
func TestForeignIsNotStdin(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "large")
	must.Do(t, os.WriteFile(path, []byte(header), 0o600))
	f, err := os.Open(path)
	must.Do(t, err)
	defer f.Close()
	cli.Run(t.Context(), cli.Tool{Name: "x", New: func() ([]cli.Flag, cli.Action) {
		return nil, func(_ context.Context, s *cli.Streams, _ []string) error {
			in := &Input{ReadCloser: f, streams: s}
			if _, _, ok := in.Large(1); !ok {
				t.Error("a file is not large enough")
			}
			in = &Input{ReadCloser: nil, streams: s}
			if _, _, ok := in.Large(1); !ok {
				t.Error("standard input is not large enough")
			}
			in.foreign = true
			if _, _, ok := in.Large(1); ok {
				t.Error("took standard input for another agent's session")
			}
			return nil
		}
	}}, f, os.Stderr, os.Stderr, nil)
}

// An address that means another session later on is by id in rows; what is no address of the
// session by its id stays.
func TestPlaceOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ operand, path, session, want string }{
		{"s.jsonl", "s.jsonl", "abcd1234", "s.jsonl"},
		{"abcd", "/store/s.jsonl", "abcd1234", "/store/s.jsonl"},
		{"", "", "abcd1234", ""},
		{"-", "", "abcd1234", ""},
		{"claude:", "", "abcd1234", "claude:abcd1234"},
		{"claude:/w", "", "abcd1234", "claude:abcd1234"},
		{"claude:abcd", "", "abcd1234", "claude:abcd1234"},
		{"opencode:slug", "", "ses_1", "opencode:slug"},
		{"remote:abcd", "", "abcd1234", "remote:abcd1234"},
		{"claude:", "", "", "claude:"},
	} {
		got := placeOf(tt.operand, tt.path, tt.session)
		if got.Address != tt.want || got.Path != tt.path || got.Session != tt.session {
			t.Errorf("%s: %+v, want %s", tt.operand, got, tt.want)
		}
	}
}
