package listing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"time"

	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
	"github.com/sess-tools/sess/pkg/titles"
)

// A Row is a session of a listing, and whose it is.
type Row struct {
	store.Row
	Agent   string // the format of the store it is in, "" for ours
	Address string // what other tools take for it, "" if they take nothing
	Resume  string // the command line that goes on with it in its agent, "" if none is known
	Unspent bool   // nothing is known of what was spent
	Unread  bool   // something says that words or usage are there, and none was found: it is not empty, and was not read
}

// Later compares sessions by when they were written to: by the time of the file,
// or of the newest message where the session is in no file. Of those written at
// one time, as all in one file are, the one with the newest message is the later.
func Later(a, b store.Row) int {
	return cmp.Or(a.WrittenAt().Compare(b.WrittenAt()), a.Modified.Compare(b.Modified), a.Created.Compare(b.Created))
}

// A SessionRow is a session.
type SessionRow struct {
	row.Kind     `row:"session"`
	Address      string      `row:"address,null"`      // What every tool takes for the session as an operand: a path, AGENT:ID, AGENT:FILE where several have the id, or remote:ID; null if no tool but sess-import reads it where it is.
	Path         string      `row:"path,null"`         // The file that the session is in, for another agent's session that of the agent; null for a session of the remote.
	Session      string      `row:"session,known"`     // The session's id.
	Parent       string      `row:"parent,null"`       // The session that it comes from, by path or id, as its header has it; null if there is none.
	CWD          string      `row:"cwd,null"`          // The working directory; null if the header names none.
	Agent        string      `row:"agent,null"`        // The agent whose session it is; for one of the store of sess, of a directory or of the remote the one that it was imported from; null if there is none.
	Title        string      `row:"title,null"`        // The session's title on one line: the one that is stored, else one made of the first prompts; null if there is neither.
	TitleFrom    string      `row:"titleFrom,null"`    // Where the title is from: "stored" or "prompt"; null if there is none.
	Host         string      `row:"host,null"`         // The machine, if the header names one; else null.
	User         string      `row:"user,null"`         // The user, if the header names one; else null.
	Repo         string      `row:"repo,null"`         // The address of the git repository, if the header names one; else null.
	Version      int         `row:"version"`           // The version of the format, 1 to 3; 0 if there is none.
	Created      row.Time    `row:"created"`           // When the session was begun.
	Modified     row.Time    `row:"modified"`          // When the newest message was written, or else the session begun.
	Written      row.Time    `row:"written"`           // When the file was written to.
	Size         int64       `row:"size"`              // The size in bytes.
	Entries      int         `row:"entries"`           // The number of entries; a lower bound unless exact.
	Messages     int         `row:"messages"`          // The number of messages; a lower bound unless exact.
	Exact        bool        `row:"exact"`             // Whether the whole session was read; if not, counts and sums are lower bounds.
	Unread       bool        `row:"unread"`            // Whether something says that words or usage are there, and neither a message nor a call was found: the session was not read.
	FirstMessage string      `row:"firstMessage,null"` // The text of the first message of the user; null if there is none.
	LastMessage  string      `row:"lastMessage,null"`  // The text of the last message; null if there is none.
	Tokens       *row.Tokens `row:"tokens"`            // The tokens that the answers of all branches report; null if that is not known.
	Cost         row.Number  `row:"cost"`              // What the answers of all branches cost as they report it, in USD; null if none says so.
	Resume       string      `row:"resume,null"`       // The command line that goes on with the session in its own agent, from any directory; null if none is known.
}

// JSON returns the JSON of a row.
func JSON(r Row) string { return row.JSON(r.row()) }

// Write writes the JSON of a row, without a line feed.
func Write(w io.Writer, r Row) error { return row.Write(w, r.row()) }

