package operand

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/pkg/store"
)

// stdinName names standard input in messages.
const stdinName = "standard input"

// One returns the only operand, "" if there is none.
func One(operands []string) (string, error) {
	if len(operands) > 1 {
		return "", clikit.UsageError("unexpected operand %q", operands[1])
	}
	if len(operands) == 0 {
		return "", nil
	}
	return operands[0], nil
}

// Path returns the path of the session an operand names: the operand itself if
// such a file exists, else the file of the session of the store with that id or
// unique id prefix. Standard input has the path "".
func Path(ctx context.Context, operand string) (string, error) {
	if operand == "" || operand == "-" {
		return "", nil
	}
	_, err := os.Lstat(operand)
	switch {
	case err == nil:
		return operand, nil
	case !errors.Is(err, fs.ErrNotExist), strings.ContainsRune(operand, os.PathSeparator):
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err // it names the system call, and the file once more
		}
		return "", fmt.Errorf("opening %s: %w", operand, err)
	}
	dir, derr := StoreDir()
	if derr != nil {
		return "", err
	}
	found, ferr := store.Open(dir).Find(ctx, operand)
	switch {
	case errors.Is(ferr, store.ErrNotFound), errors.Is(ferr, fs.ErrNotExist):
		return "", fmt.Errorf("%s: no such file, and no session of the store has such an id", operand)
	case ferr != nil:
		return "", ferr
	}
	return found, nil
}

// StoreDir returns the directory of the store.
func StoreDir() (string, error) {
	home, _ := os.UserHomeDir() // Dir complains if it needs it
	return store.Dir(os.Getenv, home)
}

// Reference returns how a new session names the one it descends from: by the
// absolute path of the file its operand names, "" for no operand.
func Reference(ctx context.Context, operand string) (string, error) {
	if operand == "" {
		return "", nil
	}
	path, err := Path(ctx, operand)
	if err != nil {
		return "", err
	}
	if path == "" {
		return "", clikit.UsageError("standard input is no session to descend from")
	}
	return filepath.Abs(path)
}
