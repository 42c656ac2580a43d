package operand

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// answered reports whether the session has an assistant message, the batch
// included. It may have had one already: a process that died right before it
// published left such a draft.
func (t *Target) answered() bool {
	assistant := func(e session.Entry) bool {
		return e.Type() == session.TypeMessage && e.Role() == session.RoleAssistant
	}
	return slices.ContainsFunc(t.Batch.Entries, assistant) || slices.ContainsFunc(t.Session.Entries, assistant)
}

// publish appends the batch to the draft, makes it durable if that is wanted,
// and gives the draft its name. All of it happens under the draft's lock, which
// is the session's lock afterwards: it is the same file.
func (t *Target) publish() error {
	if err := store.Vacant(t.place.path); err != nil {
		return t.occupied(fmt.Errorf("publishing %s: %w, and nothing was written", t.Name, err))
	}
	if err := t.append(); err != nil {
		return err
	}
	if err := store.Publish(t.place.path, t.sync); err != nil {
		return t.occupied(fmt.Errorf("%w; the new entries are in the draft", err))
	}
	t.place.file = t.place.path
	t.streams.Notef("%s: published", t.Name)
	return nil
}

// occupied says what to do about a name that is taken.
func (t *Target) occupied(err error) error {
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	return clikit.WithHint(err, "move the file away, or give the draft %s another name", t.place.file)
}
