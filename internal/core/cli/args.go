package cli

import (
	"flag"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xrash/smetrics"
)

// A parser reads a command line as getopt_long(3) does with GNU's permutation:
// flags and operands in any order, "--" ends the flags, "-nq" is "-n -q",
// "-k9", "-k 9", "--keep=9" and "--keep 9" say the same, and the word after a
// flag that takes a value is its value even when it begins with "-". Given
// twice, a flag has its last value.
type parser struct {
	flags   []Flag
	set     *flag.FlagSet // those of them that were given
	command bool          // words after "--" are a command
	stops   bool          // the first operand ends the flags

	operands []string
	words    []string
	dashes   bool           // "--" was seen
	args     []string       // that are parsed
	second   int            // where the second operand stands among them, 0 for nowhere
	places   map[string]int // where flags of two dashes stand last, by their names
}

// proposal is the command line with the dashes in front of the command, if they may have been
// forgotten: there are none, and a second operand stands behind the session.
func (p *parser) proposal() (line string, ok bool) {
	if !p.command || p.dashes || p.second == 0 {
		return "", false
	}
	return ShellWords(slices.Concat([]string{p.set.Name()}, p.args[:p.second], []string{"--"}, p.args[p.second:])), true
}

// hinted adds to an error that a command stands behind two dashes, if they were forgotten.
func (p *parser) hinted(err error) error {
	if line, ok := p.proposal(); ok {
		return WithHint(err, behindDashes, line)
	}
	return err
}

const behindDashes = "a command comes after two dashes: %s"

func (p *parser) parse(args []string) error {
	p.args, p.places = args, map[string]int{}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			p.dashes = true
			if p.command {
				p.words = args[i+1:]
			} else {
				p.operands = append(p.operands, args[i+1:]...)
			}
			return nil
		case p.stops && (len(arg) < 2 || arg[0] != '-'):
			p.operands = args[i:]
			return nil
		case len(arg) < 2 || arg[0] != '-': // "-" is standard input
			if p.operands = append(p.operands, arg); len(p.operands) == 2 {
				p.second = i
			}
		default:
			read := p.short
			if arg[1] == '-' {
				read = p.long
				name, _, _ := strings.Cut(arg[2:], "=")
				p.places[name] = i
			}
			used, err := read(arg, args[i+1:])
			if err != nil {
				return p.hinted(err)
			}
			i += used
		}
	}
	return nil
}

// long sets the flag "--name", "--name=value" or "--name value" and returns how
// many words of rest it used.
func (p *parser) long(arg string, rest []string) (int, error) {
	name, value, inline := strings.Cut(arg[2:], "=")
	f := p.find(name)
	switch {
	case f == nil || utf8.RuneCountInString(name) == 1:
		return 0, p.mistaken("--"+name, arg)
	case inline:
		return 0, p.assign(f, name, value)
	case !takesValue(f):
		return 0, p.assign(f, name, "true")
	case len(rest) == 0:
		return 0, UsageError("flag --%s needs a value", name)
	}
	return 1, p.assign(f, name, rest[0])
}

// short sets the flags bundled in arg and returns how many words of rest they
// used.
func (p *parser) short(arg string, rest []string) (int, error) {
	for i := 1; i < len(arg); {
		_, n := utf8.DecodeRuneInString(arg[i:])
		name, after := arg[i:i+n], arg[i+n:]
		f := p.find(name)
		switch {
		case f == nil && i == 1 && p.find(arg[1:]) != nil:
			return 0, WithHint(UsageError("unknown flag %s", arg), "long flags take two dashes: -%s", arg)
		case f == nil && i == 1 && strings.Trim(arg[1:], "0123456789") == "":
			return 0, p.mistaken(arg, arg) // a number is no bundle
		case f == nil:
			return 0, p.mistaken("-"+name, arg)
		case takesValue(f) && after != "":
			return 0, p.assign(f, name, strings.TrimPrefix(after, "="))
		case takesValue(f) && len(rest) == 0:
			return 0, UsageError("flag -%s needs a value", name)
		case takesValue(f):
			return 1, p.assign(f, name, rest[0])
		case strings.HasPrefix(after, "="):
			return 0, p.assign(f, name, after[1:])
		}
		if err := p.assign(f, name, "true"); err != nil {
			return 0, err
		}
		i += n
	}
	return 0, nil
}

