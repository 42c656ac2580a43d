package js

import "strings"

// Spelled returns a valid JSON text as [Stringify] spells it: without white space, with
// strings and numbers as JavaScript writes them. A text that is spelled so already is
// returned as it is, which takes but one look at its bytes. Programs that decode and encode
// a line make this of it, so two lines are one line to them if this is the same.
func Spelled(json string) string {
	if isSpelled(json) {
		return json
	}
	return Stringify(json)
}

// isSpelled reports whether Stringify would leave a text alone. It may be wrong about a
// text that is not valid UTF-8, or has a key that occurs twice or is the index of an array.
func isSpelled(json string) bool {
	for i := 0; i < len(json); {
		switch c := json[i]; {
		case c == '"':
			end, ok := spelledString(json, i+1)
			if !ok {
				return false
			}
			i = end
		case isBlank(c):
			return false
		case c == '-' || isDigit(c):
			end := i + 1
			for end < len(json) && strings.IndexByte("0123456789+-.eE", json[end]) >= 0 {
				end++
			}
			if lit := json[i:end]; !isPlain(lit) && string(appendNumber(nil, lit)) != lit {
				return false
			}
			i = end
		default:
			i++
		}
	}
	return true
}

// spelledString returns where the string ends whose inside begins at i; ok is false if it
// has an escape that might be spelled otherwise.
func spelledString(json string, i int) (end int, ok bool) {
	for i < len(json) {
		n := strings.IndexAny(json[i:], `"\`)
		if n < 0 {
			return 0, false
		}
		if i += n; json[i] == '"' {
			return i + 1, true
		}
		if i+1 >= len(json) || json[i+1] == 'u' || json[i+1] == '/' {
			return 0, false
		}
		i += 2
	}
	return 0, false
}
