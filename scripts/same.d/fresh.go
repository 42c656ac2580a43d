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
// lot, are times as well. The number of a file (an inode) may come again or not.

// word matches what may be fresh: a duration, a directory of a remote, which is called by a hash of an id, a date with a
// time, behind which an id may stand, a time in a page, a UUID or the beginning of one (scripts cut files short), which Markdown may
// escape, a long word.
var word = regexp.MustCompile(`"milliseconds":\d+|"seconds":[0-9.]+|again in [0-9.]+m?s|probe by writer [0-9]+|inode\\*":\d+` +
	`|\bv1/s/[0-9a-f]{2}\b` +
	`|\d{4}-\d\d-\d\d[T_ ]\d\d[:-]\d\d(?:[:-]\d\d(?:[.,]\d+|-\d{3}(?:Z|\b))?)?Z?` +
	`|[0-9A-Fa-f]{8}(?:\\?-[0-9A-Fa-f]{1,12}){1,4}` +
	`|>\d\d:\d\d:\d\d<` +
	`|[0-9A-Za-z]{8,}`)

// hashed begins the name of a directory of a remote.
const hashed = "v1/s/"

// date matches the words that are a date with a time.
var date = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)[T_ ](\d\d)[:-](\d\d)`)

// began is when this program did. A time after it is fresh even if both runs
// print it, which they do if it counts seconds.
var began = time.Now()

// timeOf returns what there is to compare of a word that is a time, and whether
// the time is after began, up to a minute. Digits alone are a time only then.
func timeOf(w string) (text string, isRecent bool) {
	if strings.HasPrefix(w, `"milli`) || strings.HasPrefix(w, `"sec`) || strings.HasPrefix(w, "again") || strings.HasPrefix(w, "probe") {
		return "<time that passed>", true
	}
	if strings.HasPrefix(w, "inode") {
		return "<a file>", true
	}
	t := instant(w)
	isRecent = t.After(began.Add(-time.Minute)) && t.Before(time.Now().Add(time.Minute))
	switch {
	case isRecent:
		return "<time " + shape(w) + ">", true
	case date.MatchString(w) || w[0] == '>':
		return "<time " + shape(w) + ", but not now>", false
	}
	return "", false
}

// instant returns the time that a word is, if it is one. Digits alone are
// seconds, milliseconds, microseconds or nanoseconds, by how many they are.
func instant(w string) time.Time {
	if m := date.FindStringSubmatch(w); m != nil {
		t, _ := time.Parse("2006 01 02 15 04", strings.Join(m[1:], " "))
		return t
	}
	if w[0] == '>' { // a time of today in a page
		t, _ := time.Parse("2006-01-02>15:04:05<", began.UTC().Format(time.DateOnly)+w)
		return t
	}
	n, err := strconv.ParseInt(w, 10, 64)
	if err != nil || len(w) < 10 || len(w)%3 != 1 {
		return time.Time{}
	}
	for range 19 - len(w) {
		n *= 10
	}
	return time.Unix(0, n)
}

// texts has each text of the result replaced.
func (r *result) texts(f func([]byte) []byte) {
	for i, c := range r.records {
		r.records[i] = record{string(f([]byte(c.line))), c.status, f(c.stdout), f(c.stderr)}
	}
	for i, l := range r.files {
		r.files[i] = file{string(f([]byte(l.name))), l.mode, f(l.data)}
	}
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
	number := func(text []byte) []byte { return m.masked(text, true) }
	key := func(texts ...string) string { return string(m.masked([]byte(strings.Join(texts, "\x00")), false)) }
	out := a.clone()
	out.records = sortedBy(out.records, func(r record) string {
		return key(r.line, r.status, string(r.stdout), string(r.stderr))
	})
	(&result{records: out.records}).texts(number) // the names of files are sorted with these ids known
	out.files = sortedBy(out.files, func(f file) string { return key(f.name, string(f.data)) })
	(&result{files: out.files}).texts(number)
	return out
}

// sortedBy returns all in the order of their keys.
func sortedBy[T any](all []T, key func(T) string) []T {
	type keyed struct {
		key   string
		value T
	}
	order := make([]keyed, len(all))
	for i, v := range all {
		order[i] = keyed{key(v), v}
	}
	slices.SortStableFunc(order, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	for i, k := range order {
		all[i] = k.value
	}
	return all
}

// A masker replaces what is fresh.
type masker struct {
	stable  map[string]bool // words that came in another run, too
	numbers map[string]int  // of the ids so far
}

// masked returns text with what is fresh replaced. Ids without a number get one
// if numbering. What was done at the same time, and what has a fresh name, is put
// into the order of its masked text before.
func (m *masker) masked(text []byte, numbering bool) []byte {
	return word.ReplaceAllFunc(text, func(w []byte) []byte {
		id := string(w)
		text, isRecent := timeOf(id)
		switch {
		case !isRecent && m.stable[id] && !strings.HasPrefix(id, hashed): // two hashes of two digits may be equal
			return w
		case text != "":
			return []byte(text)
		case numbering && m.numbers[id] == 0: // reading it adds none
			m.numbers[id] = len(m.numbers) + 1
		}
		return fmt.Appendf(nil, "<id %d of %d>", m.numbers[id], len(id))
	})
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

// prepare puts the lines of some files in order.
func (r *result) prepare(unordered map[string]bool) {
	for i, f := range r.files {
		if unordered[f.name] {
			r.files[i].data = sortedLines(f.data)
		}
	}
}
