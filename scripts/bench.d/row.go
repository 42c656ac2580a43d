package main

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A goal is something to measure. Its name says what against what.
type goal struct {
	name string
	run  func(ctx context.Context, name string) ([]row, error)
}

// A row is a line of the table.
type row struct {
	goal, ours, peer, ratio, want string
	met                           bool
	pairs                         int
	skipped                       string // why there is nothing but a name
	note                          string // behind the rest
}

// noGoal is the goal of a row that reports what was measured, and no more.
const noGoal = "none"

// ratioRow is the row of a contest that is to have a ratio of at most limit.
func ratioRow(name string, c contest, limit float64) row {
	return row{
		goal: name, ours: duration(c.ours), peer: duration(c.peer), ratio: ratio(c.ratio), want: "≤ " + ratio(limit),
		met: c.ratio <= limit, pairs: c.pairs,
	}
}

// timeRow is the row of a contest in which ours is to take at most limit seconds.
func timeRow(name string, c contest, limit float64) row {
	r := ratioRow(name, c, 0)
	r.want, r.met = "≤ "+duration(limit), c.ours <= limit
	return r
}

// memoryRow is the row of a peak that is to have at most limit bytes, behind that of its time.
func memoryRow(rss, limit int64) row {
	const name = "… peak RSS"
	r := row{goal: name, ours: size(float64(rss)), want: "≤ " + size(float64(limit)), met: rss <= limit}
	if floor := ownPeak(); rss <= floor { // what it has from the fork
		r.ours = "≤ " + size(float64(floor))
	}
	if rss == 0 {
		return row{goal: name, skipped: "skipped: the system does not tell"}
	}
	return r
}

// widths of the columns of the printed table.
const (
	wideGoal  = 74
	wideValue = 11
	wideRatio = 8
	wideWant  = 11
)

func heading() string {
	return line("goal", "ours", "peer", "ratio", "goal", "met")
}

func line(cells ...string) string {
	widths := []int{wideGoal, wideValue, wideValue, wideRatio, wideWant, 0}
	var b strings.Builder
	for i, c := range cells {
		b.WriteString(c)
		if i < len(cells)-1 {
			b.WriteString(strings.Repeat(" ", max(1, widths[i]-utf8.RuneCountInString(c))))
		}
	}
	return b.String() + "\n"
}

// text is the row as it is printed.
func (r row) text() string {
	if r.skipped != "" {
		return line(r.goal, r.skipped)
	}
	return line(r.goal, r.ours, r.peer, r.ratio, r.want, r.verdict()+r.remark())
}

func (r row) verdict() string {
	if r.met {
		return "yes"
	}
	return "no"
}

// remark is what else there is to know, in brackets.
func (r row) remark() string {
	var parts []string
	if r.pairs == 1 {
		parts = append(parts, "peer once")
	}
	if r.note != "" {
		parts = append(parts, r.note)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// markdown is the row of the table on the page.
func (r row) markdown() string {
	if r.skipped != "" {
		return fmt.Sprintf("| %s | %s | | | | |\n", r.goal, r.skipped)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", r.goal, r.ours, r.peer, r.ratio, r.want, r.verdict()+r.remark())
}
