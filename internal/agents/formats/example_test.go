package formats_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// parrot is the format of an agent that keeps a session in each file of ~/.parrot: JSON lines
// {"kind":"start","id":ID,"dir":DIR}, {"kind":"asked","text":TEXT}, {"kind":"said","text":TEXT}, and others.
type parrot struct{}

func (parrot) About() formats.About {
	return formats.About{Name: "parrot", Summary: "sessions of Parrot", Home: func(env formats.Env) (string, error) {
		return env.StorePath("PARROT_HOME", []string{".parrot"})
	}}
}

func (parrot) Detect(_ string, head []byte) bool {
	line, _, _ := strings.Cut(strings.TrimLeft(string(head), jsonl.ByteOrderMark+" \t\r\n"), "\n")
	return js.Value(line).Get("kind").Str() == "start" && js.Value(line).Get("dir").IsString()
}

func (parrot) Open(_ context.Context, src *formats.Source) (formats.Archive, error) {
	return formats.Files{
		Match: func(path string) bool { return filepath.Ext(path) == ".parrot" }, Head: parrotHead, Read: parrotRead,
	}.Open(src)
}

// parrotHead says what the first line that is not blank tells of a session.
func parrotHead(ctx context.Context, src *formats.Source, f *formats.File) (info formats.Info, _ error) {
	for l, err := range jsonl.Lines(f.Reader(ctx)) {
		if err != nil {
			return info, src.Located(err)
		}
		if start := js.Value(strings.Trim(l.Text(), jsonl.ByteOrderMark+" \t\r")); start != "" {
			info.ID, info.CWD = start.Get("id").Str(), start.Get("dir").Str()
			break
		}
	}
	if !session.ValidSessionID(info.ID) {
		return info, formats.Damaged("%s: no session of Parrot: the first line has no id", src.Name())
	}
	return info, nil
}

// parrotRead makes a message of what was asked and said, and keeps each line with it; a line
// that is neither is kept aside.
func parrotRead(ctx context.Context, src *formats.Source, f *formats.File, info formats.Info, b *formats.Builder) error {
	if err := b.Header(session.HeaderFields{ID: info.ID, Time: info.Created.UnixMilli(), CWD: info.CWD}); err != nil {
		return err
	}
	b.BeginKeeping()
	for l, err := range jsonl.Lines(f.Reader(ctx)) {
		if err != nil {
			return src.Located(err)
		}
		for v := range b.Objects(src, l) {
			place, kept := formats.Place{Key: fmt.Sprint(v.Number)}, formats.KeptLine{Text: v.Text}
			said := []string{api.TextOf(js.Value(v.Text).Get("text"))}
			switch js.Value(v.Text).Get("kind").Str() {
			case "asked":
				_, err = b.Message(place, api.User(said))
			case "said":
				_, err = b.Message(place, api.Assistant(said))
			default:
				if _, err = b.Aside(place, "line", "", kept); err == nil {
					continue
				}
			}
			if err == nil {
				err = b.Keep(nil, kept)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Export writes the lines that came from Parrot as they were, and new ones for other messages.
func (parrot) Export(_ context.Context, s *session.Session, t *formats.Target) error {
	var out jsonl.Content
	keeper := t.Keeper(s, "parrot")
	for _, e := range t.ActivePath(s) {
		i, _ := s.Index(e.ID())
		lines, _ := keeper.Lines(i)
		for _, l := range lines {
			out = append(out, l.Text)
		}
		m, ok := e.Message()
		switch kind := map[string]string{session.RoleUser: "asked", session.RoleAssistant: "said"}[m.Role()]; {
		case lines != nil, formats.Silent(e):
		case ok && kind != "":
			out = append(out, js.Object(js.StringField("kind", kind), js.StringField("text", m.Text("\n"))))
			for b := range m.Blocks() {
				if b.Type != session.BlockText {
					t.Lose(formats.At(e), formats.KindMedia, "a block of type %q, left out", b.Type)
				}
			}
		default:
			t.Lose(formats.At(e), formats.KindEntry, "%s means nothing to Parrot", e.Type())
		}
	}
	return t.File(s.Header.ID+".parrot", out)
}

// A format says how an agent keeps its sessions, reads one into a builder, and writes one to
// a target.
func Example() {
	const talk = `{"kind":"start","id":"m1","dir":"/w"}` + "\n" + `{"kind":"asked","text":"why?","by":"me"}` + "\n" +
		`{"kind":"mood","happy":true}` + "\n" + `{"kind":"said","text":"because"}` + "\nmumbling\n"
	src := &formats.Source{Stdin: strings.NewReader(talk)}
	defer src.Close()
	ctx := context.Background()
	head, _ := src.Head(ctx)
	format, _ := formats.Detect([]formats.Format{parrot{}}, src.Path, head)
	archive, _ := format.Open(ctx, src)
	defer archive.Close()
	info, _ := formats.Find(ctx, archive, "m1")

	var made strings.Builder
	b := formats.NewBuilder(format.About().Name,
		func(line string) error { _, err := fmt.Fprintln(&made, line); return err },
		func(l formats.Loss) { fmt.Println("lost:", l) })
	if err := b.Read(ctx, archive, info); err != nil {
		fmt.Println(err)
	}
	edited := strings.Replace(made.String(), `"text":"why?"`, `"text":"how?"`, 1)
	s, _ := session.Read(strings.NewReader(edited))
	t := formats.NewTarget(func(formats.Loss) {})
	t.Out = os.Stdout
	if err := format.Export(ctx, s, t); err != nil {
		fmt.Println(err)
	}
	// Output:
	// lost: standard input:5: not JSON, line of 8 bytes skipped
	// {"kind":"start","id":"m1","dir":"/w"}
	// {"kind":"asked","text":"how?","by":"me"}
	// {"kind":"mood","happy":true}
	// {"kind":"said","text":"because"}
}
