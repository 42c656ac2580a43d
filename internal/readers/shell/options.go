package shell

import "strings"

// options are the flags of a program that are known, names without their dashes: those that take no word, and those that take one.
type options struct{ alone, takes string }

// next reads the flag that words begin with. name is that of the last one of a group of letters, and value its word. known is false for
// a flag that is not here, or whose word the shell may make several of.
func (o *options) next(args []word) (name string, value *word, rest []word, known bool) {
	w, rest := args[0], args[1:]
	dashes := len(w.lead) - len(strings.TrimLeft(w.lead, "-"))
	name = w.lead[dashes:]
	long, joined, joins := strings.Cut(name, "=")
	taken := func(name string) (string, *word, []word, bool) {
		if len(rest) == 0 {
			return name, nil, nil, true
		}
		return name, &rest[0], rest[1:], rest[0].literal || rest[0].solid
	}
	switch {
	case joins && dashes == 2 && len(long) > 1 && has(o.takes, long):
		_, text, _ := strings.Cut(w.text, "=")
		return long, &word{text: text, lead: joined, literal: w.literal, solid: w.solid}, rest, w.literal || w.solid
	case !w.literal:
		return name, nil, rest, false
	case w.text == "-":
		return w.text, nil, rest, has(o.alone, w.text)
	case dashes == 2 && len(name) > 1:
		if has(o.takes, name) {
			return taken(name)
		}
		return name, nil, rest, has(o.alone, name)
	case dashes != 1:
		return name, nil, rest, false
	}
	for i := range len(name) {
		letter := name[i : i+1]
		switch {
		case has(o.takes, letter) && i+1 == len(name):
			return taken(letter)
		case has(o.takes, letter):
			value := literalWord(name[i+1:])
			return letter, &value, rest, true
		case !has(o.alone, letter):
			return name, nil, rest, false
		}
	}
	return name, nil, rest, true
}

// has reports whether a list has a word.
func has(list, name string) bool {
	for list != "" {
		var one string
		if one, list, _ = strings.Cut(list, " "); one == name {
			return true
		}
	}
	return false
}
