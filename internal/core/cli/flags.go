package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"
)

// A Flag is a flag of a tool.
type Flag = urfave.Flag

// A declared flag is one of urfave's. It knows all its names itself, where urfave's runs a regular
// expression for each time one is asked for; and its variable has the default from the declaration
// on, so that only flags that are given have to be applied. Both are paid at every start.
type declared struct {
	urfave.DocGenerationFlag
	names []string
	words []string // of a choice
	group string   // heading in help
	again bool     // each use adds a value
	env   string   // the variable that says it where the flag is not given
}

func (d declared) Names() []string { return d.names }

// The constructors below declare a flag that stores into dst. The names are
// separated by a comma and a space, the long one first, as in "leaf, l". A word of usage in
// backquotes names the value in help: "end at `REF`". A word that several tools have means the same in all of
// them, and says it in the same words: docs/words_test.go has the list.

// Bool declares a switch, off unless given.
func Bool(dst *bool, names, usage string) Flag {
	*dst = false
	n := strings.Split(names, ", ")
	return declared{DocGenerationFlag: &urfave.BoolFlag{Name: n[0], Aliases: n[1:], Usage: usage, Destination: dst, DisableDefaultText: true}, names: n}
}

// String declares a flag with a text value.
func String(dst *string, names, value, usage string) Flag {
	*dst = value
	n := strings.Split(names, ", ")
	return declared{DocGenerationFlag: &urfave.StringFlag{Name: n[0], Aliases: n[1:], Usage: usage, Destination: dst, Value: value}, names: n}
}

// Output declares --output, the name of the file to make: "" without the flag and for "-", standard
// output.
func Output(dst *string, usage string) Flag {
	*dst = ""
	return parsed(dst, "output, o", usage, func(s string) (string, error) {
		switch s {
		case "":
			return "", errors.New("want a name, or - for standard output")
		case "-":
			return "", nil
		}
		return s, nil
	})
}

// Int declares a flag with an integer value as [Number] reads it.
func Int[N int | int64](dst *N, names string, value N, usage string) Flag {
	*dst = value
	return parsed(dst, names, usage, func(s string) (N, error) {
		n, err := Number(s)
		if err != nil || int64(N(n)) != n {
			return 0, errors.New("want a number")
		}
		return N(n), nil
	})
}

// Number reads an integer: a decimal one (or 0x, 0o, 0b), with k behind it for thousands
// or M for millions.
func Number(s string) (int64, error) {
	digits, unit := s, int64(1)
	switch {
	case strings.HasSuffix(s, "k"), strings.HasSuffix(s, "K"):
		digits, unit = s[:len(s)-1], 1_000
	case strings.HasSuffix(s, "M"):
		digits, unit = s[:len(s)-1], 1_000_000
	}
	base := 10 // 010 is ten
	if d := strings.ToLower(strings.TrimLeft(digits, "+-")); len(d) > 1 && strings.ContainsRune("xob", rune(d[1])) {
		base = 0
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if err == nil && (n > math.MaxInt64/unit || n < math.MinInt64/unit) {
		err = strconv.ErrRange
	}
	return n * unit, err
}

// Count declares a flag with a number above 0, which is 0 without the flag.
func Count(dst *int, names, usage string) Flag {
	*dst = 0
	return parsed(dst, names, usage, func(s string) (int, error) {
		n, err := Number(s)
		if err != nil || n < 1 || int64(int(n)) != n {
			return 0, errors.New("want a number above 0")
		}
		return int(n), nil
	})
}

// Tokens declares a flag with a number of tokens, 0 or more: 20000, 20k or 1M.
func Tokens(dst *int64, names string, value int64, usage string) Flag {
	return amount(dst, names, value, usage, "tokens")
}

// Bytes declares a flag with a number of bytes, in the form of [Tokens].
func Bytes(dst *int64, names string, value int64, usage string) Flag {
	return amount(dst, names, value, usage, "bytes")
}

func amount(dst *int64, names string, value int64, usage, unit string) Flag {
	*dst = value
	return parsed(dst, names, usage, func(s string) (int64, error) {
		n, err := Number(s)
		if err != nil || n < 0 {
			return 0, errors.New("want a number of " + unit + ", such as 20000 or 20k")
		}
		return n, nil
	})
}

// Duration declares a flag with a value such as 300ms, 10s or 1h30m, which is not negative.
func Duration(dst *time.Duration, names string, value time.Duration, usage string) Flag {
	*dst = value
	return parsed(dst, names, usage, func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if err != nil {
			return 0, errors.New("want a duration such as 5s")
		}
		if d < 0 {
			return 0, errors.New("want a duration of 0 or more")
		}
		return d, nil
	})
}

// Strings declares a flag that may be repeated; each use adds one value, which
// may hold commas.
func Strings(dst *[]string, names, usage string) Flag {
	f := parsed(dst, names, usage, func(s string) ([]string, error) { return append(*dst, s), nil })
	f.again = true
	return f
}

// Optional declares a flag with a text value that tells "not given", which
// leaves *dst nil, from an empty text.
func Optional(dst **string, names, usage string) Flag {
	return parsed(dst, names, usage, func(s string) (*string, error) { return &s, nil })
}

// OptionalInt declares a flag with an integer value that tells "not given", which leaves
// *dst nil.
func OptionalInt(dst **int, names, usage string) Flag {
	return parsed(dst, names, usage, func(s string) (*int, error) {
		n, err := Number(s)
		if err != nil || int64(int(n)) != n {
			return nil, errors.New("want a number")
		}
		i := int(n)
		return &i, nil
	})
}

