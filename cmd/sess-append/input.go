package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

// An input has the message and entries that the flags and files describe, not yet part of a
// session.
type input struct {
	role, text string // of a message
	typ        string // of the entry that fields make
	fields     []js.Field
	lines      []line
	name       string // of the file the lines are from
}

type line struct {
	number int
	text   string
}

// read gathers the input. It does not look at the session.
func (c *config) read(s *cli.Streams) (*input, error) {
	fields, err := c.fields()
	if err != nil {
		return nil, err
	}
	if c.label != nil {
		fields = []js.Field{js.StringField("targetId", cmp.Or(c.at, "."))}
		if *c.label != "" {
			fields = append(fields, js.StringField("label", *c.label))
		}
		return &input{typ: session.TypeLabel, fields: fields}, cli.UTF8("--label", *c.label)
	}
	if c.title != nil {
		name := []js.Field{js.StringField("name", session.OneLine(*c.title))}
		return &input{typ: session.TypeSessionInfo, fields: name}, cli.UTF8("--title", *c.title)
	}
	if c.typ != "" {
		return &input{typ: c.typ, fields: fields}, nil
	}
	if c.entries {
		return c.readLines(s)
	}
	var text string
	if c.text != nil {
		text, err = *c.text, cli.UTF8("--text", *c.text)
	} else if text, err = s.ReadText(c.file, "text", "--text or --file"); err == nil && text == "" {
		err = cli.WithHint(cli.UsageError("no text: the input is empty"), "--text '' adds an empty message")
	}
	if err != nil {
		return nil, err
	}
	role := c.role
	if role == "" {
		role = session.RoleUser
	}
	return &input{role: role, text: text, fields: append(c.roleFields(role), fields...)}, nil
}

// roleFields are the members of a message that have a flag of their own.
func (c *config) roleFields(role string) []js.Field {
	var out []js.Field
	if role == session.RoleToolResult {
		if c.callID != "" {
			out = append(out, js.StringField("toolCallId", c.callID))
		}
		out = append(out, js.RawField("isError", fmt.Sprint(c.isError)))
	}
	return out
}

// fields are those of --set and --set-json, in that order.
func (c *config) fields() ([]js.Field, error) {
	var out []js.Field
	for _, kv := range c.set {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return nil, cli.UsageError("--set %s: want KEY=VALUE", kv)
		}
		if err := cli.UTF8("--set "+k, v); err != nil {
			return nil, err
		}
		out = append(out, js.StringField(k, v))
	}
	for _, kv := range c.setJSON {
		k, v, ok := strings.Cut(kv, "=")
		if err := cli.UTF8("--set-json "+k, v); err != nil {
			return nil, err
		}
		raw, valid := oneLine(v)
		if !ok || k == "" || !valid {
			return nil, cli.UsageError("--set-json %s: want KEY=JSON", kv)
		}
		out = append(out, js.RawField(k, raw))
	}
	if len(out) == 0 {
		return nil, nil
	}
	seen := map[string]bool{"type": true, "id": true, "parentId": true, "timestamp": c.typ != ""}
	for _, f := range out {
		if seen[f.Name] {
			return nil, cli.UsageError("%s cannot be set, or is set twice", f.Name)
		}
		seen[f.Name] = true
	}
	return out, nil
}

// oneLine returns a JSON text on one line, its numbers as they were written, and
// whether it is one.
func oneLine(text string) (string, bool) {
	var b bytes.Buffer
	err := json.Compact(&b, []byte(text))
	return b.String(), err == nil && js.Valid(b.Bytes())
}

func (c *config) readLines(s *cli.Streams) (*input, error) {
	data, err := s.ReadInput(c.file, "entries", "--file")
	if err != nil {
		return nil, err
	}
	in := &input{name: c.file}
	if c.file == "" || c.file == "-" {
		in.name = "standard input"
	}
	for l, err := range jsonl.Lines(bytes.NewReader(data)) {
		if err != nil {
			return nil, err
		}
		text := string(l.Data)
		if !utf8.ValidString(text) {
			return nil, cli.UTF8(fmt.Sprintf("%s:%d", in.name, l.Number), text)
		}
		if text = strings.TrimSpace(text); text != "" {
			in.lines = append(in.lines, line{l.Number, text})
		}
	}
	return in, nil
}

