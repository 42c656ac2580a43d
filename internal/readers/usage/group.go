package usage

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/readers/prices"
)

// A Sum adds up calls.
type Sum struct {
	Calls  int64
	Tokens prices.Tokens

	Cost             prices.Money // Stored and Computed
	Stored, Computed prices.Money
	StoredCalls      int64 // whose cost is from the session
	ComputedCalls    int64 // whose cost is from the table
	UnpricedCalls    int64 // whose cost is unknown
	UnpricedTokens   int64
	SilentCalls      int64 // answers of which neither tokens nor a cost is known

	Copies      int64 // of calls, which were left out
	CopyTokens  int64
	Bad         int64 // calls with counters that are no counts
	WrongTotals int64 // calls whose stored total is not the sum of its parts
	Parts, Told int64 // tokens of the calls that contradict a total: one that a source has, which is less, or that of a call; and of those totals

	Because  []string // why costs are not known, in the order of letters
	PricedAs []string // models of makers by whose prices calls through gateways were computed
	Assumed  []string // models of makers by whose prices calls were computed that name no provider
}

// add adds a call, its charge, and its copies.
func (s *Sum) add(c *Call, is Charge, copies int) {
	total := c.Tokens.Total()
	if c.Price.Parts > 0 {
		if s.Parts, s.Told = s.Parts+c.Price.Parts, s.Told+c.Price.Total; c.IsTotal() {
			return
		}
	}
	s.Calls++
	s.Tokens = s.Tokens.Add(c.Tokens)
	s.Cost = s.Cost.Add(is.Cost)
	s.Because, s.PricedAs, s.Assumed = with(s.Because, is.Because), with(s.PricedAs, is.As), with(s.Assumed, is.Assumed)
	switch is.By {
	case ByStored:
		s.Stored, s.StoredCalls = s.Stored.Add(is.Cost), s.StoredCalls+1
	case ByTable:
		s.Computed, s.ComputedCalls = s.Computed.Add(is.Cost), s.ComputedCalls+1
	case Unpriced:
		s.UnpricedCalls++
		s.UnpricedTokens += total
	case ByNothing:
		if c.Silent() {
			s.SilentCalls++
		}
	}
	s.Copies += int64(copies)
	s.CopyTokens += int64(copies) * total
	if c.Bad {
		s.Bad++
	}
	if c.Mismatch {
		s.WrongTotals++
	}
}

// with returns a list in the order of letters with one more text, if that is not "" and not in it.
func with(list []string, text string) []string {
	if at, has := slices.BinarySearch(list, text); !has && text != "" {
		list = slices.Insert(slices.Clip(list), at, text)
	}
	return list
}

// PricedBy says where the cost is from, "" for no cost.
func (s *Sum) PricedBy() string {
	var from []string
	for _, p := range []struct {
		by    By
		calls int64
	}{{ByStored, s.StoredCalls}, {ByTable, s.ComputedCalls}, {Unpriced, s.UnpricedCalls}} {
		if p.calls > 0 {
			from = append(from, string(p.by))
		}
	}
	return strings.Join(from, "+")
}

// Keys are what calls can be grouped by.
func Keys() []string {
	return []string{"hour", "day", "week", "month", "model", "provider", "agent", "host", "user", "repo", "project", "session", "branch", "purpose", "stop-reason"}
}

// TimeKeys are those of Keys that are times.
func TimeKeys() []string { return Keys()[:4] }

// keyOf returns what a call has for a key, "" if it is unknown.
func keyOf(name string, c *Call, s *Session, zone *time.Location) string {
	switch name {
	case "model":
		return c.Model
	case "provider":
		return c.Provider
	case "agent":
		return s.Owner()
	case "host":
		return s.Origin.Host
	case "user":
		return s.Origin.User
	case "repo":
		return s.Origin.Repo()
	case "project":
		return s.CWD
	case "session":
		return s.Address()
	case "branch":
		if c.Abandoned {
			return "abandoned"
		}
		return "active"
	case "purpose":
		return c.Purpose
	case "stop-reason":
		return c.Stop
	}
	if !c.Timed && !s.Timed {
		return ""
	}
	return timeKey(name, time.UnixMilli(c.Time).In(zone))
}

// hourLayout has the offset, because one hour comes twice when clocks are set back.
const hourLayout = "2006-01-02T15Z07:00"

// timeKey returns the unit of time that a time is in.
func timeKey(name string, at time.Time) string {
	switch name {
	case "hour":
		return at.Format(hourLayout)
	case "day":
		return at.Format(time.DateOnly)
	case "week":
		year, week := at.ISOWeek()
		return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Format("2006") + "-W" + string([]byte{'0' + byte(week/10), '0' + byte(week%10)})
	}
	return at.Format("2006-01")
}

// Address is what other tools take for a session: its id, with its agent in front.
func (s *Session) Address() string {
	if s.Agent == "" {
		return s.ID
	}
	return s.Agent + ":" + s.ID
}

// A Row is the sum of the calls with the same values of the keys.
type Row struct {
	Key     []string
	Session *Session // that they are of, nil if the keys do not say which
	Sum
}

