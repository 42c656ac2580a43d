package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// A text that was paid for, and the flags that make the same entry of it.
type unsent struct {
	text  string
	flags []string
}

// pay notes a summary that is lost unless it is written or kept.
func (j *job) pay(text string, flags ...string) {
	flags = append(flags, "--no-require") // it has been accepted
	for _, f := range []struct{ name, value, without string }{
		{"--rules", j.rules, "1.5"},
		{"--estimator", j.estimator, compact.DefaultEstimator},
		{"--details", j.details, ""},
		{"--short-summary", j.short, ""},
		{"--preserve-data", j.preserve, ""},
	} {
		if f.value != f.without {
			flags = append(flags, f.name, f.value)
		}
	}
	j.paid = &unsent{text, flags}
}

// again are the flags that plan the same compaction.
func (j *job) again(plan *compact.Plan) []string {
	flags := []string{"--first-kept", plan.FirstKept}
	switch plan.Strategy {
	case compact.KeepUser:
		flags = []string{"--strategy", j.strategy, "--keep", strconv.FormatInt(j.config.keep, 10), "--expect-leaf", j.leaf}
	case compact.LastTurn:
		flags = append(flags, "--strategy", j.strategy)
	}
	if len(j.edits) > 0 {
		flags = append(flags, "--prune",
			"--prune-turns", strconv.Itoa(j.pruneTurns),
			"--prune-protect", strconv.FormatInt(j.pruneProtect, 10),
			"--prune-minimum", strconv.FormatInt(j.pruneMinimum, 10))
		for _, tool := range j.pruneSkip {
			flags = append(flags, "--prune-skip", tool)
		}
	}
	return flags
}

// rescue saves the summary that could not be written for the reason in err, if one
// was paid for, and says where it is and how to use it.
func (j *job) rescue(name string, err error) error {
	if j.paid == nil {
		return err
	}
	file, failed := j.save()
	if file == "" {
		// The last place where it is not lost is the screen.
		fmt.Fprintf(j.streams.Err, "%s\n", j.paid.text)
		return errors.Join(err, fmt.Errorf("the summary could be kept nowhere, so it stands above: %w", failed))
	}
	kept := fmt.Errorf("the summary is kept in %s", file)
	if failed != nil {
		kept = fmt.Errorf("the summary is kept in %s, because %w", file, failed)
	}
	if j.branch != "" && errors.Is(err, session.ErrLeafMoved) {
		kept = fmt.Errorf("%w; it does not speak of what came meanwhile", kept)
	}
	apply := slices.Concat([]string{"sess-compact", "--summary", file}, j.paid.flags)
	switch {
	case name == "" || name == "-":
		return errors.Join(err, clikit.WithHint(kept, "to use it, as a filter of the same session: %s", words(apply)))
	case errors.Is(err, session.ErrLeafMoved) && j.branch == "" && j.expect == "":
		copied := strings.TrimSuffix(file, ".md") + ".jsonl"
		fork := []string{"sess-fork", "--at", j.leaf, "-o", copied, name}
		return errors.Join(err, clikit.WithHint(kept, "to use it in a copy of what it is of: %s && %s", words(fork), words(append(apply, copied))))
	}
	return errors.Join(err, clikit.WithHint(kept, "to use it: %s", words(append(apply, name))))
}

// save writes the text to a new file beside the session or, if that cannot be,
// where temporary files are; then failed says why. Without any place the name is
// empty.
func (j *job) save() (name string, failed error) {
	base := strings.TrimSuffix(cmp.Or(filepath.Base(j.src.Path), "session"), ".jsonl")
	dirs := []string{filepath.Dir(j.src.Path), os.TempDir()}
	if j.src.Path == "" {
		base, dirs = "session", dirs[1:]
	}
	for _, dir := range dirs {
		name, err := create(dir, base+".unsent-*.md", j.paid.text+"\n")
		if err == nil {
			return name, failed
		}
		failed = cmp.Or(failed, err)
	}
	return "", failed
}

// create makes a new file with a content. Only its owner can read it.
func create(dir, pattern, content string) (string, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return "", fmt.Errorf("making a file in %s: %w", dir, errors.Unwrap(err))
	}
	_, err = f.WriteString(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, disk.Close(f)); err != nil {
		_ = os.Remove(f.Name())
		return "", fmt.Errorf("writing to %s: %w", dir, err)
	}
	if name := filepath.Clean(f.Name()); name[0] != '-' {
		return name, nil
	}
	return f.Name(), nil // as ./-x, which no command takes for a flag
}

// words returns a command line for a shell.
func words(argv []string) string {
	out := make([]string, len(argv))
	for i, arg := range argv {
		const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+"
		if out[i] = arg; arg == "" || strings.Trim(arg, plain) != "" {
			out[i] = clikit.ShellQuote(arg)
		}
	}
	return strings.Join(out, " ")
}
