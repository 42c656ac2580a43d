package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // runs the views

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A drawnCall is a call in drawn sessions. Its copies have the same text.
type drawnCall struct {
	id, response, model, text string
	at                        int64
	output                    int
	cost                      int // in cents, -1 for none
}

// A drawnSession is a session with the calls that it was forked with and its own.
type drawnSession struct {
	agent, id, parent string
	at                int64
	calls             []drawnCall
}

// text is its file.
func (s *drawnSession) text() string {
	var b strings.Builder
	head := map[string]any{"type": "session", "version": 3, "id": s.id, "timestamp": js.FormatTime(s.at), "cwd": "/w"}
	if s.parent != "" {
		head["parentSession"] = s.parent
	}
	put := func(v any) {
		line, _ := json.Marshal(v)
		b.Write(append(line, '\n'))
	}
	put(head)
	for i, c := range s.calls {
		counts := map[string]any{"input": 10, "output": c.output, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 10 + c.output}
		if c.cost >= 0 {
			counts["cost"] = map[string]any{"total": float64(c.cost) / 100}
		}
		m := map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "text", "text": c.text}}, "provider": "anthropic", "model": c.model, "usage": counts, "stopReason": "stop"}
		if c.response != "" {
			m["responseId"] = c.response
		}
		e := map[string]any{"type": "message", "id": c.id, "parentId": nil, "timestamp": js.FormatTime(c.at), "message": m}
		if i > 0 {
			e["parentId"] = s.calls[i-1].id
		}
		put(e)
	}
	return b.String()
}

// drawSessions draws forks of forks over days. Few texts and counters are there, so that calls of no relation are alike, too.
func drawSessions(r *rand.Rand) (all []*drawnSession) {
	const day = 24 * 60 * 60 * 1000
	n := 0
	next := func() int { n++; return n }
	for range 1 + r.IntN(9) {
		s := &drawnSession{agent: []string{"", "", "codex", "opencode"}[r.IntN(4)], id: fmt.Sprintf("0abc-%d", next()), at: 1_790_000_000_000 + int64(r.IntN(6))*day + int64(next())}
		if parent := r.IntN(len(all) + 1); parent < len(all) {
			p := all[parent]
			s.agent, s.parent, s.at = p.agent, []string{p.id, "/gone/2026_" + p.id + ".jsonl", "../" + p.id + ".jsonl"}[r.IntN(3)], p.at+int64(r.IntN(3))*day+int64(next())
			if s.agent == "opencode" {
				s.parent = "" // it does not say what a fork is of
			}
			for _, c := range p.calls[:r.IntN(len(p.calls)+1)] {
				switch s.agent {
				case "codex":
					c.id, c.at = fmt.Sprintf("%08x", 1<<28+next()), s.at
				case "opencode":
					c.id = fmt.Sprintf("%08x", 1<<28+next())
				default:
					if c.response != "" && r.IntN(3) == 0 {
						c.output += r.IntN(3) // it was written while it came in
					}
				}
				s.calls = append(s.calls, c)
			}
		}
		for range r.IntN(4) {
			c := drawnCall{
				id: fmt.Sprintf("%08x", 1<<28+next()), model: []string{"claude-opus-5", "m"}[r.IntN(2)], text: "done",
				at: s.at + int64(r.IntN(2*day)), output: 1 + r.IntN(2), cost: r.IntN(2) - 1,
			}
			if s.agent == "" && r.IntN(2) == 0 {
				c.response = fmt.Sprint("msg_", next())
			}
			s.calls = append(s.calls, c)
		}
		all = append(all, s)
	}
	if r.IntN(3) == 0 { // a parent that was deleted
		all = slices.Delete(all, 0, 1)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// load puts rows into a table of SQLite.
func load[T any](t *testing.T, db *sql.DB, table string, rows []T) {
	t.Helper()
	var columns []string
	for f := range reflect.TypeFor[T]().Fields() {
		column, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		columns = append(columns, column)
	}
	if _, err := db.Exec("create table " + table + " (" + strings.Join(columns, ",") + ")"); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		var values []any
		for _, v := range reflect.ValueOf(r).Fields() {
			switch of := v.Interface().(type) {
			case string:
				values = append(values, sql.NullString{String: of, Valid: of != ""})
			case [][]string, []string:
				values = append(values, fmt.Sprint(of))
			default:
				values = append(values, of)
			}
		}
		if _, err := db.Exec("insert into "+table+" values (?"+strings.Repeat(",?", len(values)-1)+")", values...); err != nil {
			t.Fatal(err)
		}
	}
}

// views are the tables in SQLite, with the views of views.sql.
func views(t *testing.T, sessions []sessionRow, calls []callRow, used []usageRow) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	must.Do(t, err)
	db.SetMaxOpenConns(1)
	load(t, db, sessionsTable, sessions)
	load(t, db, callsTable, calls)
	load(t, db, usageTable, used)
	if _, err := db.Exec(viewsSQL); err != nil {
		t.Fatal(err)
	}
	return db
}