// addTo makes entries of the input. Nothing is written yet: one that is refused
// refuses all.
func (in *input) addTo(t *address.Target) error {
	b := &t.Batch
	switch {
	case in.role != "":
		_, err := b.AddMessage(in.message(t.Session))
		return err
	case in.typ != "":
		// The reference by which a label or an edit names its entry becomes the id of the entry.
		for i, f := range in.fields {
			if f.Name != "targetId" || !slices.Contains(aiming, in.typ) || f.Raw[0] != '"' {
				continue
			}
			id, err := t.Entry(js.Unquote(f.Raw))
			if err != nil {
				return err
			}
			in.fields[i] = js.StringField(f.Name, id)
		}
		if err := b.Check(in.typ, in.fields...); err != nil {
			return err
		}
		_, err := b.Add(in.typ, in.fields...)
		return err
	}
	for _, l := range in.lines {
		text, err := aimed(t, l.text)
		if err == nil {
			_, err = b.AddJSON(text)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", in.name, l.number, err)
		}
	}
	return nil
}

// message is the message that the input describes: a result has the name of the tool that was called.
func (in *input) message(s *session.Session) session.Message {
	fields := in.fields
	called := slices.IndexFunc(fields, func(f js.Field) bool { return f.Name == "toolCallId" })
	if called >= 0 && s != nil && !slices.ContainsFunc(fields, func(f js.Field) bool { return f.Name == "toolName" }) {
		if name := toolOf(s, js.Unquote(fields[called].Raw)); name != "" {
			fields = append(fields, js.StringField("toolName", name))
		}
	}
	return session.NewTextMessage(in.role, in.text, fields...)
}

// toolOf is the name of the tool of a call, the last of that id, and "" if there is none.
func toolOf(s *session.Session, id string) string {
	for _, e := range slices.Backward(s.Entries) {
		if m, ok := e.Message(); ok {
			for _, call := range m.ToolCalls() {
				if call.ID == id {
					return call.Name
				}
			}
		}
	}
	return ""
}

// aiming are the types of entries that say something of another one.
var aiming = []string{session.TypeLabel, session.TypeContextEdit}

// aimed is aim for a whole entry. The id of one that stands before it among the new ones
// is no reference.
func aimed(t *address.Target, text string) (string, error) {
	v := js.Value(text)
	target := v.Get("targetId")
	if !js.Valid([]byte(text)) || !v.IsObject() || !slices.Contains(aiming, v.Get("type").Str()) || !target.IsString() {
		return text, nil
	}
	ref := target.Str()
	if slices.ContainsFunc(t.Batch.Entries, func(e session.Entry) bool { return e.ID() == ref }) {
		return text, nil
	}
	id, err := t.Entry(ref)
	if err != nil || id == ref {
		return text, err
	}
	return string(v.With("targetId", js.Value(js.Quote(id)))), nil
}

// unended says what to do about a torn last line.
func unended(err error) error {
	if !errors.Is(err, jsonl.ErrTorn) {
		return err
	}
	return cli.WithHint(err, "--tail blank sets the torn bytes aside, and --tail end-line keeps them in a line of their own")
}

// explained says what to do about an entry that is refused.
func (c *config) explained(err error) error {
	switch {
	case errors.Is(err, session.ErrRefused) && c.role == session.RoleToolResult && c.callID == "":
		return cli.WithHint(err, "--tool-call-id ID names the call that it is the result of")
	case errors.Is(err, session.ErrRefused) && c.role == session.RoleToolResult:
		return cli.WithHint(err, "no call of the session has that id: --set toolName=NAME says whose result it is")
	case errors.Is(err, session.ErrRefused) && c.role == session.RoleCustom:
		return cli.WithHint(err, "--set customType=TYPE says what it is")
	case !errors.Is(err, session.ErrForeign):
		return err
	}
	return cli.WithHint(err, "sess-import openai and sess-import anthropic convert messages of those APIs; --force-type stores it as it is")
}

type config struct {
	role, file, typ                string
	text, label, title             *string
	at                             string
	entries, force, isError        bool
	set, setJSON                   []string
	model, provider, usage, callID string
	json, dryRun                   bool
	target                         address.TargetOptions
}

