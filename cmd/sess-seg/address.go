package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/sess-tools/sess/internal/seg"
	"github.com/sess-tools/sess/pkg/session"
)

// address returns the id of the entry that a reference names, as in all other tools.
// A whole id and the last entry are found by the index; for anything else the session
// is read, by the function given.
func address(store *seg.Store, ref string, resolve func(*session.Session) (int, error)) (string, error) {
	_, err := store.Get(ref)
	if err == nil || !errors.Is(err, seg.ErrNotFound) {
		return ref, err
	}
	if ref == "." {
		last, err := store.Tail(1)
		if err != nil {
			return "", err
		}
		if len(last) > 0 {
			return last[0].ID, nil
		}
	}
	r, w := io.Pipe()
	go func() {
		_, err := store.WriteTo(w)
		w.CloseWithError(err)
	}()
	all, err := session.Read(r)
	if err != nil {
		return "", err
	}
	i, err := resolve(all)
	if err == nil && i < 0 {
		err = fmt.Errorf("%s names no entry: %w", ref, seg.ErrNotFound)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", store.Dir(), err)
	}
	return all.Entries[i].ID(), nil
}