// find returns the flag with a name, or nil.
func (p *parser) find(name string) Flag {
	for _, f := range p.flags {
		if name != "" && slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// has reports whether there is the flag with which a hint begins.
func (p *parser) has(hint string) bool {
	name, value, _ := strings.Cut(strings.TrimPrefix(hint, "--"), " ")
	f := p.find(strings.TrimSuffix(name, ";"))
	d, _ := f.(declared)
	return f != nil && (value == "" || d.words == nil || strings.HasSuffix(name, ";") || slices.Contains(d.words, value))
}

// instead returns the command line with a flag replaced by the words of a hint; the value of the flag goes to that of the hint. ok is
// false if a word of the hint stands for one to choose, as DIR does.
func (p *parser) instead(flag, is string) (line string, ok bool) {
	at := slices.IndexFunc(p.args, func(arg string) bool { return arg == flag || strings.HasPrefix(arg, flag+"=") })
	name, own, hasOwn := strings.Cut(is, " ")
	f := p.find(strings.TrimPrefix(name, "--"))
	if at < 0 || f == nil || p.hasSecrets() || strings.HasSuffix(name, ";") || own == "DIR" || own == "N" {
		return "", false
	}
	before, rest := p.args[:at], p.args[at+1:]
	_, value, has := strings.Cut(p.args[at], "=")
	if !has && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && (takesValue(f) && !hasOwn || formOf(rest[0], is)) {
		value, has, rest = rest[0], true, rest[1:]
	}
	words := []string{name}
	switch {
	case hasOwn:
		words = append(words, own)
	case takesValue(f) && !has:
		return "", false
	case takesValue(f):
		if d, _ := f.(declared); len(d.words) > 0 {
			if value, ok = Value(value, d.words); !ok {
				return "", false
			}
		}
		words = append(words, value)
	}
	return ShellWords(slices.Concat([]string{p.set.Name()}, before, words, rest)), true
}

// hasSecrets reports whether words of the command line may be secrets, as those of a tool are that looks for them by patterns: no
// message repeats the command line.
func (p *parser) hasSecrets() bool { return p.find("secret-file") != nil }

// formOf reports whether a value names the form that a switch asks for, as in --format json.
func formOf(value, is string) bool {
	return is == "--json" && strings.HasPrefix(value, "json") || is == "--csv" && value == "csv"
}

// environment sets what the command line does not say and a variable does.
func (p *parser) environment(lookup func(string) string) error {
	for _, f := range p.flags {
		d, _ := f.(declared)
		value := lookup(d.env)
		if d.env == "" || value == "" || slices.ContainsFunc(d.names, func(name string) bool { return p.set.Lookup(name) != nil }) {
			continue
		}
		set := flag.NewFlagSet("", flag.ContinueOnError)
		err := f.Apply(set)
		if err == nil {
			err = set.Set(d.DocGenerationFlag.Names()[0], value)
		}
		if err != nil {
			return UsageError("invalid value %q of the variable %s: %v", value, d.env, err)
		}
	}
	return nil
}

func (p *parser) assign(f Flag, name, value string) error {
	if p.set.Lookup(name) == nil {
		if err := f.Apply(p.set); err != nil {
			return UsageError("%v", err)
		}
	}
	if err := p.set.Set(name, value); err != nil {
		err := UsageError("invalid value %q for %s: %s", value, dashed(name), err)
		if d, _ := f.(declared); len(d.words) > 0 {
			return p.otherValue(err, name, value, d.words)
		}
		return err
	}
	return nil
}

// otherValue adds to the error of a value what was meant by it, if that is known, as a command line.
func (p *parser) otherValue(err error, name, value string, words []string) error {
	parts := strings.Split(value, ",")
	for i, part := range parts {
		is, ok := part, slices.Contains(words, part)
		if !ok {
			is, ok = Value(part, words)
		}
		if !ok {
			return err
		}
		parts[i] = is
	}
	if strings.Join(parts, ",") == value {
		return err
	}
	if p.hasSecrets() {
		return WithHint(err, "did you mean %s?", strings.Join(parts, ","))
	}
	args := slices.Clone(p.args)
	for i, arg := range args {
		switch arg {
		case dashed(name) + "=" + value:
			args[i] = dashed(name) + "=" + strings.Join(parts, ",")
		case value:
			if i > 0 && args[i-1] == dashed(name) {
				args[i] = strings.Join(parts, ",")
			}
		}
	}
	return WithHint(err, "did you mean %s? %s", strings.Join(parts, ","), ShellWords(append([]string{p.set.Name()}, args...)))
}

// unknown refuses a flag, and says what may have been meant: another one, or a file.
func (p *parser) unknown(flag string) error {
	err := UsageError("unknown flag %s", flag)
	if is, ok := meantFlag(strings.TrimLeft(flag, "-"), p.has); ok {
		for _, form := range []string{"--json", "--csv"} { // as in -o json
			if i := slices.Index(p.args, flag); i >= 0 && i+1 < len(p.args) && !strings.HasPrefix(is, "--as") && p.has(form) && formOf(p.args[i+1], form) {
				is = form
			}
		}
		if line, ok := p.instead(flag, is); ok {
			return WithHint(err, "it is %s: %s", is, line)
		}
		return WithHint(err, "it is %s", is)
	}
	var names []string
	for _, f := range p.flags {
		if !visible(f) {
			continue
		}
		for _, name := range f.Names() {
			if utf8.RuneCountInString(name) > 1 && !slices.Contains(changing, name) {
				names = append(names, name)
			}
		}
	}
	if closest, ok := Closest(strings.TrimLeft(flag, "-"), names); ok && strings.HasPrefix(flag, "--") {
		return WithHint(err, "did you mean --%s?", closest)
	}
	return err
}

// mistaken is unknown for a whole word, which may be the name of a file.
func (p *parser) mistaken(flag, word string) error {
	if _, err := os.Lstat(word); err == nil {
		return WithHint(UsageError("unknown flag %s", flag), "put -- in front of names that begin with a dash, or ./ before them")
	}
	return p.unknown(flag)
}

// dashed returns name with as many dashes as a command line puts before it.
func dashed(name string) string {
	if utf8.RuneCountInString(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// alike is the Jaro-Winkler similarity from which on a word is taken for a slip of
// the fingers.
const alike = 0.8

// Closest returns the word among the given ones that a mistyped one was most likely
// meant to be; ok is false if none is like it.
func Closest(word string, among []string) (closest string, ok bool) {
	best := alike
	for _, w := range among {
		if score := smetrics.JaroWinkler(word, w, 0.7, 4); score > best {
			closest, ok, best = w, true, score
		}
	}
	return closest, ok
}

// RefuseUnknown refuses a word that is not among the known ones. What names the kind of
// word, such as "role".
func RefuseUnknown(what, word string, among []string) error {
	if slices.Contains(among, word) {
		return nil
	}
	err := UsageError("unknown %s %s", what, word)
	if closest, ok := Value(word, among); ok {
		return WithHint(err, "did you mean %s?", closest)
	}
	return WithHint(err, "known are %s", strings.Join(among, ", "))
}
