package formats_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A madeUp archive has one session, which a function writes.
type madeUp func(b *formats.Builder) error

func (madeUp) Close() error { return nil }

func (m madeUp) List(context.Context, formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) { yield(formats.Info{}, nil) }
}

func (m madeUp) Read(_ context.Context, _ formats.Info, b *formats.Builder) error {
	if err := b.Header(session.HeaderFields{ID: "s1", Time: 1767323045000}); err != nil {
		return err
	}
	return m(b)
}

// A session that something tells of, and of which neither a message nor a call was found, is an error; an empty one is empty.
func TestUnread(t *testing.T) {
	t.Parallel()
	spent := func(kind, usage string) func(*formats.Builder) error {
		return func(b *formats.Builder) error {
			_, err := b.Add(formats.Place{}, session.TypeUsage, js.StringField("kind", kind), js.StringField("provider", "p"),
				js.StringField("model", "m"), js.RawField("usage", usage))
			return err
		}
	}
	says := func(b *formats.Builder) error {
		_, err := b.Message(formats.Place{}, api.User([]string{api.Text("hi")}))
		return err
	}
	aside := func(b *formats.Builder) error {
		_, err := b.Custom(formats.Place{}, "meta", "{}")
		return err
	}
	claims := func(b *formats.Builder) error { b.Claim("its row has %d messages", 2); b.Claim("more"); return nil }
	passes := func(b *formats.Builder) error { b.Pass(); return nil }
	sums := func(b *formats.Builder) error {
		_, err := b.Compaction(formats.Place{}, "sum", "", 7)
		return err
	}
	rest := spent("rest", `{"input":1000,"output":350}`)
	type steps []func(*formats.Builder) error
	for name, c := range map[string]struct {
		steps  steps
		growth formats.Growth
		want   string
	}{
		"nothing":                    {steps: steps{aside}},
		"a claim":                    {steps: steps{claims, aside}, want: "not read: its row has 2 messages, and neither a message nor a call was found"},
		"a claim, while it grows":    {steps: steps{claims}, growth: formats.Closed},
		"a claim, when it is quiet":  {steps: steps{claims}, growth: formats.Quiet, want: "not read: its row has 2 messages, and neither a message nor a call was found"},
		"a claim and a message":      {steps: steps{claims, says}},
		"a message and then a claim": {steps: steps{says, claims}},
		"a claim and a summary":      {steps: steps{claims, sums}},
		"a claim and a call":         {steps: steps{claims, spent("call", `{"input":1}`)}},
		"what was passed over":       {steps: steps{claims, passes}},
		"a total alone":              {steps: steps{rest}, want: "not read: its own total is 1,350 tokens, and neither a message nor a call was found"},
		"a total of nothing":         {steps: steps{spent("rest", `{"input":0}`)}},
		"a total and a message":      {steps: steps{rest, says}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := madeUp(func(b *formats.Builder) error {
				for _, step := range c.steps {
					if err := step(b); err != nil {
						return err
					}
				}
				return nil
			})
			b := formats.NewBuilder("x", func(string) error { return nil }, func(formats.Loss) {})
			b.Growth = c.growth
			got := ""
			err := b.Read(t.Context(), a, formats.Info{})
			if err != nil {
				got = err.Error()
			}
			if got != c.want || (err != nil) != errors.Is(err, formats.ErrUnread) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if c.growth != formats.Whole {
				return
			}
			// A listing with details has a row of it, and says so.
			info, err := formats.Describe(t.Context(), a, formats.Info{Row: store.Row{Info: session.Info{ID: "s1", Exact: true}}})
			if unread := c.want != ""; info.Unread != unread || info.Exact == unread || errors.Is(err, formats.ErrUnread) != unread || info.ID != "s1" {
				t.Errorf("listed %+v, %v", info, err)
			}
		})
	}
}
