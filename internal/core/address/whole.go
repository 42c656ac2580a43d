package address

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// fresh is how long a torn last line may be one that is being written.
const fresh = time.Minute

type wholeKey struct{}

// Whole returns a context in which a session of another agent is read to its end or not at all: what of it is damaged, or
// has lost its parent, makes reading it an error, of status 2, or 3 if strict is set.
func Whole(ctx context.Context, strict bool) context.Context {
	how := "fail"
	if strict {
		how = "strict"
	}
	return context.WithValue(ctx, wholeKey{}, how)
}

type lossesKey struct{}

// Losses returns a context in which reading a session of another agent tells what the conversion leaves out, in a table. Elsewhere
// it is told with -v alone: parts left out change no search, no sum and no line that is written.
func Losses(ctx context.Context) context.Context {
	return context.WithValue(ctx, lossesKey{}, "")
}

// LossesTo returns a context in which the importer writes the parts that the conversion leaves out into the new file path, as
// rows. People are told only of damage and of parts that were not read.
func LossesTo(ctx context.Context, path string) context.Context {
	return context.WithValue(ctx, lossesKey{}, path)
}

type usageKey struct{}

// UsageOnly returns a context in which the importer leaves out what says nothing of what was used, most of its work: for readers that
// only add up. What of the tree is left tells no branches.
func UsageOnly(ctx context.Context) context.Context { return context.WithValue(ctx, usageKey{}, true) }

type rememberedKey struct{}

// Remembered is UsageOnly for a reader that is no gate: what was said of a session before will do while its files are the same.
func Remembered(ctx context.Context) context.Context {
	return context.WithValue(UsageOnly(ctx), rememberedKey{}, true)
}

type textKey struct{}

// Summed returns a context in which the importer may give the [Sum] of a session in place of its text: for a reader that
// asks whether there is anything new.
func Summed(ctx context.Context) context.Context { return context.WithValue(ctx, textKey{}, "sum") }

// Copied returns a context in which the importer may give the copy of a session in the store in place of a conversion, where the
// bytes are the same: for a reader of many sessions.
func Copied(ctx context.Context) context.Context { return context.WithValue(ctx, textKey{}, "copy") }

// A Sum is the header of a session, and its text in short.
type Sum struct {
	Header string
	Size   int64  // of the text in bytes
	SHA256 string // of the text
}

const typeSum = "sum" // of a line that is no entry

// Lines is the sum as the importer gives it.
func (s Sum) Lines() string {
	return s.Header + "\n" + js.Object(js.StringField("type", typeSum), js.IntField("size", s.Size), js.StringField("sha256", s.SHA256)) + "\n"
}

// ParseSum reads what [Sum.Lines] gives. ok is false for any other text.
func ParseSum(text string) (s Sum, ok bool) {
	header, line, _ := strings.Cut(text, "\n")
	v := js.Value(strings.TrimSuffix(line, "\n"))
	s = Sum{header, v.Get("size").Int(), v.Get("sha256").Str()}
	return s, v.Get("type").Str() == typeSum && text == s.Lines()
}

type havingKey struct{}

// Having returns a context in which the importer gives the header alone of a session of which no text has one of the words, letters
// that are parts of words in any case. Whether all of such a session could be read is not told, unless [Whole] asks for it.
func Having(ctx context.Context, words []string) context.Context {
	return context.WithValue(ctx, havingKey{}, words)
}

// words are those that have the importer obey [Whole], [Losses], [UsageOnly], [Summed], [Copied] and [Having]; -v tells all, so all has to be read.
func words(ctx context.Context, s *cli.Streams) (words []string) {
	part := !s.Verbose && ctx.Value(wholeKey{}) == nil // of what there is may do
	recalled := part && !s.Judges()                    // a gate takes nothing from an earlier run
	if list, _ := ctx.Value(havingKey{}).([]string); part {
		for _, word := range list {
			words = append(words, "--word="+word)
		}
	}
	if ctx.Value(usageKey{}) != nil && !s.Verbose {
		if words = append(words, "--usage-only"); recalled && ctx.Value(rememberedKey{}) != nil {
			words = append(words, "--remembered=said")
		}
	} else if how, ok := ctx.Value(textKey{}).(string); ok && recalled {
		words = append(words, "--remembered="+how)
	}
	if how, ok := ctx.Value(wholeKey{}).(string); ok {
		words = append(words, "--on-damage="+how)
	}
	file, told := ctx.Value(lossesKey{}).(string)
	if file != "" {
		words = append(words, "--losses="+file)
	}
	switch {
	case s.Verbose:
		words = append(words, "-v")
	case !told || file != "":
		words = append(words, "--no-losses")
	}
	return words
}

// hiding are the forms of damage that may hide entries of a path.
var hiding = []session.Kind{session.NotJSON, session.NotObject, session.Fused, session.NUL, session.TooDeep, session.Torn, session.NoID, session.DuplicateID, session.MissingParent, session.Cycle}

// Hides reports whether a problem may hide what a session has.
func Hides(p session.Problem) bool { return slices.Contains(hiding, p.Kind) }

// Fresh reports whether the file at path was written to in the last minute.
func Fresh(path string) bool {
	fi, err := os.Stat(path)
	return path != "" && err == nil && time.Since(fi.ModTime()) < fresh
}

// Unread is the error of a session that was not read whole: because of the first of some problems that may hide something, nil
// if there is none. Its status is 2, or 3 if strict is set. The last line of a file that was just written to may be torn: that is
// an error only if strict is set, and then of status 2.
func (src *Source) Unread(strict bool, problems ...[]session.Problem) error {
	torn := error(nil)
	for _, list := range problems {
		for _, p := range list {
			switch {
			case !Hides(p):
			case p.Kind == session.Torn && Fresh(src.Path):
				torn = p
			case strict:
				return cli.WithStatus(located(src.Name, p), cli.ExitMalformed)
			default:
				return NotWhole(located(src.Name, p))
			}
		}
	}
	if torn != nil && strict {
		return fmt.Errorf("%s, and the file was written to in the last minute", located(src.Name, torn).Error())
	}
	return nil
}

// NotWhole is the error of a session that a gate could not read whole, with what to do.
func NotWhole(err error) error {
	return cli.WithHint(fmt.Errorf("%s: not all could be read", err.Error()), "sess-check lists damage; --damaged-ok takes what can be read for all")
}
