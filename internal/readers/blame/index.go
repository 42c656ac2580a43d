// Package blame says which sessions led to a commit. It is pure: commits and calls go in, rows come out.
//
// # The rules
//
//   - hash: a result of a call that runs git commit, merge, cherry-pick, revert, rebase, am or pull has a word of at least
//     seven hexadecimal digits that begins the id of the commit, and its author time lies between two seconds before the
//     call and two seconds behind the result. The session made the commit. Outside of that time, and if the call
//     rebases, picks or amends, it rewrote the commit, which had been made before.
//   - message: the subject stands in the command of such a call, and the author time lies as above, or within 15
//     minutes of a call without a result. The session made the commit.
//   - lines: the session's edits typed lines of the commit into its files. Half of them, and three, are sure; 30 % and
//     two are likely; 10 % and two are a part.
//
// Author time is what makes the first two exact: rebasing, amending and picking keep it. A line counts if it is informative:
// eight characters without outer space, five letters or digits. What was typed counts for the first commit that
// adds it, and not again for those that descend from it; and for no commit more than 14 days later.
//
// A trailer or a note is a claim, and weaker than any of this.
//
// An author time and a text can be forged: rows are evidence, and no proof.
package blame

import (
	"cmp"
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Commit is one that may come from a session.
type Commit struct {
	ID, Subject       string
	Parents           []string
	Author, Committed int64 // in seconds since the epoch
}

// Index finds commits by what sessions say of them. It is filled first, and then asked concurrently.
type Index struct {
	commits  []Commit
	byID     map[string]int
	byStart  map[string][]int // by the first digits
	byAuthor []int            // sorted by author time
	subjects []string         // folded

	lines  map[uint64]int32 // the last place of each line
	places []place
	files  []string
	named  map[string]int32 // the numbers of files
	of     []int            // how many informative lines a commit adds
}

// A place is where a line was added, and how often; before it are the other places of the line, down to none, -1.
type place struct{ commit, file, times, before int32 }

// each visits the places of a line.
func (x *Index) each(key uint64) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		at, ok := x.lines[key]
		for ; ok && at >= 0; at = x.places[at].before {
			if !yield(at) {
				return
			}
		}
	}
}

// digits is how many digits of an id a text has at least.
const digits = 7

// New returns an index of commits that adds no lines yet.
func New(commits []Commit) *Index {
	x := &Index{
		commits: commits, byID: map[string]int{}, byStart: map[string][]int{}, lines: map[uint64]int32{}, named: map[string]int32{},
		of: make([]int, len(commits)), subjects: make([]string, len(commits)),
	}
	for i, c := range commits {
		x.byID[c.ID] = i
		x.byAuthor = append(x.byAuthor, i)
		if len(c.ID) > digits {
			x.byStart[c.ID[:digits]] = append(x.byStart[c.ID[:digits]], i)
		}
		x.subjects[i] = folded(c.Subject)
	}
	slices.SortStableFunc(x.byAuthor, func(a, b int) int { return cmp.Compare(commits[a].Author, commits[b].Author) })
	return x
}

// Add adds a line that a commit adds to a file.
func (x *Index) Add(id, file, line string) {
	commit, ok := x.byID[id]
	if !ok || !Informative(line) {
		return
	}
	x.of[commit]++
	at, ok := x.named[file]
	if !ok {
		at = int32(len(x.files))
		x.files, x.named[file] = append(x.files, file), at
	}
	key := Key(line)
	for i := range x.each(key) {
		if p := &x.places[i]; p.commit == int32(commit) && p.file == at {
			p.times++
			return
		}
	}
	before, ok := x.lines[key]
	if !ok {
		before = -1
	}
	x.lines[key] = int32(len(x.places))
	x.places = append(x.places, place{int32(commit), at, 1, before})
}

var seed = maphash.MakeSeed()

// Key stands for a line.
func Key(line string) uint64 { return maphash.String(seed, strings.TrimSuffix(line, "\r")) }

// Informative reports whether a line says enough to tell who typed it.
func Informative(line string) bool {
	line = strings.TrimSpace(line)
	if len(line) < 8 || utf8.RuneCountInString(line) < 8 {
		return false
	}
	said := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if said++; said == 5 {
				return true
			}
		}
	}
	return false
}

// folded returns a text as it is compared: without what a shell takes for quotes, and with single spaces.
func folded(text string) string {
	return strings.Join(strings.Fields(quotes.Replace(text)), " ")
}

var quotes = strings.NewReplacer(`\`, "", `'`, "", `"`, "", "`", "")

// authored returns the commits whose author time is between two times in seconds.
func (x *Index) authored(from, to int64) []int {
	at, _ := slices.BinarySearchFunc(x.byAuthor, from, func(i int, t int64) int { return cmp.Compare(x.commits[i].Author, t) })
	end := at
	for end < len(x.byAuthor) && x.commits[x.byAuthor[end]].Author <= to {
		end++
	}
	return x.byAuthor[at:end]
}

// begun returns the commit whose id begins with a word, -1 for none or several.
func (x *Index) begun(word string) int {
	found := -1
	for _, i := range x.byStart[word[:digits]] {
		if strings.HasPrefix(x.commits[i].ID, word) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// ancestry tells which commits descend from which.
type ancestry struct {
	*Index
	known map[[2]int]bool
}

// has reports whether other is an ancestor of a commit. No ancestor was committed later.
func (a *ancestry) has(commit, other int) bool {
	if commit == other || a.commits[other].Committed > a.commits[commit].Committed {
		return false
	}
	pair := [2]int{commit, other}
	if is, ok := a.known[pair]; ok {
		return is
	}
	since, seen := a.commits[other].Committed, map[int]bool{}
	for list := []int{commit}; len(list) > 0 && !seen[other]; {
		at := list[len(list)-1]
		list = list[:len(list)-1]
		for _, id := range a.commits[at].Parents {
			if p, ok := a.byID[id]; ok && !seen[p] && a.commits[p].Committed >= since {
				seen[p] = true
				list = append(list, p)
			}
		}
	}
	a.known[pair] = seen[other]
	return seen[other]
}