// Unknown reports whether nothing is known of what any of the calls used.
func (s *Sum) Unknown() bool { return s.SilentCalls > 0 && s.SilentCalls == s.Calls }

// Priced reports whether the cost of a call is known, or there is none to know.
func (s *Sum) Priced() bool {
	return s.StoredCalls+s.ComputedCalls > 0 || s.UnpricedCalls+s.SilentCalls == 0
}

// A Grouping says which calls are added up, and how.
type Grouping struct {
	By           []string // of Keys
	Zone         *time.Location
	Since, Until time.Time // of calls; the zero time is no limit
	Costing      *Costing
}

// An Unknown is a model of which no price is known, or not for what a usage says.
type Unknown struct{ Provider, Model, Because string }

// String names the model, and the reason if that is another one than the model.
func (u Unknown) String() string {
	name := cmp.Or(strings.Trim(u.Provider+"/"+u.Model, "/"), "(no model named)")
	if u.Because != BecauseModel {
		name += " (" + u.Because + ")"
	}
	return name
}

// A Table has the rows of a grouping in the order of their keys.
type Table struct {
	Rows     []Row
	Total    Sum
	Unpriced []Unknown // what of calls has no price
	Untimed  int64     // calls that were left out because their time is unknown
}

// Group adds up the calls of a ledger that was settled.
func (g Grouping) Group(l *Ledger) Table {
	var t Table
	rows := map[string]*Row{}
	unpriced := map[Unknown]bool{}
	l.All(func(c Call, s *Session, copies int) {
		if in, timed := g.within(&c, s); !in {
			if !timed {
				t.Untimed++
			}
			return
		}
		is := g.Costing.Of(&c)
		if is.By == Unpriced {
			unpriced[Unknown{c.Provider, c.Model, is.Because}] = true
		}
		key := make([]string, len(g.By))
		for i, name := range g.By {
			key[i] = keyOf(name, &c, s, g.Zone)
		}
		joined := strings.Join(key, "\x00")
		r := rows[joined]
		if r == nil {
			r = &Row{Key: key}
			rows[joined] = r
		}
		if slices.Contains(g.By, "session") && (r.Session == nil || s.Operand < r.Session.Operand) {
			r.Session = s // the first of those with one id
		}
		r.add(&c, is, copies)
		t.Total.add(&c, is, copies)
	})
	for _, r := range rows {
		t.Rows = append(t.Rows, *r)
	}
	slices.SortFunc(t.Rows, func(a, b Row) int {
		for i, name := range g.By {
			if by := compareKeys(name, a.Key[i], b.Key[i]); by != 0 {
				return by
			}
		}
		return 0
	})
	t.Unpriced = slices.SortedFunc(maps.Keys(unpriced), func(a, b Unknown) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Because, b.Because))
	})
	return t
}

// within reports whether a call was made in the time wanted, and whether that is known.
func (g Grouping) within(c *Call, s *Session) (in, timed bool) {
	if g.Since.IsZero() && g.Until.IsZero() {
		return true, true
	}
	if !c.Timed && !s.Timed {
		return false, false
	}
	at := time.UnixMilli(c.Time)
	return (g.Since.IsZero() || !at.Before(g.Since)) && (g.Until.IsZero() || at.Before(g.Until)), true
}

// compareKeys orders values of a key: hours by when they were.
func compareKeys(name, a, b string) int {
	if name == "hour" {
		x, aerr := time.Parse(hourLayout, a)
		y, berr := time.Parse(hourLayout, b)
		if aerr == nil && berr == nil {
			return x.Compare(y)
		}
	}
	return cmp.Compare(a, b)
}

// mostSteps is how many units of time a line can have.
const mostSteps = 100_000

// ErrSteps is the error of [Steps] for times that are too far apart.
var ErrSteps = errors.New("too many units of time between the first call and the last")

// Steps returns all values of a key of time between the first and the last of those given.
func Steps(name string, keys []string, zone *time.Location) ([]string, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	order := func(a, b string) int { return compareKeys(name, a, b) }
	first, last := slices.MinFunc(keys, order), slices.MaxFunc(keys, order)
	step := func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }
	layout := time.DateOnly
	switch name {
	case "hour":
		layout, step = hourLayout, func(t time.Time) time.Time { return t.Add(time.Hour) }
	case "month":
		layout, step = "2006-01", func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }
	case "week":
		layout = "2006-W"
	}
	day := first
	if name == "week" {
		day = first[:strings.IndexByte(first, 'W')+1]
	}
	at, err := time.ParseInLocation(layout, day, zone)
	if err != nil {
		return nil, err
	}
	if name != "hour" {
		at = at.Add(12 * time.Hour) // a day may begin later than at midnight
	}
	var out []string
	for n := 0; n < mostSteps; n++ {
		key := timeKey(name, at.In(zone))
		if order(key, first) >= 0 && (len(out) == 0 || key != out[len(out)-1]) {
			out = append(out, key)
		}
		if key == last {
			return out, nil
		}
		at = step(at)
	}
	return nil, ErrSteps
}
