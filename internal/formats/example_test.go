package formats_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// minutes is a format as small as can be: a first line "minutes ID", then lines
// "> question" and "< answer". Lines "# note" say what version 3 has no field for.
type minutes struct{}

func (minutes) About() formats.About {
	return formats.About{Name: "minutes", Summary: "minutes of a talk"}
}

func (minutes) Detect(_ string, head []byte) bool { return bytes.HasPrefix(head, []byte("minutes ")) }

func (minutes) Open(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	f, err := src.Open(ctx)
	if err != nil {
		return nil, err
	}
	return minutesFile{src, f}, nil
}

type minutesFile struct {
	src *formats.Source
	*formats.File
}

func (m minutesFile) List(ctx context.Context, _ formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		info := formats.Info{Row: store.Row{Path: m.src.Path, Size: m.Size, ModTime: m.ModTime}}
		for l := range jsonl.Lines(m.Reader(ctx)) {
			info.ID, _ = strings.CutPrefix(l.Text(), "minutes ")
			break
		}
		yield(info, nil)
	}
}

func (m minutesFile) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	if err := b.Header(session.HeaderFields{ID: info.ID, CWD: m.src.CWD}); err != nil {
		return err
	}
	for l, err := range jsonl.Lines(m.Reader(ctx)) {
		if err != nil {
			return m.src.Located(err)
		}
		place := formats.Place{Key: fmt.Sprint(l.Number)}
		text := l.Text()
		said := []string{formats.Text(strings.TrimSpace(text[min(1, len(text)):]))}
		switch {
		case l.Number == 1:
		case strings.HasPrefix(text, ">"):
			_, err = b.Message(place, formats.User(said))
		case strings.HasPrefix(text, "<"):
			_, err = b.Message(place, formats.Assistant(said))
		case strings.HasPrefix(text, "#"):
			_, err = b.Custom(place, "note", js.Object(formats.Str("text", text[1:])))
		default:
			b.Lose(m.src.At(l.Number), formats.KindDamage, "neither said nor noted: %q", text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (minutes) Export(_ context.Context, s *session.Session, t *formats.Target) error {
	var b strings.Builder
	fmt.Fprintf(&b, "minutes %s\n", s.Header.ID)
	for _, e := range t.ActivePath(s) {
		m, _ := e.Message()
		switch {
		case e.Role() == session.RoleUser:
			fmt.Fprintf(&b, "> %s\n", m.Text(" "))
		case e.Role() == session.RoleAssistant:
			fmt.Fprintf(&b, "< %s\n", m.Text(" "))
		case e.Str("customType") == "minutes:note":
			fmt.Fprintf(&b, "#%s\n", js.Value(e.Get("data")).Get("text").Str())
		default:
			t.Lose(formats.At(e), formats.KindEntry, "%s cannot be written down", e.Type())
		}
	}
	return t.File(s.Header.ID+".txt", strings.NewReader(b.String()))
}

// A format reads a source into a builder, and writes a session to a target.
func Example() {
	const talk = "minutes m1\n> why?\n# looks up\n< because\nmumbling\n"
	src := &formats.Source{Stdin: strings.NewReader(talk), CWD: "/w"}
	defer src.Close()
	ctx := context.Background()
	list := []formats.Format{minutes{}}
	head, _ := src.Head(ctx)
	format, _ := formats.Detect(list, src.Path, head)
	archive, _ := format.Open(ctx, src)
	defer archive.Close()
	info, _ := formats.Find(ctx, archive, "m1")

	var made strings.Builder
	b := formats.NewBuilder("minutes",
		func(line string) error { _, err := fmt.Fprintln(&made, line); return err },
		func(l formats.Loss) { fmt.Println("lost:", l) })
	if err := b.Read(ctx, archive, info); err != nil {
		fmt.Println(err)
	}
	lines := bufio.NewReader(strings.NewReader(made.String()))
	header, _ := lines.ReadString('\n')
	fmt.Print(header)

	s, _ := session.Read(io.MultiReader(strings.NewReader(header), lines))
	t := formats.NewTarget(func(formats.Loss) {})
	t.Out = os.Stdout
	if err := format.Export(ctx, s, t); err != nil {
		fmt.Println(err)
	}
	// Output:
	// lost: standard input:5: neither said nor noted: "mumbling"
	// {"type":"session","version":3,"id":"m1","timestamp":"1970-01-01T00:00:00.000Z","cwd":"/w"}
	// minutes m1
	// > why?
	// # looks up
	// < because
}