// Choice declares a flag that takes one of a few words. The first one is the
// value without the flag; it may be "", which cannot be given.
func Choice(dst *string, names string, words []string, usage string) Flag {
	*dst = words[0]
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	f := parsed(dst, names, usage, func(s string) (string, error) {
		if !slices.Contains(words, s) {
			return "", fmt.Errorf("want %s", strings.Join(words, ", "))
		}
		return s, nil
	})
	f.words = words
	return f
}

// ChoicesOr declares a flag that takes several of a few words, or of others that only a look at the
// world can tell.
func ChoicesOr(dst *[]string, names string, words []string, other func(string) bool, usage string) Flag {
	*dst = nil
	f := parsed(dst, names, usage, func(s string) ([]string, error) {
		given := strings.Split(s, ",")
		if slices.ContainsFunc(given, func(w string) bool { return !slices.Contains(words, w) && !other(w) }) {
			return nil, fmt.Errorf("want %s", strings.Join(words, ", "))
		}
		return given, nil
	})
	f.words = words
	return f
}

// parsed declares a flag whose value one function reads, each time that the flag
// is given.
func parsed[T any](dst *T, names, usage string, parse func(string) (T, error)) declared {
	n := strings.Split(names, ", ")
	return declared{DocGenerationFlag: &urfave.GenericFlag{Name: n[0], Aliases: n[1:], Usage: usage, Value: &value[T]{dst, parse}}, names: n}
}

type value[T any] struct {
	dst   *T
	parse func(string) (T, error)
}

func (v *value[T]) Set(s string) (err error) {
	t, err := v.parse(s)
	if err == nil {
		*v.dst = t
	}
	return err
}

// String is the default in help. A list and an optional value have none.
func (v *value[T]) String() string {
	switch t := any(*v.dst).(type) {
	case []string, *string, *int:
		return ""
	default:
		if text := fmt.Sprint(t); !strings.HasPrefix(text, "-") { // which stands for none
			return text
		}
		return ""
	}
}

// Group puts flags under a heading in help.
func Group(title string, flags ...Flag) []Flag {
	out := slices.Clone(flags)
	for i, f := range out {
		if d, ok := f.(declared); ok {
			d.group = title
			out[i] = d
		}
	}
	return out
}

// Private takes flags out of help, completion and [Describe]: those by which one of the tools asks another. They may change
// from one version to the next.
func Private(flags ...Flag) []Flag {
	for _, f := range flags {
		switch f := f.(declared).DocGenerationFlag.(type) {
		case *urfave.BoolFlag:
			f.Hidden = true
		case *urfave.StringFlag:
			f.Hidden = true
		case *urfave.GenericFlag:
			f.Hidden = true
		}
	}
	return flags
}

// Env gives a flag a variable of the environment, which says the same where the flag is not given. A variable whose value
// the flag would refuse is a usage error.
func Env(variable string, f Flag) Flag {
	d := f.(declared)
	d.env = variable
	return d
}

// Variable makes of a flag what a variable of the environment alone says: no word of the command line names it.
func Variable(variable string, f Flag) Flag {
	d := Env(variable, f).(declared)
	d.names = nil
	return d
}

// visible reports whether help has a flag.
func visible(f Flag) bool {
	d, ok := f.(declared)
	if !ok {
		return true
	}
	v, ok := d.DocGenerationFlag.(urfave.VisibleFlag)
	return len(d.names) > 0 && (!ok || v.IsVisible())
}

// Words are the words of a flag's values, which commas separate.
func Words(values []string) (words []string) {
	for _, v := range values {
		words = append(words, strings.Split(v, ",")...)
	}
	return words
}

// Exclusive refuses more than one of the flags that were given, see [NameIf].
func Exclusive(given ...string) error {
	given = slices.DeleteFunc(slices.Clone(given), func(name string) bool { return name == "" })
	if len(given) < 2 {
		return nil
	}
	return UsageError("%s and %s exclude each other", given[0], given[1])
}

// NameIf is the name of a flag if it was given, and else "".
func NameIf(was bool, name string) string {
	if was {
		return name
	}
	return ""
}

// takesValue reports whether f is no switch.
func takesValue(f Flag) bool {
	g, ok := f.(urfave.DocGenerationFlag)
	return !ok || g.TakesValue()
}

// A frame has what the flags of every tool say.
type frame struct {
	quiet, verbose, short, help, version bool
	color                                string
}

// flags are the flags of every tool. A name that the tool declares itself is the tool's: -v of
// a grep selects lines that do not match.
func (fr *frame) flags(own []Flag) []Flag {
	taken := parser{flags: own}
	var out []Flag
	add := func(dst *bool, usage string, names ...string) {
		names = slices.DeleteFunc(names, func(name string) bool { return taken.find(name) != nil })
		if len(names) > 0 {
			out = append(out, Bool(dst, strings.Join(names, ", "), usage))
		}
	}
	add(&fr.quiet, "print no messages", "quiet", "q")
	add(&fr.verbose, "print more detail", "verbose", "v")
	return append(out, Choice(&fr.color, "color", []string{"auto", "always", "never"}, "use colours `WHEN`"), Bool(&fr.short, "h", "print the flags that most people use"),
		Bool(&fr.help, "help", "print this help"), Bool(&fr.version, "version", "print the version"))
}
