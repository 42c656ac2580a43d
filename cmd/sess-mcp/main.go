// Sess-mcp lets a client of the Model Context Protocol read sessions.
//
// Usage:
//
//	sess-mcp [--print-config CLIENT]
//
// It speaks on standard input and output to the one client that started it, and ends with it. It runs the
// other tools, and changes nothing. See sess-mcp(1).
package main

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/core/tty"
)

// lines are those that add this program to a client.
var lines = map[string]string{
	"claude":   "claude mcp add --scope user sess -- sess-mcp",
	"codex":    "codex mcp add sess -- sess-mcp",
	"opencode": `{"mcp": {"sess": {"type": "local", "command": ["sess-mcp"]}}}`,
}

var tool = cli.Tool{
	Name:     "sess-mcp",
	Summary:  "let a client of the Model Context Protocol read sessions",
	Doc:      "A client starts it, and speaks to it on standard input and output.",
	Examples: "sess-mcp --print-config claude\nsess-mcp --print-config codex | sh",
	Common:   commonFlags,
	New: func() ([]cli.Flag, cli.Action) {
		client := ""
		choose := cli.Choice(&client, "print-config", []string{"", "claude", "codex", "opencode"}, "print how to add it to `CLIENT`, and end")
		return []cli.Flag{choose}, func(ctx context.Context, s *cli.Streams, operands []string) error {
			return run(ctx, s, client, operands)
		}
	},
}

func main() { cli.Main(tool) }

func run(ctx context.Context, s *cli.Streams, client string, operands []string) error {
	switch {
	case len(operands) > 0:
		return cli.UsageError("unexpected operand %q", operands[0])
	case client != "":
		_, err := io.WriteString(s.Out, lines[client]+"\n")
		return err
	case tty.IsTerminal(s.InFile()):
		return cli.WithHint(cli.UsageError("standard input is a terminal: a client starts this program"), "sess-mcp --print-config claude prints the line that adds it")
	}
	if _, err := rules.Configured(s); err != nil {
		return err
	}
	in, err := s.OpenInput("")
	if err != nil {
		return err
	}
	out := &shared{to: s.Live(), open: map[jsonrpc.ID]bool{}}
	server := mcp.NewServer(&mcp.Implementation{Name: "sess", Version: cli.Version()}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	addTools(server, s)
	if err = server.Run(ctx, &mcp.IOTransport{Reader: accepted(in, out), Writer: out}); errors.Is(err, io.EOF) {
		return nil // the client is gone
	}
	return err
}
