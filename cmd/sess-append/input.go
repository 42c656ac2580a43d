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

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// An input is what is to be added: the message and entries the flags and files
// describe, not yet part of a session.
type input struct {
	message *session.Message
	typ     string // of the entry that fields make
	fields  []js.Field
	lines   []line
	name    string // of the file the lines are from
}

type line struct {
	number int
	text   string
}

// read gathers the input. It does not look at the session.
func (c *config) read(s *clikit.Streams) (*input, error) {
	fields, err := c.fields()
	if err != nil {
		return nil, err
	}
	if c.label != nil {
		fields = []js.Field{js.StringField("targetId", cmp.Or(c.at, "."))}
		if *c.label != "" {
			fields = append(fields, js.StringField("label", *c.label))
		}
		return &input{typ: session.TypeLabel, fields: fields}, clikit.UTF8("--label", *c.label)
	}
	if c.title != nil {
		name := []js.Field{js.StringField("name", session.OneLine(*c.title))}
		return &input{typ: session.TypeSessionInfo, fields: name}, clikit.UTF8("--title", *c.title)
	}
	if c.typ != "" {
		return &input{typ: c.typ, fields: fields}, nil
	}
	if c.entries {
		return c.readLines(s)
	}
	text, err := c.readText(s)
	if err != nil {
		return nil, err
	}
	role := c.role
	if role == "" {
		role = session.RoleUser
	}
	m := session.NewTextMessage(role, text, append(c.roleFields(role), fields...)...)
	return &input{message: &m}, nil
}

// roleFields are the members of a message that have a flag of their own.
func (c *config) roleFields(role string) []js.Field {
	var out []js.Field
	str := func(name, value string) {
		if value != "" {
			out = append(out, js.StringField(name, value))
		}
	}
	switch role {
	case session.RoleToolResult:
		str("toolCallId", c.callID)
		str("toolName", c.toolName)
		out = append(out, js.RawField("isError", fmt.Sprint(c.isError)))
	case session.RoleCustom:
		str("customType", c.customType)
	}
	return out
}

// fields are those of --set and --set-json, in that order.
func (c *config) fields() ([]js.Field, error) {
	var out []js.Field
	for _, kv := range c.set {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return nil, clikit.UsageError("--set %s: want KEY=VALUE", kv)
		}
		if err := clikit.UTF8("--set "+k, v); err != nil {
			return nil, err
		}
		out = append(out, js.StringField(k, v))
	}
	for _, kv := range c.setJSON {
		k, v, ok := strings.Cut(kv, "=")
		if err := clikit.UTF8("--set-json "+k, v); err != nil {
			return nil, err
		}
		raw, valid := oneLine(v)
		if !ok || k == "" || !valid {
			return nil, clikit.UsageError("--set-json %s: want KEY=JSON", kv)
		}
		out = append(out, js.RawField(k, raw))
	}
	seen := map[string]bool{"type": true, "id": true, "parentId": true, "timestamp": c.typ != ""}
	for _, f := range out {
		if seen[f.Name] {
			return nil, clikit.UsageError("%s cannot be set, or is set twice", f.Name)
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

// textFlags are those that give what standard input gives without them.
const textFlags = "--text or --file"

// readText returns the text of the message.
func (c *config) readText(s *clikit.Streams) (string, error) {
	if c.text != nil {
		return *c.text, clikit.UTF8("--text", *c.text)
	}
	text, err := s.ReadText(c.file, "text", textFlags)
	if err == nil && text == "" {
		err = clikit.WithHint(clikit.UsageError("no text: the input is empty"), "--text '' adds an empty message")
	}
	return text, err
}

func (c *config) inputName() string {
	if c.file == "" || c.file == "-" {
		return "standard input"
	}
	return c.file
}

func (c *config) readLines(s *clikit.Streams) (*input, error) {
	data, err := s.ReadInput(c.file, "entries", "--file")
	if err != nil {
		return nil, err
	}
	in := &input{name: c.inputName()}
	for l, err := range jsonl.Lines(bytes.NewReader(data)) {
		if err != nil {
			return nil, err
		}
		text := string(l.Data)
		if !utf8.ValidString(text) {
			return nil, clikit.UTF8(fmt.Sprintf("%s:%d", in.name, l.Number), text)
		}
		if text = strings.TrimSpace(text); text != "" {
			in.lines = append(in.lines, line{l.Number, text})
		}
	}
	return in, nil
}

// addTo makes entries of the input. Nothing is written yet: one that is refused
// refuses all.
func (in *input) addTo(t *operand.Target) error {
	b := &t.Batch
	switch {
	case in.message != nil:
		_, err := b.AddMessage(*in.message)
		return err
	case in.typ != "":
		if err := in.aim(t); err != nil {
			return err
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

// aiming are the types of entries that say something of another one.
var aiming = []string{session.TypeLabel, session.TypeContextEdit}

// aimed is aim for a whole entry. The id of one that stands before it among the new ones
// is no reference.
func aimed(t *operand.Target, text string) (string, error) {
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

// aim replaces the reference by which a label or an edit names its entry with the
// entry's id.
func (in *input) aim(t *operand.Target) error {
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
	return nil
}

// unended says what to do about a torn last line.
func unended(err error) error {
	if !errors.Is(err, jsonl.ErrTorn) {
		return err
	}
	return clikit.WithHint(err, "--tail blank sets the torn bytes aside, and --tail end-line keeps them in a line of their own")
}

// explained says what to do about an entry that is refused.
func (c *config) explained(err error) error {
	switch {
	case errors.Is(err, session.ErrRefused) && c.role == session.RoleToolResult && c.callID == "":
		return clikit.WithHint(err, "--tool-call-id ID names the call that it is the result of")
	case errors.Is(err, session.ErrRefused) && c.role == session.RoleCustom && c.customType == "":
		return clikit.WithHint(err, "--custom-type TYPE says what it is")
	case !errors.Is(err, session.ErrForeign):
		return err
	}
	return clikit.WithHint(err, "sess-import openai and sess-import anthropic convert messages of those APIs; --force-type stores it as it is")
}

// limit applies --max-chars and --blobs to the new entries. Blobs are stored
// here, before any line refers to them: one that nothing refers to does no
// harm.
func (c *config) limit(b *session.Batch) error {
	limits := convo.Limits{MaxChars: c.maxChars, Blobs: c.blobs != ""}
	dir := store.OpenBlobs(c.blobs)
	for i, e := range b.Entries {
		var blobs []convo.Blob
		b.Entries[i], blobs = limits.Apply(e)
		for _, blob := range blobs {
			if c.dryRun {
				continue
			}
			if err := dir.Put(blob); err != nil {
				return err
			}
		}
	}
	return nil
}
