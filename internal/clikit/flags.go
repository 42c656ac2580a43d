package clikit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// A Flag is a flag of a tool.
type Flag = cli.Flag

// A declared flag is one of urfave's. It knows its names itself, all of them,
// where urfave's runs a regular expression for each time one is asked for; and
// what it stores into has its default from the declaration on, so that only
// flags that are given have to be applied. Both are paid at every start.
type declared struct {
	cli.DocGenerationFlag
	names []string
	words []string // of a choice
	group string   // heading in help
}

func (d declared) Names() []string { return d.names }

// The constructors below declare a flag that stores into dst. The names are
// separated by commas, the long one first, as in "leaf, l". A word of usage in
// backquotes names the value in help: "end at `REF`".

// Bool declares a switch, off unless given.
func Bool(dst *bool, names, usage string) cli.Flag {
	*dst = false
	n := cutNames(names)
	return declared{DocGenerationFlag: &cli.BoolFlag{Name: n[0], Aliases: n[1:], Usage: usage, Destination: dst, DisableDefaultText: true}, names: n}
}

// String declares a flag with a text value.
func String(dst *string, names, value, usage string) cli.Flag {
	*dst = value
	n := cutNames(names)
	return declared{DocGenerationFlag: &cli.StringFlag{Name: n[0], Aliases: n[1:], Usage: usage, Destination: dst, Value: value}, names: n}
}

// Int declares a flag with a decimal (or 0x, 0o, 0b) integer value.
func Int(dst *int, names string, value int, usage string) cli.Flag {
	*dst = value
	n := cutNames(names)
	return declared{DocGenerationFlag: &cli.IntFlag{Name: n[0], Aliases: n[1:], Usage: usage, Destination: dst, Value: value}, names: n}
}

// Int64 is [Int] for offsets and sizes.
func Int64(dst *int64, names string, value int64, usage string) cli.Flag {
	*dst = value
	n := cutNames(names)
	return declared{DocGenerationFlag: &cli.Int64Flag{Name: n[0], Aliases: n[1:], Usage: usage, Destination: dst, Value: value}, names: n}
}

// Count declares a flag with a number above 0, which is 0 without the flag.
func Count(dst *int, names, usage string) cli.Flag {
	*dst = 0
	return Value((*count)(dst), names, usage)
}

// Tokens declares a flag with a number of tokens, 0 or more: 20000, 20k or 1M.
func Tokens(dst *int64, names string, value int64, usage string) cli.Flag {
	*dst = value
	return Value((*tokens)(dst), names, usage)
}

// Duration declares a flag with a value such as 300ms, 10s or 1h30m.
func Duration(dst *time.Duration, names string, value time.Duration, usage string) cli.Flag {
	*dst = value
	return Value((*duration)(dst), names, usage)
}

// Group puts flags under a heading in help.
func Group(title string, flags ...cli.Flag) []cli.Flag {
	out := slices.Clone(flags)
	for i, f := range out {
		if d, ok := f.(declared); ok {
			d.group = title
			out[i] = d
		}
	}
	return out
}

// Strings declares a flag that may be repeated; each use adds one value, which
// may hold commas.
func Strings(dst *[]string, names, usage string) cli.Flag {
	return Value((*list)(dst), names, usage)
}

// Optional declares a flag with a text value that tells "not given", which
// leaves *dst nil, from an empty text.
func Optional(dst **string, names, usage string) cli.Flag {
	return Value(&optional{dst}, names, usage)
}

// Choice declares a flag that takes one of a few words. The first one is the
// value without the flag; it may be "", which cannot be given.
func Choice(dst *string, names string, words []string, usage string) cli.Flag {
	*dst = words[0]
	f := generic(&choice{dst, words}, names, usage)
	f.words = words
	return f
}

// Value declares a flag with a type of its own. Its Set reports a bad value; it
// runs once for each time the flag is given. Its String is the default shown by
// help; an empty one shows none.
func Value(v cli.Generic, names, usage string) cli.Flag { return generic(v, names, usage) }

func generic(v cli.Generic, names, usage string) declared {
	n := cutNames(names)
	return declared{DocGenerationFlag: &cli.GenericFlag{Name: n[0], Aliases: n[1:], Usage: usage, Value: v}, names: n}
}

func cutNames(names string) []string {
	all := strings.Split(names, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

type count int

func (c *count) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return errors.New("want a number above 0")
	}
	*c = count(n)
	return nil
}

func (c *count) String() string { return "" }

type tokens int64

func (n *tokens) Set(s string) error {
	digits, unit := s, int64(1)
	switch {
	case strings.HasSuffix(s, "k"), strings.HasSuffix(s, "K"):
		digits, unit = s[:len(s)-1], 1_000
	case strings.HasSuffix(s, "M"):
		digits, unit = s[:len(s)-1], 1_000_000
	}
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || v < 0 || v > math.MaxInt64/unit {
		return errors.New("want a number of tokens, such as 20000 or 20k")
	}
	*n = tokens(v * unit)
	return nil
}

func (n *tokens) String() string { return strconv.FormatInt(int64(*n), 10) }

type duration time.Duration

func (d *duration) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil {
		return errors.New("want a duration such as 5s")
	}
	*d = duration(v)
	return nil
}

func (d *duration) String() string { return time.Duration(*d).String() }

type list []string

func (l *list) Set(s string) error { *l = append(*l, s); return nil }
func (l *list) String() string     { return strings.Join(*l, " ") }

type optional struct{ dst **string }

func (o *optional) Set(s string) error { *o.dst = &s; return nil }

func (o *optional) String() string {
	if o.dst == nil || *o.dst == nil {
		return ""
	}
	return **o.dst
}

type choice struct {
	dst   *string
	words []string
}

func (c *choice) Set(s string) error {
	if s == "" || !slices.Contains(c.words, s) {
		return fmt.Errorf("want %s", c.alternatives())
	}
	*c.dst = s
	return nil
}

func (c *choice) String() string {
	if c.dst == nil {
		return ""
	}
	return *c.dst
}

// alternatives lists the words that can be given.
func (c *choice) alternatives() string {
	return strings.Join(given(c.words), ", ")
}

func given(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
}

// frameFlags are the flags of every tool.
func frameFlags(quiet, verbose, help, version *bool) []cli.Flag {
	return []cli.Flag{
		Bool(quiet, "quiet, q", "print no warnings"),
		Bool(verbose, "verbose, v", "print what is being done"),
		Bool(help, "help, h", "print this help"),
		Bool(version, "version", "print the version"),
	}
}