// A usedSum is what calls used.
type usedSum struct{ Calls, Copies, Input, Output, Cost int64 }

// TestTableSums: the calls that views count once are those that a ledger counts, by session, model and day.
func TestTableSums(t *testing.T) {
	t.Parallel()
	table, err := prices.Builtin()
	must.Do(t, err)
	for _, r := range drawn.Cases(t, 2000) {
		all := drawSessions(r)
		l, made := &usage.Ledger{}, &tables{config: &config{}, prices: table}
		var sessions []sessionRow
		var used []usageRow
		for _, s := range all {
			text, name := s.text(), s.id+".jsonl"
			read, err := usage.Read(strings.NewReader(text), usage.Options{Agent: s.agent, Branches: true})
			must.Do(t, err)
			at, timed := js.ParseTime(read.Header.Timestamp)
			l.Add(usage.Session{Name: name, ID: s.id, Parent: s.parent, Agent: s.agent, Time: at, Timed: timed}, read.Calls)
			parsed, err := session.Read(strings.NewReader(text))
			must.Do(t, err)
			src, whole := selection.Source{Name: filepath.Base(name), Agent: s.agent}, &address.Source{Session: parsed}
			sessions = append(sessions, made.sessionOf(src, whole))
			used = append(used, made.usageOf(src, whole, read.Calls)...)
		}
		l.Settle()
		want := map[string]usedSum{}
		by := usage.Grouping{By: []string{"session", "model", "day"}, Zone: time.UTC, Costing: &usage.Costing{Mode: usage.Auto, Table: table}}
		for _, r := range by.Group(l).Rows {
			_, id, _ := strings.Cut(":"+r.Key[0], ":")
			want[id[strings.LastIndexByte(id, ':')+1:]+" "+r.Key[1]+" "+r.Key[2]] = usedSum{r.Calls, r.Copies, r.Tokens.Input, r.Tokens.Output, int64(r.Cost)}
		}
		db := views(t, sessions, nil, used)
		rows, err := db.Query(`select session || ' ' || model || ' ' || date(made / 1000, 'unixepoch'), count(*), sum(copies), sum(input), sum(output), coalesce(sum(cost), 0)
			from usage_once group by 1`)
		must.Do(t, err)
		got := map[string]usedSum{}
		for rows.Next() {
			var key string
			var s usedSum
			must.Do(t, rows.Scan(&key, &s.Calls, &s.Copies, &s.Input, &s.Output, &s.Cost))
			got[key] = s
		}
		if diff := cmp.Diff(want, got); diff != "" || rows.Err() != nil {
			for _, s := range all {
				t.Logf("%s %s", s.agent, s.text())
			}
			t.Fatalf("%v: the ledger (-) and the view (+):\n%s", rows.Err(), diff)
		}
		must.Do(t, db.Close())
	}
}
