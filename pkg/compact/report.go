package compact

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// A Report tells what a compaction or a context_edit takes out of the context.
// The lines of the session stay as they are: their numbers and ids say where to
// find it.
//
// All tokens are estimates by convo.Estimate, so that they compare, and the
// system messages of a context count as the one that says the same. Unless the
// system message changes, TokensAfter is TokensBefore - TokensOut +
// SummaryTokens.
type Report struct {
	Type string // of the entry: compaction or context_edit
	ID   string // of the entry, "" for a plan
	From string // id of the first of Entries, "" if there are none
	To   string // id of the last of Entries
	Kept string // id of the first entry that a compaction keeps; its own, or "" for a plan, if none

	TokensBefore  int64
	TokensAfter   int64 // of a plan, without the summary, which is still to be made
	TokensOut     int64 // the sum of those of Entries
	SummaryTokens int64 // 0 for a plan and a context_edit

	Entries  []ReportEntry   // in the order of the path
	Files    FileOps         // that the calls and results among Entries name
	Commands []ReportCommand // that ran in Entries, or whose results are among them
}

// A ReportEntry is an entry whose messages leave the context.
type ReportEntry struct {
	ID, Type string
	Role     string // of its message
	Tokens   int64  // that leave; below 0 if an edit puts more in their place
	Partly   bool   // something stays in its place: an edit's content, or a copy that was cut
	Line     int    // in the session it was read from, 0 if it was not read
	Time     string // the timestamp, as the entry has it
}

// A ReportCommand is a command that ran.
type ReportCommand struct {
	EntryID string // of the call, or of the user's bashExecution
	Command string
	Status  *int // nil if it is not told
	Failed  bool
}

// JSON returns the report as one JSON object on one line. Members are only ever
// added; those that a plan cannot know are null.
func (r *Report) JSON() string {
	o := new(members)
	o.add("type", js.Quote(r.Type)).add("id", quoteOrNull(r.ID))
	o.add("from", quoteOrNull(r.From)).add("to", quoteOrNull(r.To)).add("firstKeptEntryId", quoteOrNull(r.Kept))
	o.add("tokensBefore", decimal(r.TokensBefore)).add("tokensAfter", decimal(r.TokensAfter)).add("tokensOut", decimal(r.TokensOut))
	summary := decimal(r.SummaryTokens)
	if r.ID == "" {
		summary = "null"
	}
	o.add("summaryTokens", summary).add("entries", array(r.Entries, ReportEntry.json))
	files := new(members).add("read", stringArray(r.Files.Read)).add("written", stringArray(r.Files.Written)).
		add("edited", stringArray(r.Files.Edited))
	return o.add("files", files.json()).add("commands", array(r.Commands, ReportCommand.json)).json()
}

func (e ReportEntry) json() string {
	return new(members).add("id", js.Quote(e.ID)).add("type", js.Quote(e.Type)).add("role", js.Quote(e.Role)).
		add("tokens", decimal(e.Tokens)).add("partly", fmt.Sprint(e.Partly)).add("line", fmt.Sprint(e.Line)).
		add("time", js.Quote(e.Time)).json()
}

func (c ReportCommand) json() string {
	status := "null"
	if c.Status != nil {
		status = fmt.Sprint(*c.Status)
	}
	return new(members).add("entryId", js.Quote(c.EntryID)).add("command", js.Quote(c.Command)).
		add("status", status).add("failed", fmt.Sprint(c.Failed)).json()
}

// members builds the text of a JSON object.
type members struct{ text strings.Builder }

func (o *members) add(name, value string) *members {
	if o.text.Len() > 0 {
		o.text.WriteByte(',')
	}
	o.text.WriteString(js.Quote(name) + ":" + value)
	return o
}

func (o *members) json() string { return "{" + o.text.String() + "}" }

func array[T any](list []T, json func(T) string) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = json(v)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

func quoteOrNull(s string) string {
	if s == "" {
		return "null"
	}
	return js.Quote(s)
}

// Text writes the report for people: how much left, by role, and the files and
// commands. Its wording may change. Each item is one line, but other control
// characters of the session are written as they are: to make them visible is
// the caller's task.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	who := "a " + r.Type + " would take"
	if r.ID != "" {
		who = r.Type + " " + r.ID + " took"
	}
	entries := "entries"
	if len(r.Entries) == 1 {
		entries = "entry"
	}
	fmt.Fprintf(&b, "%s %d %s out of the context, about %d tokens\n", who, len(r.Entries), entries, r.TokensOut)
	fmt.Fprintf(&b, "the context: about %d tokens before, %d after", r.TokensBefore, r.TokensAfter)
	switch {
	case r.Type == typeCompaction && r.ID == "":
		b.WriteString(" without the summary")
	case r.Type == typeCompaction:
		fmt.Fprintf(&b, " with a summary of %d", r.SummaryTokens)
	}
	b.WriteByte('\n')
	if len(r.Entries) > 0 {
		fmt.Fprintf(&b, "from %s to %s", r.From, r.To)
		if r.Kept != "" {
			fmt.Fprintf(&b, ", kept from %s", r.Kept)
		}
		b.WriteByte('\n')
	}
	writeTable(&b, r.byRole())
	writeTable(&b, r.files())
	writeTable(&b, r.commands())
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) byRole() [][]string {
	type sum struct{ entries, tokens int64 }
	sums := map[string]sum{}
	var roles []string
	for _, e := range r.Entries {
		s, ok := sums[e.Role]
		if !ok {
			roles = append(roles, e.Role)
		}
		sums[e.Role] = sum{s.entries + 1, s.tokens + e.Tokens}
	}
	slices.SortStableFunc(roles, func(a, b string) int { return int(sums[b].tokens - sums[a].tokens) })
	rows := [][]string{{"TOKENS", "ENTRIES", "ROLE"}}
	for _, role := range roles {
		rows = append(rows, []string{decimal(sums[role].tokens), decimal(sums[role].entries), role})
	}
	return rows
}

func (r *Report) files() [][]string {
	rows := [][]string{{"ACCESS", "FILE"}}
	read, modified := r.Files.Lists()
	for _, name := range modified {
		rows = append(rows, []string{"modified", name})
	}
	for _, name := range read {
		rows = append(rows, []string{"read", name})
	}
	return rows
}

func (r *Report) commands() [][]string {
	rows := [][]string{{"STATUS", "COMMAND"}}
	for _, c := range r.Commands {
		status := "?"
		switch {
		case c.Status != nil:
			status = fmt.Sprint(*c.Status)
		case c.Failed:
			status = "failed"
		}
		rows = append(rows, []string{status, shorten(firstLine(c.Command), subjectUnits)})
	}
	return rows
}

// writeTable writes a heading and rows below it, after an empty line; nothing
// if there are no rows.
func writeTable(b *strings.Builder, rows [][]string) {
	if len(rows) == 1 {
		return
	}
	b.WriteByte('\n')
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			row[i] = oneLine.Replace(cell)
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, row := range rows {
		last := len(row) - 1
		for i, cell := range row[:last] {
			b.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		b.WriteString(row[last] + "\n")
	}
}

var oneLine = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ")
