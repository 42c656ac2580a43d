package zeroclaw

import "strings"

// kinds are how keys begin, in the order in which ZeroClaw resolves where a message came
// from: a thread before a group before a talk with one sender. The last is that
// of the fork's last layout.
var kinds = []string{"thread", "group", "direct", "channel"}

// keysFor returns the keys that text may mean: itself, or one whose kind was left
// out, as in "telegram:alice".
func keysFor(text string) []string {
	keys := []string{text}
	if strings.Contains(text, ":") {
		for _, kind := range kinds {
			keys = append(keys, kind+":"+text)
		}
	}
	return keys
}

// kindOf returns the kind of a key, "" if it has none. What is behind it may have more
// colons, which nothing escapes.
func kindOf(key string) string {
	for _, kind := range kinds {
		if strings.HasPrefix(key, kind+":") {
			return kind
		}
	}
	return ""
}
