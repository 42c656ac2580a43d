package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/portable"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/pkg/session"
)

// Secrets are sought in what goes over, and not in the rest of the source: of a large session that is a small part, and the
// search takes nine tenths of the time.

// open reads the session. The importer writes the parts that it leaves out into the new file left. A session that has no
// place to be found at again goes into the store, without its secrets.
func (j *job) open(ctx context.Context, name, left string) (*address.Source, error) {
	in, err := address.OpenAny(address.LossesTo(ctx, left), j.streams, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if j.secrets == nil || !passing(name) {
		return in.Session()
	}
	if err := in.Through(j.secrets.Session); err != nil {
		return nil, err
	}
	j.redacted = j.secrets.Taken()
	return in.Session()
}

// clean returns a text without secrets.
func (j *job) clean(text string) string {
	if j.secrets == nil {
		return text
	}
	out, err := j.secrets.Text(text)
	if err != nil {
		return fmt.Sprintf("[left out: %v]", err)
	}
	return out
}

// cleaned makes the entries of what goes over, as they were and without secrets.
func (j *job) cleaned(p *portable.Session) (was, is *session.Session, err error) {
	was, err = p.Session()
	if err != nil || j.secrets == nil {
		return was, was, err
	}
	var lines bytes.Buffer
	if _, err := was.Content().WriteTo(&lines); err != nil {
		return nil, nil, err
	}
	out, err := j.secrets.Session(&lines)
	if err != nil {
		return nil, nil, formats.Damaged("%s: %v", j.src.Name, err)
	}
	is, err = session.Read(out)
	return was, is, err
}

// redact takes the secrets out of the messages that are handed over, and counts them.
func (j *job) redact() error {
	if j.secrets == nil {
		return nil
	}
	before := j.secrets.Taken()
	was, is, err := j.cleaned(j.carried)
	if err != nil {
		return err
	}
	j.redacted += j.secrets.Taken() - before
	for i, e := range is.Entries {
		if e.Raw() != was.Entries[i].Raw() {
			j.carried.Said[i].Message, _ = e.Message()
		}
	}
	j.carried.Header.Title = j.clean(j.carried.Header.Title)
	return nil
}
