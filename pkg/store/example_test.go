package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/pkg/store"
)

func ExampleEncodeCWD() {
	fmt.Println(store.EncodeCWD("/home/u/my.proj"))
	// Output: --home-u-my.proj--
}

func ExampleFileName() {
	name, err := store.FileName("2026-11-21T03:08:02.804Z", "01a1fc13-4173-73d3-8273-e3e1ca1285c1")
	fmt.Println(name, err)
	// Output: 2026-11-21T03-08-02-804Z_01a1fc13-4173-73d3-8273-e3e1ca1285c1.jsonl <nil>
}

func ExampleDir() {
	env := map[string]string{"XDG_DATA_HOME": "relative/is/ignored"}
	dir, err := store.Dir(func(name string) string { return env[name] }, "/home/u")
	fmt.Println(filepath.ToSlash(dir), err)
	// Output: /home/u/.local/share/sess/sessions <nil>
}

func Example() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, s := context.Background(), store.Open(dir)

	const at, id = "2026-11-21T03:08:02.804Z", "01a1fc13-4173-73d3-8273-e3e1ca1285c1"
	header := `{"type":"session","version":3,"id":"` + id + `","timestamp":"` + at + `","cwd":"/srv/app"}` + "\n"
	path, err := s.Create("/srv/app", at, id, strings.NewReader(header), false)
	if err != nil {
		fmt.Println(err)
		return
	}

	found, err := s.Find(ctx, "01a1fc13")
	fmt.Println(found == path, err)
	recent, err := store.Recent(ctx, []string{s.Project("/srv/app")}, store.Options{})
	fmt.Println(recent == path, err)
	rows, err := store.List(ctx, []string{s.Dir()}, store.Options{Recursive: true})
	fmt.Println(len(rows), rows[0].ID, rows[0].CWD, err)
	// Output:
	// true <nil>
	// true <nil>
	// 1 01a1fc13-4173-73d3-8273-e3e1ca1285c1 /srv/app <nil>
}

// A draft is not listed until it is published.
func ExampleStore_CreateDraft() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s := store.Open(dir)
	const at, id = "2026-11-21T03:08:02.804Z", "01a1fc13-4173-73d3-8273-e3e1ca1285c1"
	header := `{"type":"session","version":3,"id":"` + id + `","timestamp":"` + at + `","cwd":"/srv/app"}` + "\n"
	path, err := s.CreateDraft("/srv/app", at, id, strings.NewReader(header), false)
	if err != nil {
		fmt.Println(err)
		return
	}
	list := func() {
		file, err := store.Locate(path)
		rows, lerr := store.List(context.Background(), []string{s.Dir()}, store.Options{Recursive: true})
		fmt.Println(len(rows), file == path, errors.Join(err, lerr))
	}
	list()
	fmt.Println(store.Publish(path, false))
	list()
	// Output:
	// 0 false <nil>
	// <nil>
	// 1 true <nil>
}

// An id may be shortened as long as one session has it.
func ExampleStore_Find() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s := store.Open(dir)
	for _, id := range []string{"01a1fc13-4173", "01a1fc13-9999"} {
		const at = "2026-11-21T03:08:02.804Z"
		header := `{"type":"session","version":3,"id":"` + id + `","timestamp":"` + at + `","cwd":"/"}` + "\n"
		if _, err := s.Create("/", at, id, strings.NewReader(header), false); err != nil {
			fmt.Println(err)
			return
		}
	}
	path, err := s.Find(context.Background(), "01a1fc13-9")
	fmt.Println(filepath.Base(path), err)
	_, err = s.Find(context.Background(), "01a1fc13")
	fmt.Println(errors.Is(err, store.ErrAmbiguous))
	_, err = s.Find(context.Background(), "ffff")
	fmt.Println(errors.Is(err, store.ErrNotFound))
	// Output:
	// 2026-11-21T03-08-02-804Z_01a1fc13-9999.jsonl <nil>
	// true
	// true
}
