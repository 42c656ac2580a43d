package formatstest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// edit is the text that another one is edited to.
const edit = "edited, é 😀"

// A Corpus is a source of one session that [Laws] holds a format to.
type Corpus struct {
	Name   string   // of its file
	Text   string   // of it
	Said   []string // texts of messages, each of which the source has in one spelling only
	Input  int64    // tokens of input that its replies took, with those from caches
	Lines  bool     // it is JSON lines
	OneWay bool     // it is not written back, or not as it was
	Bytes  bool     // its lines are copied as they are, with what is no UTF-8
}

// Laws holds a format to what is true of every one, by a source of one session:
//
//   - reading it twice gives the same, and the listing says what reading finds; see [Import];
//   - what was read is written as it was, byte for byte;
//   - who edits a text in the session edits it in what is written, and nothing else;
//   - what its replies took is counted once;
//   - the messages of a part of the source are those of the whole, up to the last ones;
//   - a byte order mark, line ends of Windows, blank lines, a missing last line feed, a torn tail
//     and invalid UTF-8 change nothing but what they say, and are told where something is lost.
func Laws(t *testing.T, f formats.Format, c Corpus) {
	t.Helper()
	c.Text = strings.TrimPrefix(c.Text, "\n")
	whole := c.read(t, f, c.Text, false)
	messages := said(t, whole)
	t.Run("usage", func(t *testing.T) {
		t.Parallel()
		var input int64
		for _, e := range whole.Session(t).Entries {
			if m, ok := e.Message(); ok {
				u, _ := m.Usage()
				input += u.Input + u.CacheRead + u.CacheWrite
			}
		}
		if input != c.Input {
			t.Errorf("%d tokens of input, want %d", input, c.Input)
		}
	})
	if !c.OneWay {
		t.Run("back", func(t *testing.T) {
			t.Parallel()
			c.back(t, f, whole.Text(), c.Text)
			for _, text := range c.Said {
				edited := strings.ReplaceAll(whole.Text(), `"text":"`+text+`"`, `"text":"`+edit+`"`)
				if edited == whole.Text() {
					t.Errorf("no text is %q:\n%s", text, edited)
				}
				c.back(t, f, edited, strings.ReplaceAll(c.Text, text, edit))
			}
		})
	}
	t.Run("cut", func(t *testing.T) {
		t.Parallel()
		for _, at := range c.cuts() {
			c.cut(t, f, at, messages)
		}
	})
	t.Run("damage", func(t *testing.T) {
		t.Parallel()
		c.damage(t, f, messages, len(whole.Losses))
	})
}

// read reads the session of a text.
func (c Corpus) read(t *testing.T, f formats.Format, text string, lax bool) Result {
	t.Helper()
	path := filepath.Join(t.TempDir(), c.Name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	results := Import(t, f, &formats.Source{Path: path}, lax)
	if len(results) != 1 {
		t.Fatalf("%d sessions in\n%s", len(results), text)
	}
	return results[0]
}

// said returns the messages of a session, with their roles.
func said(t *testing.T, r Result) (out []string) {
	t.Helper()
	for _, e := range r.Session(t).Entries {
		if m, ok := e.Message(); ok {
			out = append(out, m.Role()+": "+m.Text("|"))
		}
	}
	return out
}

// back writes a session, which has to be want.
func (c Corpus) back(t *testing.T, f formats.Format, text, want string) {
	t.Helper()
	s, err := session.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	version := ""
	if versions := f.About().Versions; len(versions) > 0 {
		version = versions[0]
	}
	if got, losses := Export(t, f, s, version); got != want || len(losses) > 0 {
		t.Errorf("written as\n%s\nwant\n%s\nlost %v", got, want, losses)
	}
}

// cuts returns where the source is cut: behind each line, and at some other places.
func (c Corpus) cuts() (at []int) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range len(c.Text) {
		if c.Text[i] == '\n' {
			at = append(at, i+1, 1+r.IntN(len(c.Text)-1))
		}
	}
	return at
}

// cut reads the first bytes of the source. It may be refused, as one of which nothing is whole is.
func (c Corpus) cut(t *testing.T, f formats.Format, at int, messages []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), c.Name)
	if err := os.WriteFile(path, []byte(c.Text[:at]), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := f.Open(t.Context(), &formats.Source{Path: path})
	if err != nil {
		return
	}
	defer closed(t, a)
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			return
		}
		r, err := Try(t.Context(), f, a, info)
		if err != nil {
			if !strings.Contains(err.Error(), path) {
				t.Errorf("cut at %d: the error names no file: %v", at, err)
			}
			return
		}
		got := said(t, r)
		if n := max(len(got)-1, 0); n > len(messages) || !slices.Equal(got[:n], messages[:n]) {
			t.Errorf("cut at %d the messages are\n%q, of\n%q", at, got, messages)
		}
	}
}

// damage reads sources that are damaged without that anything is lost, or one thing.
func (c Corpus) damage(t *testing.T, f formats.Format, messages []string, losses int) {
	t.Helper()
	last := c.Said[len(c.Said)-1]
	damaged := map[string]string{
		"a byte order mark": jsonl.ByteOrderMark + c.Text,
		"CRLF":              strings.ReplaceAll(c.Text, "\n", "\r\n"),
		"no last line feed": strings.TrimSuffix(c.Text, "\n"),
		"invalid UTF-8":     strings.Replace(c.Text, last, last+"\xff", 1),
	}
	if c.Lines {
		damaged["blank lines"] = "\n" + strings.ReplaceAll(c.Text, "\n", "\n \t\n")
		damaged["a torn tail"] = c.Text + `{"type":"us`
	}
	for name, text := range damaged {
		if !f.Detect(c.Name, []byte(text)) {
			t.Errorf("%s: it is not detected", name)
		}
		r := c.read(t, f, text, true)
		got, lost := said(t, r), 0
		switch name {
		case "a torn tail":
			lost = 1
		case "invalid UTF-8":
			if !c.Bytes {
				lost = 1
			}
			for i := range got {
				got[i] = strings.Replace(got[i], "\ufffd", "", 1)
			}
		}
		if !slices.Equal(got, messages) || len(r.Losses) != losses+lost {
			t.Errorf("%s: %d losses more, want %d (%v)\n%q\nwant\n%q", name, len(r.Losses)-losses, lost, r.Losses, got, messages)
		}
	}
}
