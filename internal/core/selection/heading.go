package selection

import (
	"cmp"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// Short returns the function that shortens the names of the sessions that were found, see [screen.Short].
func (f Found) Short() func(string) string {
	names := make([]string, len(f.List))
	for i, src := range f.List {
		names[i] = address.Shown(src.Owner(), src.Name, "")
	}
	return screen.Short(names)
}

// Heading returns the heading of a session on a screen. Place and info come from reading it.
func (src Source) Heading(place row.Place, info session.Info, short func(string) string) screen.Heading {
	name := src.Label()
	if src.Name != "-" {
		name = short(address.Shown(src.Owner(), cmp.Or(place.Address, src.Name), place.Session))
	}
	title, _ := store.Row{Info: info}.Title()
	return screen.Heading{Address: name, Modified: info.Modified, CWD: info.CWD, Title: title}
}

// HeadingOf is Heading for a session that was read.
func (src Source) HeadingOf(read *address.Source, short func(string) string) (screen.Heading, error) {
	info, failed, err := session.ScanLines(func(line func(string) error) error {
		for _, text := range read.Content() {
			if err := line(text); err != nil {
				return err
			}
		}
		return nil
	})
	return src.Heading(read.Place(), info, short), cmp.Or(err, failed)
}
