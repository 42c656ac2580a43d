package formats

import (
	"context"
	_ "embed" // made.txt
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/needles"
)

// Words are runs of letters that are looked for in a session, in whatever case, as parts of words.
type Words struct{ set *needles.Set }

// made has the words of the literals of the packages that convert sessions, in lower case: what a text may have that its source
// does not. A test of package all holds it to the code.
//
//go:embed made.txt
var made string

// OfSources returns the words if every text that has one of them has it from its source; nil if conversion may have made one, or if there
// are none.
func OfSources(words []string) *Words {
	var list []needles.Needle
	for _, w := range words {
		if w == "" || strings.Contains(made, strings.ToLower(w)) {
			return nil
		}
		list = append(list, needles.Needle{Text: w, Fold: true})
	}
	if list == nil {
		return nil
	}
	return &Words{needles.New(list)}
}

// In reports whether JSON text may have one of the words in a string.
func (w *Words) In(text []byte) bool { return w.set.In(text) }

// A Sifter is an archive that tells by the bytes of a session's source that no text of the session has a word: in a fraction of
// the time that it takes to convert it.
type Sifter interface {
	// MayHave reports whether a text of the session may have one of the words. It also does if something has to be told of the session
	// that only reading it tells: that it cannot be read, or has neither a message nor a call.
	MayHave(ctx context.Context, info Info, words *Words) bool
}

// MayHave reports whether a text of a session may have one of the words, as far as its archive tells. Nil may be anything.
func MayHave(ctx context.Context, a Archive, info Info, words *Words) bool {
	s, ok := a.(Sifter)
	return !ok || words == nil || s.MayHave(ctx, info, words)
}

// Seams tells whether texts of a reply that follow each other, which [session.Message.JoinTexts] makes one, may make a word of two parts.
type Seams struct{ ends map[string]bool }

// Text takes the next text of a reply, and reports whether a word may go on in it.
func (s *Seams) Text(reply, text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	goesOn := s.ends[reply] && (text == "" || unicode.IsLetter(first))
	if s.ends == nil {
		s.ends = map[string]bool{}
	}
	if unicode.IsLetter(last) {
		s.ends[strings.Clone(reply)] = true
	} else if text != "" {
		delete(s.ends, reply)
	}
	return goesOn
}
