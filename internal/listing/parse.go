package listing

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"time"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

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
		Path, ID, CWD, Name, ParentSession, Created, Modified string
		FirstMessage, LastMessage, Agent                      string
		Version, Entries, Messages                            int
		Size                                                  int64
		Usage                                                 struct {
			Input, Output, CacheRead, CacheWrite int64
			Cost                                 *float64
		}
		Exact   bool
		Written time.Time
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return Row{}, fmt.Errorf("reading a row: %w", err)
	}
	cost := math.Inf(1) // which no JSON number is
	if v.Usage.Cost != nil {
		cost = *v.Usage.Cost
	}
	u := v.Usage
	return Row{Agent: v.Agent, Row: store.Row{
		Path: v.Path, Size: v.Size, ModTime: v.Written,
		Info: session.Info{
			ID: v.ID, CWD: v.CWD, Name: v.Name, ParentSession: v.ParentSession, Version: v.Version,
			Created: moment(v.Created), Modified: moment(v.Modified), Entries: v.Entries, Messages: v.Messages,
			FirstMessage: v.FirstMessage, LastMessage: v.LastMessage, Exact: v.Exact,
			Spent: session.Spent{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Cost: cost},
		},
	}}, nil
}

// moment returns a time that a row has, the zero time if it has none.
func moment(text string) time.Time {
	ms, ok := js.ParseTime(text)
	if !ok {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
