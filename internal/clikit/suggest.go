package clikit

import (
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

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

// Known refuses a word that is not among the known ones. What names the kind of
// word, such as "role".
func Known(what, word string, among []string) error {
	if slices.Contains(among, word) {
		return nil
	}
	err := UsageError("unknown %s %s", what, word)
	if closest, ok := Closest(word, among); ok {
		return WithHint(err, "did you mean %s?", closest)
	}
	return WithHint(err, "known are %s", strings.Join(among, ", "))
}