func (r Row) row() SessionRow {
	title, from := r.Title()
	out := SessionRow{
		Address: r.Address, Path: r.Path, Session: r.ID, Parent: r.ParentSession, CWD: r.CWD, Agent: cmp.Or(r.Agent, r.Origin.Harness), Title: title, TitleFrom: from,
		Version: r.Version, Created: moment(r.Created), Modified: moment(r.Modified), Written: moment(r.ModTime),
		Size: r.Size, Entries: r.Entries, Messages: r.Messages, Exact: r.Exact, FirstMessage: r.FirstMessage, LastMessage: r.LastMessage,
		Host: r.Origin.Host, User: r.Origin.User, Repo: r.Origin.Repo(),
		Unread: r.Unread, Resume: r.Resume,
	}
	if s := r.Spent; !r.Unspent && !s.Unknown() {
		out.Cost, out.Tokens = row.Cost(s.Cost, s.Priced), &row.Tokens{
			Input: s.Input, Output: s.Output, CacheRead: s.CacheRead, CacheWrite: s.CacheWrite, Reasoning: s.Reasoning,
			Total: s.Total(),
		}
	}
	return out
}

// Cost returns what was spent for people, to a millionth.
func Cost(s session.Spent) string {
	if math.IsInf(s.Cost, 0) || math.IsNaN(s.Cost) {
		return "null"
	}
	return strconv.FormatFloat(math.Round(s.Cost*1e6)/1e6, 'f', -1, 64)
}

// moment returns a time of a row, null for one that is not known.
func moment(t time.Time) row.Time { return row.At(t.UnixMilli(), !t.IsZero()) }

// Rows iterates over the rows that r holds as lines of JSON. An error of r, or a
// line that is no row, ends the iteration.
func Rows(r io.Reader) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for l, err := range jsonl.Lines(r) {
			if err != nil {
				yield(Row{}, err)
				return
			}
			row, err := Parse(l.Data)
			if err != nil {
				yield(Row{}, fmt.Errorf("line %d: %w", l.Number, err))
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Parse returns the row that [Write] wrote as data.
func Parse(data []byte) (Row, error) {
	var v struct {
		Kind                                       string
		Address, Path, Session, Parent, CWD, Agent string
		Title, TitleFrom                           string
		Created, Modified, Written                 string
		FirstMessage, LastMessage, Resume          string
		Host, User, Repo                           string
		Version, Entries, Messages                 int
		Size                                       int64
		Exact, Unread                              bool
		Tokens                                     *struct {
			Input, Output, CacheRead, CacheWrite, Reasoning, Total int64
		}
		Cost *float64
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return Row{}, fmt.Errorf("reading a row: %w", err)
	}
	if v.Kind != "session" {
		return Row{}, fmt.Errorf("reading a row: it is of kind %q, and not a session", v.Kind)
	}
	r := Row{Agent: v.Agent, Address: v.Address, Resume: v.Resume, Unspent: v.Tokens == nil, Unread: v.Unread, Row: store.Row{
		Path: v.Path, Size: v.Size, ModTime: timeOf(v.Written),
		Info: session.Info{
			ID: v.Session, CWD: v.CWD, Name: v.Title, ParentSession: v.Parent, Version: v.Version,
			Created: timeOf(v.Created), Modified: timeOf(v.Modified), Entries: v.Entries, Messages: v.Messages,
			FirstMessage: v.FirstMessage, LastMessage: v.LastMessage, Exact: v.Exact,
			Origin: session.Origin{Host: v.Host, User: v.User},
		},
	}}
	if v.Repo != "" {
		r.Origin.Git = js.Object(js.StringField("remote", v.Repo))
	}
	if v.TitleFrom == titles.Prompt {
		r.Name, r.Prompts = "", []string{v.Title} // whose title it is
	}
	if t := v.Tokens; t != nil {
		r.Spent = session.Spent{Input: t.Input, Output: t.Output, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite, Reasoning: t.Reasoning}
		r.Spent.Unsplit = max(0, t.Total-r.Spent.Total())
	}
	if v.Cost != nil {
		r.Spent.Cost, r.Spent.Priced = *v.Cost, true
	}
	return r, nil
}

// timeOf returns a time that a row has, the zero time if it has none.
func timeOf(text string) time.Time {
	ms, ok := js.ParseTime(text)
	if !ok {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
