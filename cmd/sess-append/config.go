package main

import (
	"os"
	"strings"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

type config struct {
	role, file, typ                   string
	text, label, title                *string
	at                                string
	entries, force, isError           bool
	set, setJSON                      []string
	api, model, provider, usage, stop string
	callID, toolName, customType      string
	json, dryRun                      bool
	maxChars                          int
	blobs                             string
	target                            operand.TargetOptions
}

func (c *config) flags() []clikit.Flag {
	flags := []clikit.Flag{
		clikit.String(&c.role, "role=, r", "", ": user (default), assistant, system, toolResult, …"),
		clikit.Optional(&c.text, "text, t", ""),
		clikit.String(&c.file, "file, f", "", "the message, or with --entries the entries,"),
		clikit.Bool(&c.entries, "entries", "read JSON lines, messages or whole entries"),
		clikit.String(&c.typ, "type=", "", " with the members from --set and --set-json"),
		clikit.Optional(&c.label, "label", "label an entry `NAME`; an empty name removes its label"),
		clikit.Optional(&c.title, "title=", "; an empty one removes it"),
		clikit.String(&c.at, "at", "", "label"),
		clikit.Bool(&c.force, "force-type", "accept entries of unknown type, and messages of unknown role or shape"),
		clikit.Strings(&c.set, "set", "set the string member `KEY=VALUE` of the entry, or of the message"),
		clikit.Strings(&c.setJSON, "set-json", "set the member `KEY=JSON`"),
		clikit.String(&c.target.Parent, "parent", "", ""),
		clikit.String(&c.target.ExpectLeaf, "expect-leaf", "", "add"),
		clikit.String(&c.api, "api", "", "the `API` an assistant message came through"),
		clikit.String(&c.provider, "provider", "", ""),
		clikit.String(&c.model, "model", "", ""),
		clikit.String(&c.usage, "usage-json", "", "the usage of an assistant message, as any API reports it: a `JSON` object"),
		clikit.String(&c.stop, "stop-reason", "", "the `REASON` why an assistant message ended"),
		clikit.String(&c.callID, "tool-call-id", "", "the `ID` of the call that a toolResult answers"),
		clikit.String(&c.toolName, "tool-name", "", "the `NAME` of the tool that a toolResult is from"),
		clikit.Bool(&c.isError, "error=", ""),
		clikit.String(&c.customType, "custom-type", "", "the `TYPE` of a custom message"),
		clikit.Int(&c.maxChars, "max-chars", 0, "cut strings longer than `N` UTF-16 units, as oh-my-pi does"),
		clikit.String(&c.blobs, "blobs", "", "put images, which leave references behind, among"),
	}
	return append(append(flags, c.target.Flags()...),
		clikit.Bool(&c.json, "json", "each new entry: the entry itself"),
		clikit.Bool(&c.dryRun, "dry-run, n", "the new entries"),
	)
}

// check refuses flags that contradict each other, and completes the rest.
func (c *config) check(name string) error {
	if err := operand.Writable(name); err != nil {
		return err
	}
	filter := name == "" || name == "-"
	stdin := c.text == nil && (c.file == "" || c.file == "-") && c.typ == "" && !c.notes()
	texts := clikit.Exclusive(clikit.NameIf(c.text != nil, "--text"), clikit.NameIf(c.file != "", "--file"))
	switch {
	case c.label != nil && c.title != nil:
		return clikit.UsageError("--label and --title exclude each other")
	case c.notes() && (c.text != nil || c.file != "" || c.typ != "" || c.role != "" || c.entries || len(c.set)+len(c.setJSON) > 0):
		return clikit.UsageError("--label takes nothing but --at, and --title nothing")
	case c.at != "" && c.label == nil:
		return clikit.UsageError("--at goes with --label")
	case texts != nil:
		return texts
	case c.entries && (c.text != nil || c.typ != "" || c.role != ""):
		return clikit.UsageError("--entries takes its entries from standard input or --file")
	case c.entries && len(c.set)+len(c.setJSON) > 0:
		return clikit.UsageError("--set and --set-json go with a message or --type")
	case c.typ != "" && (c.text != nil || c.file != "" || c.role != ""):
		return clikit.UsageError("--type takes its members from --set and --set-json")
	case filter && stdin:
		return clikit.WithHint(clikit.UsageError("the session is on standard input: no place for the text"), "use --text or --file, or name the session")
	case filter && c.json:
		return clikit.UsageError("--json needs a session file: without one the session is printed")
	}
	if c.maxChars < 0 || c.maxChars > 0 && c.maxChars < convo.MinPersistChars {
		return clikit.UsageError("--max-chars %d: want at least %d", c.maxChars, convo.MinPersistChars)
	}
	if err := c.checkUsage(); err != nil {
		return err
	}
	c.target.Whole = c.entries || c.typ != "" || c.label != nil // for the entries that addresses name
	c.target.Settle()
	if c.role == "tool" {
		c.role = session.RoleToolResult
	}
	if err := c.checkWords(); err != nil {
		return err
	}
	return c.checkRole()
}

// notes reports whether a label or a title is added, and no message.
func (c *config) notes() bool { return c.label != nil || c.title != nil }

// checkUsage makes a usage of ours of what an API reports.
func (c *config) checkUsage() error {
	if c.usage == "" {
		return nil
	}
	if err := clikit.UTF8("--usage-json", c.usage); err != nil {
		return err
	}
	usage, ok := oneLine(c.usage)
	if !ok || !strings.HasPrefix(usage, "{") {
		return clikit.UsageError("--usage-json is no JSON object")
	}
	full, err := session.UsageOf(usage)
	if err != nil {
		return clikit.UsageError("--usage-json: %s", strings.TrimPrefix(err.Error(), session.ErrRefused.Error()+": "))
	}
	c.usage = full
	return nil
}

// checkWords refuses roles and types that are not known, unless they are forced.
func (c *config) checkWords() error {
	if c.force {
		return nil
	}
	if c.role != "" {
		if err := clikit.RefuseUnknown("role", c.role, session.Roles()); err != nil {
			return err
		}
	}
	if c.typ != "" {
		return clikit.RefuseUnknown("entry type", c.typ, session.Types())
	}
	return nil
}

// checkRole refuses flags that say something about messages of another role,
// which would be lost. With --entries they may be for some of them.
func (c *config) checkRole() error {
	if c.entries {
		return nil
	}
	flags := []struct {
		name  string
		given bool
		role  string
	}{
		{"--api", c.api != "", session.RoleAssistant},
		{"--provider", c.provider != "", session.RoleAssistant},
		{"--model", c.model != "", session.RoleAssistant},
		{"--usage-json", c.usage != "", session.RoleAssistant},
		{"--stop-reason", c.stop != "", session.RoleAssistant},
		{"--tool-call-id", c.callID != "", session.RoleToolResult},
		{"--tool-name", c.toolName != "", session.RoleToolResult},
		{"--error", c.isError, session.RoleToolResult},
		{"--custom-type", c.customType != "", session.RoleCustom},
	}
	for _, f := range flags {
		if f.given && c.role != f.role {
			return clikit.UsageError("%s goes with --role %s", f.name, f.role)
		}
	}
	return nil
}

func (c *config) defaults() session.Defaults {
	d := operand.Defaults(c.provider, c.model)
	d.API, d.StopReason, d.Usage = c.api, c.stop, c.usage
	return d
}

// one returns the one operand there may be.
func one(operands []string) (string, error) {
	name, err := operand.One(operands)
	if err != nil && len(operands) > 1 {
		err = clikit.WithHint(err, "a text stands behind -t: sess-append -t %s", clikit.ShellWords(textFirst(operands)))
	}
	return name, err
}

// textFirst returns two operands, one of which is a text, with the session behind the text.
func textFirst(operands []string) []string {
	if _, err := os.Stat(operands[0]); err == nil {
		return []string{operands[1], operands[0]}
	}
	return operands[:2]
}
