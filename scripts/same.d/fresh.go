package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What a tool makes anew in each run is an id or a time. It is found by running
// the tool twice: a word that came in one run and not in the other is fresh. So
// nothing that was in the input, and nothing that a tool always prints, can be
// taken for fresh. An id is replaced by its length and a number, in the order in
// which they first occur, so that an id in the place of another one is found.
// Times get no number: whether two are the same depends on the clock. How long
// something took, and how long is waited before another try, which is drawn by
// lot, are times as well.

// word matches what may be fresh: a duration, a date with a time, a UUID or the
// beginning of one (scripts cut files short), a long word.
var word = regexp.MustCompile(`"milliseconds":\d+|again in [0-9.]+m?s` +
	`|\d{4}-\d\d-\d\d[T_ ]\d\d[:-]\d\d(?:[:-]\d\d(?:[.,-]\d+)?)?Z?` +
	`|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{1,12}){1,4}` +
	`|[0-9A-Za-z]{8,}`)

// date matches the words that are a date with a time.
var date = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)[T_ ](\d\d)[:-](\d\d)`)

// began is when this program did. A time after it is fresh even if both runs
// print it, which they do if it counts seconds.
var began = time.Now()

// timeOf returns what there is to compare of a word that is a time, and whether
// the time is after began, up to a minute. Digits alone are a time only then.
func timeOf(w string) (text string, isRecent bool) {
	if isDuration(w) {
		return "<time that passed>", true
	}
	isRecent = near(instant(w))
	switch {
	case isRecent:
		return "<time " + shape(w) + ">", true
	case date.MatchString(w):
		return "<time " + shape(w) + ", but not now>", false
	}
	return "", false
}

func near(t time.Time) bool {
	return t.After(began.Add(-time.Minute)) && t.Before(time.Now().Add(time.Minute))
}

// instant returns the time that a word is, if it is one.
func instant(w string) time.Time {
	if m := date.FindStringSubmatch(w); m != nil {
		var n [5]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+1])
		}
		return time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], 0, 0, time.UTC)
	}
	n, err := strconv.ParseInt(w, 10, 64)
	if err != nil {
		return time.Time{}
	}
	switch len(w) {
	case len("1767323045"):
		return time.Unix(n, 0)
	case len("1767323045000"):
		return time.UnixMilli(n)
	case len("1767323045000000"):
		return time.UnixMicro(n)
	case len("1767323045000000000"):
		return time.Unix(0, n)
	}
	return time.Time{}
}

// texts has each text of the result replaced.
func (r *result) texts(f func([]byte) []byte) {
	for i := range r.records {
		r.records[i].texts(f)
	}
	for i := range r.files {
		r.files[i].texts(f)
	}
}

func (r *record) texts(f func([]byte) []byte) {
	r.line = string(f([]byte(r.line)))
	r.stdout, r.stderr = f(r.stdout), f(r.stderr)
}

func (l *file) texts(f func([]byte) []byte) {
	l.name = string(f([]byte(l.name)))
	l.data = f(l.data)
}

// settled returns a with what is fresh in it replaced, where again is another
// run of the same.
func settled(a, again result) result {
	old := map[string]bool{}
	other := again.clone()
	other.texts(func(text []byte) []byte {
		for _, w := range word.FindAll(text, -1) {
			old[string(w)] = true
		}
		return text
	})
	m := &masker{stable: old, numbers: map[string]int{}}
	out := a.clone()
	out.records = sortedBy(out.records, func(r record) string {
		return m.masked(r.line + "\x00" + r.status + "\x00" + string(r.stdout) + "\x00" + string(r.stderr))
	})
	for i := range out.records {
		out.records[i].texts(m.number)
	}
	out.files = sortedBy(out.files, func(f file) string { return m.masked(f.name + "\x00" + string(f.data)) })
	for i := range out.files {
		out.files[i].texts(m.number)
	}
	return out
}

// sortedBy returns all in the order of their keys.
func sortedBy[T any](all []T, key func(T) string) []T {
	keys := make([]string, len(all))
	order := make([]int, len(all))
	for i, v := range all {
		keys[i], order[i] = key(v), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
	out := make([]T, len(all))
	for i, k := range order {
		out[i] = all[k]
	}
	return out
}

// A masker replaces what is fresh.
type masker struct {
	stable  map[string]bool // words that came in another run, too
	numbers map[string]int  // of the ids so far
}

// replaced returns text with new ids replaced by what id says.
func (m *masker) replaced(text []byte, id func(w string) string) []byte {
	return word.ReplaceAllFunc(text, func(w []byte) []byte {
		text, isRecent := timeOf(string(w))
		switch {
		case !isRecent && m.stable[string(w)]:
			return w
		case text != "":
			return []byte(text)
		}
		return []byte(id(string(w)))
	})
}

// number numbers the ids that have no number yet.
func (m *masker) number(text []byte) []byte {
	return m.replaced(text, func(w string) string {
		if m.numbers[w] == 0 { // reading it adds none
			m.numbers[w] = len(m.numbers) + 1
		}
		return fmt.Sprintf("<id %d of %d>", m.numbers[w], len(w))
	})
}

// masked is number without new numbers. What was done at the same time, and what
// has a fresh name, is put into the order of its masked text.
func (m *masker) masked(text string) string {
	return string(m.replaced([]byte(text), func(w string) string { return fmt.Sprintf("<id %d of %d>", m.numbers[w], len(w)) }))
}

// shape is a time with a 9 for each digit. Nanoseconds, which end where only
// zeros follow, are not counted.
func shape(w string) string {
	w = digit.ReplaceAllString(w, "9")
	if at := strings.IndexByte(w, '.'); at > 0 && !strings.HasPrefix(w[at:], ".999Z") {
		w = w[:at] + ".9…" + strings.TrimLeft(w[at+1:], "9")
	}
	return w
}

var digit = regexp.MustCompile(`\d`)

func isDuration(w string) bool {
	return strings.HasPrefix(w, `"milli`) || strings.HasPrefix(w, "again")
}

// clone returns a copy whose texts can be replaced.
func (r result) clone() result {
	return result{slices.Clone(r.records), slices.Clone(r.files)}
}

// shuffled notes the files that have the same lines in another order: several
// programs at a time wrote them.
func shuffled(names map[string]bool, a, b []file) {
	for i, f := range a {
		if i < len(b) && b[i].name == f.name && !bytes.Equal(f.data, b[i].data) && bytes.Equal(sortedLines(f.data), sortedLines(b[i].data)) {
			names[f.name] = true
		}
	}
}

func sortedLines(data []byte) []byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	slices.SortFunc(lines, bytes.Compare)
	return bytes.Join(lines, nil)
}

// prepare makes text of databases, and puts the lines of some files in order.
func (r *result) prepare(unordered map[string]bool) {
	r.texts(readable)
	for i, f := range r.files {
		if unordered[f.name] {
			r.files[i].data = sortedLines(f.data)
		}
	}
}