func (c *config) flags() []cli.Flag {
	return []cli.Flag{
		cli.String(&c.role, "role, r", "", "add a message of `ROLE`: user (default), assistant, system, toolResult, …"),
		cli.Optional(&c.text, "text, t", "the message is `TEXT`"),
		cli.String(&c.file, "file, f", "", "read the message, or with --entries the entries, from `FILE` (- is standard input)"),
		cli.Bool(&c.entries, "entries", "read JSON lines, messages or whole entries"),
		cli.String(&c.typ, "type", "", "add an entry of `TYPE` with the members from --set and --set-json"),
		cli.Optional(&c.label, "label", "label an entry `NAME`; an empty name removes its label"),
		cli.Optional(&c.title, "title", "the title is `TITLE`; an empty one removes it"),
		cli.String(&c.at, "at", "", "label the entry `REF` instead of the leaf"),
		cli.Bool(&c.force, "force-type", "accept entries of unknown type, and messages of unknown role or shape"),
		cli.Strings(&c.set, "set", "set the string member `KEY=VALUE` of the entry, or of the message"),
		cli.Strings(&c.setJSON, "set-json", "set the member `KEY=JSON`"),
		cli.String(&c.target.Parent, "parent", "", "add after the entry `REF` instead of the leaf; null starts a new root"),
		cli.String(&c.target.ExpectLeaf, "expect-leaf", "", "add only if `REF` is the leaf; otherwise status 4"),
		cli.String(&c.provider, "provider", "", "the `PROVIDER` of answers ($SESS_PROVIDER)"),
		cli.String(&c.model, "model", "", "the `MODEL` of answers ($SESS_MODEL)"),
		cli.String(&c.usage, "usage-json", "", "the usage of an assistant message, as any API reports it: a `JSON` object"),
		cli.String(&c.callID, "tool-call-id", "", "the `ID` of the call that a toolResult answers"),
		cli.Bool(&c.isError, "error", "the toolResult is an error"),
		c.target.TailFlag(), address.SyncFlag(&c.target.Sync), address.WaitFlag(&c.target.Wait), address.GraceVariable(&c.target.Grace),
		cli.Bool(&c.json, "json", "print a JSON object for each new entry: the entry itself"),
		cli.Bool(&c.dryRun, "dry-run, n", "print the new entries, and write nothing"),
	}
}

// check refuses flags that contradict each other, and completes the rest.
func (c *config) check(name string) error {
	if err := address.Writable(name); err != nil {
		return err
	}
	filter := name == "" || name == "-"
	stdin := c.text == nil && (c.file == "" || c.file == "-") && c.typ == "" && !c.notes()
	switch {
	case c.label != nil && c.title != nil:
		return cli.UsageError("--label and --title exclude each other")
	case c.notes() && (c.text != nil || c.file != "" || c.typ != "" || c.role != "" || c.entries || len(c.set)+len(c.setJSON) > 0):
		return cli.UsageError("--label takes nothing but --at, and --title nothing")
	case c.at != "" && c.label == nil:
		return cli.UsageError("--at goes with --label")
	case c.text != nil && c.file != "":
		return cli.Exclusive("--text", "--file")
	case c.entries && (c.text != nil || c.typ != "" || c.role != ""):
		return cli.UsageError("--entries takes its entries from standard input or --file")
	case c.entries && len(c.set)+len(c.setJSON) > 0:
		return cli.UsageError("--set and --set-json go with a message or --type")
	case c.typ != "" && (c.text != nil || c.file != "" || c.role != ""):
		return cli.UsageError("--type takes its members from --set and --set-json")
	case filter && stdin:
		return cli.WithHint(cli.UsageError("the session is on standard input: no place for the text"), "use --text or --file, or name the session")
	case filter && c.json:
		return cli.UsageError("--json needs a session file: without one the session is printed")
	}
	if c.usage != "" {
		if err := c.checkUsage(); err != nil {
			return err
		}
	}
	c.target.Whole = c.entries || c.typ != "" || c.label != nil || c.callID != "" // for the entries that addresses and calls name
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
	if err := cli.UTF8("--usage-json", c.usage); err != nil {
		return err
	}
	usage, ok := oneLine(c.usage)
	if !ok || !strings.HasPrefix(usage, "{") {
		return cli.UsageError("--usage-json is no JSON object")
	}
	full, err := metering.UsageOf(usage)
	if err != nil {
		return cli.UsageError("--usage-json: %v", err)
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
		if err := cli.RefuseUnknown("role", c.role, session.Roles()); err != nil {
			return err
		}
	}
	if c.typ != "" {
		return cli.RefuseUnknown("entry type", c.typ, session.Types())
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
		{"--provider", c.provider != "", session.RoleAssistant},
		{"--model", c.model != "", session.RoleAssistant},
		{"--usage-json", c.usage != "", session.RoleAssistant},
		{"--tool-call-id", c.callID != "", session.RoleToolResult},
		{"--error", c.isError, session.RoleToolResult},
	}
	for _, f := range flags {
		if f.given && c.role != f.role {
			return cli.UsageError("%s goes with --role %s", f.name, f.role)
		}
	}
	return nil
}

func (c *config) defaults() session.Defaults {
	d := address.Defaults(c.provider, c.model)
	d.Usage = c.usage
	return d
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
role: user (default), assistant, system, toolResult, …
text
file: read the message, or the entries, from FILE
entries
label
title
parent: add after REF instead of the leaf; null is a new root
expect-leaf
`
