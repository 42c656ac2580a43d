package jsonl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/pkg/jsonl"
)

func ExampleLines() {
	log := strings.NewReader("{\"id\":1}\n\n{\"id\":2}\n{\"id\":")
	for l, err := range jsonl.Lines(log) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d at byte %d: %q torn=%v\n", l.Number, l.Offset, l.Data, l.Torn)
	}
	// Output:
	// 1 at byte 0: "{\"id\":1}" torn=false
	// 2 at byte 9: "" torn=false
	// 3 at byte 10: "{\"id\":2}" torn=false
	// 4 at byte 19: "{\"id\":" torn=true
}

func ExampleBackward() {
	log := "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n"
	for l, err := range jsonl.Backward(strings.NewReader(log), int64(len(log))) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d %s\n", l.Offset, l.Data)
		if l.Offset <= 9 {
			break
		}
	}
	// Output:
	// 18 {"id":3}
	// 9 {"id":2}
}

func ExampleAppender() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "log.jsonl")
	torn := []byte("{\"id\":1}\n{\"id\":") // a writer died
	if err := jsonl.Create(path, bytes.NewReader(torn), false); err != nil {
		fmt.Println(err)
		return
	}

	// Nobody else writes to this log, so that an incomplete line need not be watched.
	add := func(lines ...[]byte) (err error) {
		a, err := jsonl.OpenAppender(context.Background(), path, jsonl.Options{Grace: -1})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, a.Close()) }()
		if err := a.Append(lines...); err != nil {
			return err
		}
		m := a.Mended()
		fmt.Printf("blanked %d bytes at %d, saved in %s\n", m.Bytes, m.Offset, filepath.Base(m.SavedAs))
		return a.Sync()
	}
	if err := add([]byte(`{"id":2}`), []byte(`{"id":3}`)); err != nil {
		fmt.Println(err)
		return
	}
	data, _ := os.ReadFile(path)
	fmt.Printf("%q\n", data)
	// Output:
	// blanked 6 bytes at 9, saved in log.jsonl.torn
	// "{\"id\":1}\n      \n{\"id\":2}\n{\"id\":3}\n"
}

func ExampleCreate() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "log.jsonl")
	for range 2 {
		err := jsonl.Create(path, jsonl.Content{`{"id":1}`, `{"id":2}`}, true)
		fmt.Println(err == nil, errors.Is(err, fs.ErrExist))
	}
	data, err := os.ReadFile(path)
	fmt.Printf("%q %v\n", data, err)
	// Output:
	// true false
	// false true
	// "{\"id\":1}\n{\"id\":2}\n" <nil>
}

func ExampleBlocks() {
	log := strings.NewReader("{\"id\":1}\n{\"id\":2}\n{\"id\":")
	for block, err := range jsonl.Blocks(log) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for l := range block.Lines() { // a block can go to another goroutine
			fmt.Printf("%d: %q torn=%v\n", l.Offset, l.Data, l.Torn)
		}
		block.Free()
	}
	// Output:
	// 0: "{\"id\":1}" torn=false
	// 9: "{\"id\":2}" torn=false
	// 18: "{\"id\":" torn=true
}
