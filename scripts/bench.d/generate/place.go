package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// place returns the name of session i of a store, as pi gives it, and its working
// directory.
func place(root string, i int) (name, cwd string, err error) {
	project := i / 50
	cwd = fmt.Sprintf("/home/dev/project-%d", project)
	dir := filepath.Join(root, fmt.Sprintf("--home-dev-project-%d--", project))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", err
	}
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 37 * time.Minute)
	name = fmt.Sprintf("%s_%08x-0000-7000-9000-%012x.jsonl", begun.Format("2006-01-02T15-04-05-000Z"), i, i)
	return filepath.Join(dir, name), cwd, nil
}
