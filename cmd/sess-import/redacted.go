package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// customRedacted is the entry from which on other rules took secrets out. Its data has their digest.
const customRedacted = "sess:redacted"

// cleaner returns what takes secrets out of a session from its beginning on.
func (k *sink) cleaner() (*redact.Growing, error) {
	how, err := k.rules()
	if err != nil {
		return nil, err
	}
	r, err := how.Redactor()
	if err != nil {
		return nil, err
	}
	k.digest = how.Digest()
	return r.Growing(), nil
}

// begin returns the header without its secrets. What follows will be without, too.
func (k *sink) begin(header string) (string, error) {
	var err error
	if k.clean, err = k.cleaner(); err != nil {
		return "", err
	}
	return k.clean.Line(string(js.Value(header).With(session.MemberRedacted, "true")))
}

// rulesAsIn reports whether nothing is to be looked for in a copy: it has its secrets, and may have them, or is known to have
// none by the rules of this run.
func (k *sink) rulesAsIn(was from) (bool, error) {
	if was.Rules == "" {
		return !k.redacts, nil
	}
	r, err := k.rules()
	if err != nil {
		return false, err
	}
	digest := r.Digest()
	return digest == was.Rules && was.Checked == "" || digest == was.Checked, nil
}

// judge decides by the header of the copy that is there whether secrets are taken out: a copy is with them or without. It
// returns what looks at the lines that are there, if the rules are others than before.
func (k *sink) judge(s *stored, was from) (*redact.Growing, error) {
	if !s.header.IsRedacted() {
		if k.redacts {
			err := cli.WithStatus(fmt.Errorf("%s: it has secrets, since it was collected without --redact, and is left as it is", k.path), cli.ExitMalformed)
			return nil, cli.WithHint(err, "use another SESS_DIR for copies without secrets, or move this one away and collect it again")
		}
		return nil, nil
	}
	k.redacts = true
	if known, err := k.rulesAsIn(was); err != nil || known || was.Rules == "" {
		return nil, err
	}
	return k.cleaner()
}

// marked puts an entry in front of the lines that are missing, if other rules than before took secrets out of them.
func (k *sink) marked() error {
	s := k.there
	if k.clean == nil || len(s.missing) == 0 || s.rules == "" || s.rules == k.digest {
		return nil
	}
	first, err := session.ParseEntry(string(s.missing[0]))
	if err != nil {
		return errors.Join(errWaiting, err)
	}
	id := formats.EntryID(func(id string) bool { return s.entries[id] != nil }, k.id, customRedacted, k.digest)
	line := js.Object(js.StringField("type", session.TypeCustom), js.StringField("customType", customRedacted),
		js.RawField("data", js.Object(js.StringField("rules", k.digest))), js.StringField("id", id),
		js.StringField("parentId", s.last), js.StringField("timestamp", first.Str("timestamp")))
	s.missing = slices.Insert(s.missing, 0, []byte(line))
	return nil
}
