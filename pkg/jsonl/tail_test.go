package jsonl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Every form a tail can have against every way to treat it.
func TestTail(t *testing.T) {
	t.Parallel()
	const head, added = `{"a":1}` + "\n", `{"n":0}`
	huge := `{"k":"` + strings.Repeat("x", 3*blockSize)
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	type result struct {
		log   string // before the added line; empty means refused
		mend  MendKind
		saved string
	}
	same := func(r result) [3]result { return [3]result{r, r, r} }
	tornAt := func(tail string) [3]result {
		return [3]result{
			Blank:   {head + strings.Repeat(" ", len(tail)) + "\n", MendBlank, tail + "\n"},
			EndLine: {head + tail + "\n", MendEndLine, ""},
			Refuse:  {},
		}
	}
	blank := func(tail string) [3]result {
		r := result{head + tail + "\n", MendEndLine, ""}
		return [3]result{Blank: r, EndLine: r, Refuse: {}}
	}
	tests := map[string]struct {
		log  string
		want [3]result // by Tail
	}{
		"empty log":                  {"", same(result{})},
		"whole":                      {head, same(result{log: head})},
		"whole, carriage return":     {"{}\r\n", same(result{log: "{}\r\n"})},
		"whole, not JSON":            {"junk\n", same(result{log: "junk\n"})},
		"blank line":                 {head + "\n", same(result{log: head + "\n"})},
		"object without line feed":   {head + `{"b":2}`, same(result{head + `{"b":2}` + "\n", MendNewline, ""})},
		"the only line":              {`{"b":2}`, same(result{`{"b":2}` + "\n", MendNewline, ""})},
		"value and carriage return":  {head + "{}\r", same(result{head + "{}\r\n", MendNewline, ""})},
		"torn object":                {head + `{"b":`, tornAt(`{"b":`)},
		"torn string, several bytes": {head + `{"b":"ä` + "\xc3", tornAt(`{"b":"ä` + "\xc3")},
		"longer than a block":        {head + huge, tornAt(huge)},
		"deeper than JSON allows":    {head + deep, tornAt(deep)},
		"two values":                 {head + `{}{"b`, tornAt(`{}{"b`)},
		"mark and the only line":     {ByteOrderMark + `{"b":2}`, same(result{ByteOrderMark + `{"b":2}` + "\n", MendNewline, ""})},
		"mark and a torn line": {ByteOrderMark + `{"b`, [3]result{
			Blank:   {strings.Repeat(" ", 6) + "\n", MendBlank, ByteOrderMark + `{"b` + "\n"},
			EndLine: {ByteOrderMark + `{"b` + "\n", MendEndLine, ""},
			Refuse:  {},
		}},
		"mark, the only line, NULs": {ByteOrderMark + "{}\x00\x00", [3]result{
			Blank:   {ByteOrderMark + "{}  \n", MendBlank, "\x00\x00\n"},
			EndLine: {ByteOrderMark + "{}\x00\x00\n", MendEndLine, ""},
			Refuse:  {},
		}},
		"mark not at the start": {head + ByteOrderMark + `{}`, tornAt(ByteOrderMark + `{}`)},
		"NULs":                  {head + "\x00\x00\x00", tornAt("\x00\x00\x00")},
		"torn object and NULs":  {head + "{\"b\x00\x00", tornAt("{\"b\x00\x00")},
		"spaces":                {head + "   ", blank("   ")},
		"white space":           {head + " \t\r", blank(" \t\r")},
		"value and NULs": {head + "{}\x00\x00", [3]result{
			Blank:   {head + "{}  \n", MendBlank, "\x00\x00\n"},
			EndLine: {head + "{}\x00\x00\n", MendEndLine, ""},
			Refuse:  {},
		}},
	}
	for name, tt := range tests {
		for mode, want := range tt.want {
			t.Run(fmt.Sprintf("%s/%d", name, mode), func(t *testing.T) {
				t.Parallel()
				path := newLog(t, tt.log)
				a, err := OpenAppender(t.Context(), path, Options{Tail: Tail(mode), Grace: -1})
				if want.log == "" && tt.log != "" {
					if !errors.Is(err, ErrTorn) {
						t.Fatalf("got %v, want ErrTorn", err)
					}
					wantFile(t, path, tt.log)
					wantAlone(t, path)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				defer a.Close()
				// Opening and appending nothing change nothing.
				if err := a.Append(); err != nil || a.Mended() != (Mend{}) {
					t.Fatalf("appending nothing: %v, %v", err, a.Mended())
				}
				wantFile(t, path, tt.log)
				if err := a.Append([]byte(added)); err != nil {
					t.Fatal(err)
				}
				wantFile(t, path, want.log+added+"\n")
				if a.Size() != int64(len(want.log+added)+1) {
					t.Errorf("size is %d", a.Size())
				}
				checkMend(t, a.Mended(), want.mend, path, want.saved)
			})
		}
	}
}

func checkMend(t *testing.T, m Mend, kind MendKind, path, saved string) {
	t.Helper()
	if m.Kind != kind || (m.String() == "") != (kind == MendNone) {
		t.Errorf("mended %+v (%s), want kind %d", m, m, kind)
	}
	torn := path + ".torn"
	if saved == "" {
		if _, err := os.Stat(torn); !errors.Is(err, os.ErrNotExist) || m.SavedAs != "" {
			t.Errorf("saved something: %v, %q", err, m.SavedAs)
		}
		return
	}
	if m.SavedAs != torn || m.Bytes != len(saved)-1 {
		t.Errorf("mended %+v, want %d bytes in %s", m, len(saved)-1, torn)
	}
	wantFile(t, torn, saved)
	if fi, err := os.Stat(torn); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode of the saved fragment: %v, %v", fi.Mode(), err)
	}
}

