package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/portable"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/pkg/js"
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
	j.quoted = j.quoted || out != text
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

// quotable returns the entries of the source for quotations. Of a message with several texts the secrets are taken out here, since one may be divided between
// them, and a quotation joins them with a blank; of any other they are taken out of the quotation.
func (j *job) quotable() ([]session.Entry, error) {
	if j.secrets == nil {
		return j.src.Entries, nil
	}
	entries := slices.Clone(j.src.Entries)
	for i, e := range entries {
		m, ok := e.Message()
		texts := 0
		for b := range m.Blocks() {
			if b.Type == session.BlockText {
				texts++
			}
		}
		if !ok || texts < 2 {
			continue
		}
		clean, err := j.secrets.Messages([]session.Message{m})
		if err != nil {
			return nil, formats.Damaged("%s: %v", j.src.Name, err)
		}
		j.quoted = j.quoted || clean[0].Raw() != m.Raw()
		entries[i] = e.WithRaw("message", clean[0].Raw())
	}
	return entries, nil
}

// memberReply is the member of a message that says of which reply it is a part.
const memberReply = "responseId"

// redact takes the secrets out of the messages that are handed over, and counts them.
func (j *job) redact() error {
	if j.secrets == nil {
		return nil
	}
	before := j.secrets.Taken()
	reply := map[string]string{} // of entries, which the messages that go over do not name
	for _, e := range j.path {
		m, _ := e.Message()
		reply[e.ID()] = m.Str(memberReply)
	}
	messages := make([]session.Message, len(j.carried.Said))
	for i, said := range j.carried.Said {
		if messages[i] = said.Message; reply[said.Entry] != "" {
			messages[i] = session.NewMessage(string(js.Value(said.Raw()).With(memberReply, js.Value(js.Quote(reply[said.Entry])))))
		}
	}
	clean, err := j.secrets.Messages(messages)
	if err != nil {
		return formats.Damaged("%s: %v", j.src.Name, err)
	}
	j.redacted += j.secrets.Taken() - before
	for i, m := range clean {
		if m.Raw() != messages[i].Raw() {
			j.carried.Said[i].Message = session.NewMessage(string(js.Value(m.Raw()).Without(memberReply)))
		}
	}
	j.carried.Header.Title = j.clean(j.carried.Header.Title)
	return nil
}
