package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Options say what goes into a request.
type Options struct {
	// System keeps system messages: folded into one, in the place where the API
	// wants it. Without it they are left out.
	System bool
}

// A request collects what both APIs have in common while one is built.
type request struct {
	api     *api
	ids     *namer
	reports []report
}

// A report is a repair and the number of the message it concerns, 0 for none
// and 1 for the first.
type report struct {
	number int
	text   string
}

func (r *request) report(number int, format string, args ...any) {
	r.reports = append(r.reports, report{number, fmt.Sprintf(format, args...)})
}

// repairs returns the reports in the order of the messages they speak of.
func (r *request) repairs() []string {
	slices.SortStableFunc(r.reports, func(a, b report) int { return cmp.Compare(a.number, b.number) })
	var out []string
	for _, rep := range r.reports {
		if rep.number > 0 {
			rep.text = fmt.Sprintf("message %d: %s", rep.number, rep.text)
		}
		out = append(out, rep.text)
	}
	if n := r.ids.replaced; n > 0 {
		out = append(out, fmt.Sprintf("tool call ids replaced because they occur twice or are not what the API takes: %d", n))
	}
	return out
}

// systemText returns what the system messages say together: their contents and
// then their sections, in the order of first occurrence. It is "" without any.
func systemText(messages []session.Message) string {
	m, ok := convo.FoldSystem(messages)
	if !ok {
		return ""
	}
	var parts []string
	if text := m.Text(""); text != "" {
		parts = append(parts, text)
	}
	if sections := m.Get("sections"); sections != "" {
		for _, value := range js.Members(sections) {
			if text, ok := stringOf(value); ok && text != "" {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, "\n\n")
}

func stringOf(raw string) (string, bool) {
	if !strings.HasPrefix(raw, `"`) {
		return "", false
	}
	return js.Unquote(raw), true
}