func TestTornNamesTheByte(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{}\n{\"b")
	_, err := OpenAppender(t.Context(), path, Options{Tail: Refuse, Grace: time.Millisecond})
	if want := path + ": last line is torn at byte 3"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	wantAlone(t, path)
}

// Fragments of several accidents stand in one file, one a line.
func TestFragmentsAccumulate(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{\"a")
	for _, next := range []string{"{\"b", ""} {
		a := mustOpen(t, path, Options{Grace: -1})
		if err := a.Append([]byte("1")); err != nil {
			t.Fatal(err)
		}
		a.Close()
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString(next)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	wantFile(t, path+".torn", "{\"a\n{\"b\n")
	wantFile(t, path, "   \n1\n   \n1\n")
}

// A fragment must not be written through somebody's symbolic link.
func TestFragmentNotThroughSymlink(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{\"a")
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.Symlink(victim, path+".torn"); err != nil {
		t.Skip("no symbolic links:", err)
	}
	a := mustOpen(t, path, Options{Grace: -1})
	if err := a.Append([]byte("1")); err == nil || !strings.Contains(err.Error(), ".torn") {
		t.Errorf("got %v, want an error that names the file", err)
	}
	wantFile(t, path, "{\"a")
	if _, err := os.Stat(victim); !errors.Is(err, os.ErrNotExist) {
		t.Error("wrote through the link")
	}
}

// A writer that pauses within its line is waited for, whatever the pause, as long
// as it is shorter than the grace; a line that nobody has written to for as long
// is mended after a second look.
func TestGrace(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		age     time.Duration   // of the fragment that is found
		pieces  []time.Duration // before each further piece, the last of which ends the line
		o       Options
		want    error
		mend    MendKind
		elapsed time.Duration
	}{
		"a short pause":            {0, []time.Duration{20 * time.Millisecond}, Options{}, nil, MendNone, 50 * time.Millisecond},
		"a long pause":             {0, []time.Duration{1900 * time.Millisecond}, Options{}, nil, MendNone, 1900 * time.Millisecond},
		"pauses, longer together":  {0, []time.Duration{1500 * time.Millisecond, 1500 * time.Millisecond, 1500 * time.Millisecond}, Options{}, nil, MendNone, 4500 * time.Millisecond},
		"old, and back":            {time.Hour, []time.Duration{10 * time.Millisecond}, Options{}, nil, MendNone, 50 * time.Millisecond},
		"old, and dead":            {time.Hour, nil, Options{}, nil, MendBlank, 50 * time.Millisecond},
		"dead":                     {0, nil, Options{}, nil, MendBlank, 2 * time.Second},
		"dead, seen half way":      {time.Second, nil, Options{}, nil, MendBlank, time.Second},
		"dead, of the future":      {-time.Hour, nil, Options{}, nil, MendBlank, 2 * time.Second},
		"a grace that is given":    {0, nil, Options{Grace: 5 * time.Second}, nil, MendBlank, 5 * time.Second},
		"refused":                  {0, nil, Options{Tail: Refuse}, ErrTorn, MendNone, 50 * time.Millisecond},
		"a grace of nothing":       {0, nil, Options{Grace: -1}, nil, MendBlank, 0},
		"no time to wait":          {0, nil, Options{Wait: time.Second}, ErrUnfinished, MendNone, time.Second},
		"no wait, old":             {time.Hour, nil, Options{Wait: -1}, nil, MendBlank, 50 * time.Millisecond},
		"no wait, young":           {0, nil, Options{Wait: -1}, ErrUnfinished, MendNone, 50 * time.Millisecond},
		"longer than the patience": {0, []time.Duration{1500 * time.Millisecond, 1500 * time.Millisecond}, Options{Wait: 2 * time.Second}, ErrUnfinished, MendNone, 2 * time.Second},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newLog(t, `{"a":1}`+"\n"+`{"b":`)
			synctest.Test(t, func(t *testing.T) {
				touch := func(age time.Duration) { // the bubble has a clock of its own
					at := time.Now().Add(-age)
					if err := os.Chtimes(path, at, at); err != nil {
						t.Error(err)
					}
				}
				touch(tt.age)
				go func() {
					for i, pause := range tt.pieces {
						time.Sleep(pause)
						piece := "1"
						if i == len(tt.pieces)-1 {
							piece = "1}\n"
						}
						foreignAppend(t, path, piece)
						touch(0)
					}
				}()
				start := time.Now()
				a, err := OpenAppender(t.Context(), path, tt.o)
				elapsed := time.Since(start)
				if !errors.Is(err, tt.want) {
					t.Fatalf("got %v, want %v", err, tt.want)
				}
				if over := elapsed - tt.elapsed; over < 0 || over > 2*secondLook {
					t.Errorf("waited %v, want %v", elapsed, tt.elapsed)
				}
				time.Sleep(10 * time.Second) // the writer comes to its end
				if err != nil {
					wantAlone(t, path)
					return
				}
				defer a.Close()
				if err := a.Append([]byte("2")); err != nil {
					t.Error(err)
				}
				if got := a.Mended().Kind; got != tt.mend {
					t.Errorf("mended %d, want %d", got, tt.mend)
				}
			})
		})
	}
}

// While a log is made its name is not there, and nobody who looks sees a part of it.
func TestCreateAppearsWhole(t *testing.T) {
	t.Parallel()
	for _, sync := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), strings.Repeat("n", 250))
		err := Create(path, writing(func(w io.Writer) error {
			if _, err := io.WriteString(w, "{\"n\":1}\n"); err != nil {
				return err
			}
			if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("half a log has the name: %v", err)
			}
			_, err := io.WriteString(w, "{\"n\":2}\n")
			return err
		}), sync)
		if err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, "{\"n\":1}\n{\"n\":2}\n")
		wantAlone(t, path)
	}
}

// A name that is taken is not waited for: the content, which may be a stream, is not read.
func TestCreateTakenReadsNothing(t *testing.T) {
	t.Parallel()
	path := newLog(t, "theirs")
	err := Create(path, writing(func(io.Writer) error { t.Error("the content was read"); return nil }), false)
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	// Who takes the name meanwhile keeps it.
	late := filepath.Join(t.TempDir(), "late")
	err = Create(late, writing(func(io.Writer) error { return os.WriteFile(late, []byte("theirs"), 0o600) }), true)
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	wantFile(t, late, "theirs")
	wantAlone(t, late)
}
