package address

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A Destination is where a new session goes: the store, a file that must not
// exist, or standard output.
type Destination struct {
	Store  bool
	File   string
	DryRun bool
	Sync   string // as in TargetOptions
	Defer  bool   // make a draft, which the first assistant message publishes
	Crumb  bool   // leave a breadcrumb for a file made in the store
	Create bool   // an existing File is left as it is, and is no error
	Force  bool   // an existing File is replaced, unless it is one of Read
	Read   []string
}

// Check refuses what contradicts itself.
func (d Destination) Check() error {
	if err := cli.Exclusive(cli.NameIf(d.Store, "--store"), cli.NameIf(d.File != "", "--output")); err != nil {
		return err
	}
	if d.Create && d.File == "" {
		return cli.UsageError("--create goes with --output")
	}
	if err := cli.Exclusive(cli.NameIf(d.Force, "--force"), cli.NameIf(d.Create, "--create"), cli.NameIf(d.Defer, "--defer")); err != nil {
		return err
	}
	if d.Defer && !d.Store && d.File == "" {
		return cli.UsageError("--defer goes with --store or --output")
	}
	return d.CheckForce()
}

// CheckForce refuses --force without a file.
func (d Destination) CheckForce() error {
	if d.Force && d.File == "" {
		return cli.UsageError("--force goes with --output: a file is replaced")
	}
	return nil
}

// Write creates the session of lines, the first of which is its header or, for a
// File, comes before it. It prints the path, or the session itself if that has no
// destination or only a dry run was asked for.
func (d Destination) Write(s *cli.Streams, lines []string) error {
	if d.DryRun || !d.Store && d.File == "" {
		_, err := jsonl.Content(lines).WriteTo(s.Out)
		return err
	}
	path, err := d.File, error(nil)
	switch {
	case d.Store:
		path, err = d.store(s, lines)
	case d.Create && exists(d.File):
	default:
		err = d.file(jsonl.Content(lines))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.Out, path)
	return err
}

// Make makes the File of what content writes. It prints nothing.
func (d Destination) Make(content io.WriterTo) error { return d.file(content) }

// store puts the session, or its draft, where it belongs in the store.
func (d Destination) store(s *cli.Streams, lines []string) (path string, err error) {
	dir, err := StoreDir()
	if err != nil {
		return "", err
	}
	h, err := session.HeaderOf([]byte(lines[0]))
	if err != nil {
		return "", err
	}
	create := store.Open(dir).Create
	if d.Defer {
		create = store.Open(dir).CreateDraft
	}
	path, err = create(h.CWD, h.Timestamp, h.ID, jsonl.Content(lines), d.Durable())
	if err == nil && d.Crumb && !d.Defer {
		leaveCrumb(s, h.CWD, path)
	}
	return path, err
}

// file makes the file, or its draft. A name that was promised to a draft is as
// good as taken.
func (d Destination) file(content io.WriterTo) error {
	if d.Force {
		// A file that is being read is not replaced: it may have grown since.
		there, err := os.Stat(d.File)
		for _, name := range d.Read {
			if read, rerr := os.Stat(name); err == nil && rerr == nil && os.SameFile(there, read) {
				return cli.WithHint(cli.UsageError("creating %s: it is the session that is read", d.File), "name another file")
			}
		}
		return d.Remake(content)
	}
	create := jsonl.Create
	if d.Defer {
		create = store.CreateDraft
	} else if file, err := store.Locate(d.File); err == nil && file != d.File {
		return cli.WithHint(fmt.Errorf("creating %s: %w", d.File, fs.ErrExist), "its draft %s exists, which sess-append publishes", file)
	}
	err := named(d.File, create(d.File, content, d.Durable()))
	switch {
	case errors.Is(err, fs.ErrExist) && d.Defer:
		return cli.WithHint(err, "a draft takes no name that is taken")
	case errors.Is(err, fs.ErrExist) && isDir(d.File):
		return cli.WithHint(err, "it is a directory: name a file in it")
	case errors.Is(err, fs.ErrExist):
		return cli.WithHint(err, "--force replaces it")
	}
	return err
}

func isDir(name string) bool {
	fi, err := os.Stat(name)
	return err == nil && fi.IsDir()
}

// Ensure makes an empty session in the working directory, as sess-new does, if an operand
// names a file that does not exist. What looks like an id names none. Its header names the agent, unless that is "".
func Ensure(ctx context.Context, operand, sync, agent string) error {
	_, err := locate(ctx, operand)
	if err == nil || operand == "" || operand == "-" || Writable(operand) != nil {
		return nil // reading says the same, or names the damage
	}
	if filepath.Ext(operand) == "" && !strings.ContainsRune(operand, os.PathSeparator) {
		return cli.WithHint(err, "--create makes a file, whose name has a dot or a slash")
	}
	if _, err := os.Lstat(operand); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	cwd, err := CWD("")
	if err != nil {
		return err
	}
	header := session.Origin{Harness: agent}.On(session.NewHeader(session.HeaderFields{ID: session.NewSessionID(), CWD: cwd, Time: time.Now().UnixMilli()}))
	d := Destination{File: operand, Sync: sync}
	if err := jsonl.Create(operand, jsonl.Content{header}, d.Durable()); !errors.Is(err, fs.ErrExist) {
		return named(operand, err)
	}
	return nil // another process made it meanwhile
}

// Durable reports whether the file that Write makes, and what belongs to it, is
// to survive a power failure: if asked for, and in the store unless asked not to.
func (d Destination) Durable() bool {
	return d.Sync == "always" || d.Sync == "" && (d.Store || inStore(d.File))
}

// CWD returns the absolute form of dir, or the working directory if dir is "". One of another system stays as it is.
func CWD(dir string) (string, error) {
	switch {
	case dir == "":
		return os.Getwd()
	case store.Foreign(dir):
		return dir, nil
	}
	return filepath.Abs(dir)
}

// Remake makes the File of what content writes, in the place of one that is there: readers
// see the old one or the new one, and after an error the old one stays. It prints nothing. A
// symbolic link is replaced itself.
func (d Destination) Remake(content io.WriterTo) error {
	if err := disk.Anew(disk.OS{}, d.File, content, d.Durable()); err != nil {
		return fmt.Errorf("creating %s: %w", d.File, disk.Cause(err))
	}
	return nil
}
