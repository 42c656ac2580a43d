package calls

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Glob is a pattern of file names or of command lines: * is any text, ? one character, [ab] one of
// some, and \ takes what follows as it is. In a pattern of files * and ? stop at a slash and ** does not, and one without
// a slash is matched with the last element of a path too.
type Glob struct {
	whole *regexp.Regexp
	base  bool
}

// FileGlob returns a pattern of paths.
func FileGlob(pattern string) (*Glob, error) { return newGlob(pattern, "[^/]") }

// LineGlob returns a pattern of command lines.
func LineGlob(pattern string) (*Glob, error) { return newGlob(pattern, "(?s:.)") }

func newGlob(pattern, one string) (*Glob, error) {
	var b strings.Builder
	for rest := pattern; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:(?s:.)*/)?")
			rest = rest[3:]
		case strings.HasPrefix(rest, "**"):
			b.WriteString("(?s:.)*")
			rest = rest[2:]
		case rest[0] == '*':
			b.WriteString(one + "*")
			rest = rest[1:]
		case rest[0] == '?':
			b.WriteString(one)
			rest = rest[1:]
		case rest[0] == '[':
			end := strings.IndexByte(rest[1:], ']') + 1
			if end < 2 {
				return nil, fmt.Errorf("in the pattern %q a [ has no ]", pattern)
			}
			class := rest[1:end]
			if class[0] == '!' || class[0] == '^' {
				class = "^" + class[1:]
			}
			b.WriteString("[" + strings.ReplaceAll(class, `\`, `\\`) + "]")
			rest = rest[end+1:]
		case rest[0] == '\\' && len(rest) > 1:
			_, size := utf8.DecodeRuneInString(rest[1:])
			b.WriteString(regexp.QuoteMeta(rest[1 : 1+size]))
			rest = rest[1+size:]
		default:
			_, size := utf8.DecodeRuneInString(rest)
			b.WriteString(regexp.QuoteMeta(rest[:size]))
			rest = rest[size:]
		}
	}
	whole, err := regexp.Compile(`\A(?:` + b.String() + `)\z`)
	if err != nil {
		return nil, fmt.Errorf("the pattern %q: %w", pattern, err)
	}
	return &Glob{whole, one == "[^/]" && !strings.Contains(pattern, "/")}, nil
}

// Match reports whether all of a path or a line matches.
func (g *Glob) Match(text string) bool {
	return g.whole.MatchString(text) || g.base && g.whole.MatchString(path.Base(text))
}

// MatchAny reports whether one of some paths matches.
func (g *Glob) MatchAny(paths []string) bool {
	return slices.ContainsFunc(paths, g.Match)
}
