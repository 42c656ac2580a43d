// Package remotetest has the tests that every engine of a remote passes.
package remotetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/must"
)

// A Remote is an empty place for a remote.
type Remote struct {
	// Open connects to it, each time anew.
	Open func(t testing.TB) remote.Log
	// Plant puts an object there that no tool of ours would make. Nil: it cannot be done.
	Plant func(t testing.TB, name, data string)
	// Lose has the answer to the next append be lost after it was carried out, or before.
	// Nil: answers of this engine cannot be lost.
	Lose func(t testing.TB, done bool)
	// Rounds of the race; 0 is 300.
	Rounds int
}

// Run runs all tests. Place makes a place for each.
func Run(t *testing.T, place func(t *testing.T) Remote) {
	for name, test := range map[string]func(*testing.T, Remote){
		"no remote": noRemote, "race": race, "order": order, "read your writes": own, "many writers": many,
		"lost answer": lost, "foreign": foreign, "limits": limits, "cards": listed, "last": last, "went back": wentBack, "heads": heads, "news": news,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, place(t))
		})
	}
}

// long reports whether as much is done as an engine has to stand, which takes minutes.
func long() bool { return os.Getenv("SESS_REMOTE_LONG") != "" }

const key = "01a1fc13-4173-73d3-8273-e3e1ca1285c1"

// ready makes the remote and connects to it.
func ready(t testing.TB, r Remote) remote.Log {
	t.Helper()
	l := r.Open(t)
	if r.Plant != nil {
		r.Plant(t, "v1/remote.json", string(remote.Marker(time.Now()))) // without the probe, which takes time
	} else if err := l.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

// Parts reads all parts of a session.
func Parts(ctx context.Context, l remote.Log, key string, after remote.Pos) (list []remote.Part, err error) {
	for p, err := range l.Read(ctx, key, after) {
		if err != nil {
			return list, err
		}
		p.Data = bytes.Clone(p.Data)
		list = append(list, p)
	}
	return list, nil
}

func text(list []remote.Part) string {
	var b strings.Builder
	for _, p := range list {
		b.Write(p.Data)
	}
	return b.String()
}

func noRemote(t *testing.T, r Remote) {
	l := r.Open(t)
	if _, err := Parts(t.Context(), l, key, 0); !errors.Is(err, remote.ErrNoRemote) {
		t.Errorf("reading: %v", err)
	}
	if _, err := l.Last(t.Context(), key); !errors.Is(err, remote.ErrNoRemote) {
		t.Errorf("last: %v", err)
	}
	if _, err := l.Has(t.Context(), key); !errors.Is(err, remote.ErrNoRemote) {
		t.Errorf("has: %v", err)
	}
	for range 2 { // a second time changes nothing
		must.Do(t, l.Init(t.Context()))
	}
	if list, err := Parts(t.Context(), l, key, 0); err != nil || len(list) > 0 {
		t.Errorf("a session that is not there: %d parts, %v", len(list), err)
	}
	if p, err := l.Last(t.Context(), key); err != nil || p.N != 0 {
		t.Errorf("its last part: %d, %v", p.N, err)
	}
	if there, err := l.Has(t.Context(), key); err != nil || there {
		t.Errorf("it is there: %v, %v", there, err)
	}
}

// Race has writers append the same number at once, a number in each round, and
// reports a round that has not exactly one winner, whose bytes are there.
func Race(ctx context.Context, logs []remote.Log, rounds int) error {
	var at remote.Pos
	for n := uint64(1); n <= uint64(rounds); n++ {
		pos, errs := make([]remote.Pos, len(logs)), make([]error, len(logs))
		ready := make(chan struct{})
		var wg sync.WaitGroup
		for w, l := range logs {
			wg.Go(func() {
				<-ready
				pos[w], errs[w] = l.Append(ctx, key, at, n, raceBody(n, w))
			})
		}
		close(ready)
		wg.Wait()
		winner := -1
		for w, err := range errs {
			switch {
			case err == nil && winner >= 0:
				return fmt.Errorf("round %d: writers %d and %d won", n, winner, w)
			case err == nil:
				winner = w
			case !errors.Is(err, remote.ErrMoved):
				return fmt.Errorf("round %d, writer %d: %w", n, w, err)
			}
		}
		if winner < 0 {
			return fmt.Errorf("round %d: nobody won", n)
		}
		list, err := Parts(ctx, logs[(winner+1)%len(logs)], key, at)
		if err != nil || text(list) != string(raceBody(n, winner)) {
			return fmt.Errorf("round %d: read %q of winner %d, %w", n, text(list), winner, err)
		}
		if at = pos[winner]; list[0].Pos != at || list[0].N != n {
			return fmt.Errorf("round %d: part %d at %d, appended at %d", n, list[0].N, list[0].Pos, at)
		}
	}
	return nil
}

func raceBody(n uint64, writer int) []byte {
	return fmt.Appendf(nil, "{\"round\":%d,\"writer\":%d}\n", n, writer)
}

func race(t *testing.T, r Remote) {
	logs := []remote.Log{ready(t, r)}
	for range 7 {
		logs = append(logs, r.Open(t))
	}
	rounds := r.Rounds
	if rounds == 0 || long() {
		rounds = 300
	}
	if err := Race(t.Context(), logs, rounds); err != nil {
		t.Error(err)
	}
}

func order(t *testing.T, r Remote) {
	l := ready(t, r)
	var want []string
	var at remote.Pos
	var places []remote.Pos
	for n := uint64(1); n <= 23; n++ {
		part := strings.Repeat(fmt.Sprintf("{\"n\":%d}\n", n), int(n))
		pos, err := l.Append(t.Context(), key, at, n, []byte(part))
		if err != nil || pos <= at {
			t.Fatalf("part %d: at %d after %d, %v", n, pos, at, err)
		}
		at, want, places = pos, append(want, part), append(places, pos)
	}
	for n := range places {
		list, err := Parts(t.Context(), r.Open(t), key, places[n])
		if err != nil || text(list) != strings.Join(want[n+1:], "") {
			t.Fatalf("behind part %d: %q, %v", n+1, text(list), err)
		}
		for i, p := range list {
			if p.N != uint64(n+i+2) || p.Pos != places[n+i+1] {
				t.Errorf("part %d at %d", p.N, p.Pos)
			}
		}
	}
	// A reader may stop.
	for p, err := range l.Read(t.Context(), key, 0) {
		if p.N != 1 || err != nil {
			t.Errorf("part %d, %v", p.N, err)
		}
		break
	}
	if _, err := l.Append(t.Context(), key, at, 99, []byte("{}\n")); err == nil {
		t.Error("a number was left out")
	}
}

func own(t *testing.T, r Remote) {
	l := ready(t, r)
	other := r.Open(t)
	var at remote.Pos
	for n := uint64(1); n <= 50; n++ {
		part := fmt.Appendf(nil, "{\"n\":%d}\n", n)
		pos, err := l.Append(t.Context(), key, at, n, part)
		must.Do(t, err)
		list, err := Parts(t.Context(), other, key, at)
		if err != nil || text(list) != string(part) {
			t.Fatalf("part %d: another reads %q, %v", n, text(list), err)
		}
		at = pos
	}
}

// Pushed lines are there, each once, whatever else is pushed.
func many(t *testing.T, r Remote) {
	const writers = 8
	pushes := 25
	if long() {
		pushes = 200
	}
	ready(t, r)
	var wg sync.WaitGroup
	for w := range writers {
		l := r.Open(t)
		wg.Go(func() {
			if err := writer(t.Context(), l, w, pushes); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := Parts(t.Context(), r.Open(t), key, 0)
	must.Do(t, err)
	seen := map[string]int{}
	for line := range strings.Lines(text(list)) {
		seen[line]++
	}
	for w := range writers {
		for i := range pushes {
			if line := fmt.Sprintf("{\"id\":\"%d.%d\"}\n", w, i); seen[line] != 1 {
				t.Errorf("%q is there %d times", line, seen[line])
			}
		}
	}
	if len(seen) != writers*pushes {
		t.Errorf("%d lines", len(seen))
	}
}

func lost(t *testing.T, r Remote) {
	if r.Lose == nil {
		return // a call of the system always answers
	}
	l := ready(t, r)
	at, err := l.Append(t.Context(), key, 0, 1, []byte("{\"n\":1}\n"))
	must.Do(t, err)
	for n := uint64(2); n <= 9; n++ {
		r.Lose(t, n%2 == 0)
		part := fmt.Appendf(nil, "{\"n\":%d}\n", n)
		if at, err = l.Append(t.Context(), key, at, n, part); err != nil {
			t.Fatalf("part %d: %v", n, err)
		}
		// The same bytes under the same number are the same push.
		if n == 9 {
			break
		}
	}
	list, err := Parts(t.Context(), l, key, 0)
	if err != nil || len(list) != 9 {
		t.Fatalf("%d parts, %v: %q", len(list), err, text(list))
	}
	if again, err := l.Append(t.Context(), key, list[7].Pos, 9, []byte("{\"n\":9}\n")); err != nil || again != at {
		t.Errorf("again: at %d, not %d: %v", again, at, err)
	}
	r.Lose(t, false)
	if _, err := l.Append(t.Context(), key, list[7].Pos, 9, []byte("{\"n\":\"other\"}\n")); !errors.Is(err, remote.ErrMoved) {
		t.Errorf("other bytes: %v", err)
	}
}

func foreign(t *testing.T, r Remote) {
	if r.Plant == nil {
		return // the engine has no names but ours
	}
	l := ready(t, r)
	at, err := l.Append(t.Context(), key, 0, 1, []byte("{\"n\":1}\n"))
	must.Do(t, err)
	in := "v1/s/" + remote.Shard(key) + "/" + key + "/"
	for _, name := range []string{
		in + "notes.txt", in + "2", in + "000000000002.bak", in + "-00000000002", in + "000000000000", in + "0000000000002",
		in + "sub/000000000002", in + ".tmp-XYZ", "v1/s/zz/x/000000000001", "v1/s/README", "v1/i/2026-01/not a key", "v1/i/x", "other",
	} {
		r.Plant(t, name, "foreign")
	}
	list, err := Parts(t.Context(), l, key, 0)
	if err != nil || text(list) != "{\"n\":1}\n" {
		t.Errorf("%q, %v", text(list), err)
	}
	if at, err = l.Append(t.Context(), key, at, 2, []byte("{\"n\":2}\n")); err != nil || at == 0 {
		t.Errorf("appending: %v", err)
	}
	var keys []string
	for h, err := range l.Heads(t.Context()) {
		if err != nil || h.N != 2 {
			t.Fatalf("%+v, %v", h, err)
		}
		keys = append(keys, h.Key)
	}
	if !slices.Equal(keys, []string{key}) {
		t.Errorf("keys %q", keys)
	}
	for c, err := range remote.ReadCards(t.Context(), l, "") {
		t.Errorf("card %v, %v", c, err)
	}
}

func limits(t *testing.T, r Remote) {
	l := ready(t, r)
	most := l.Limits().MaxPart
	if most < 512<<10 {
		t.Errorf("parts of %d bytes at most", most)
	}
	big := slices.Concat([]byte(`{"x":"`), bytes.Repeat([]byte("x"), int(min(most, 9<<20))-9), []byte("\"}\n"))
	if _, err := l.Append(t.Context(), key, 0, 1, big); err != nil {
		t.Fatalf("%d bytes: %v", len(big), err)
	}
	list, err := Parts(t.Context(), r.Open(t), key, 0)
	if err != nil || len(list) != 1 || !bytes.Equal(list[0].Data, big) {
		t.Errorf("%d parts, %v", len(list), err)
	}
	if most < 64<<20 {
		if _, err := l.Append(t.Context(), key, list[0].Pos, 2, make([]byte, most+1)); !errors.Is(err, remote.ErrTooLarge) {
			t.Errorf("too large: %v", err)
		}
	}
}

func listed(t *testing.T, r Remote) {
	l := ready(t, r)
	want := map[string]remote.Card{}
	for i, made := range []string{"2025-11-30T23:59:59.999Z", "2025-12-01T00:00:00.000Z", "2026-03-04T05:06:07.000Z", "nonsense"} {
		c := remote.Card{ID: fmt.Sprintf("s%d.x", i), Title: "a \x1b[31m title", CWD: "/w", Made: made, Entries: i, Bytes: 1 << 40, N: 7}
		must.Do(t, l.PutCard(t.Context(), remote.Card{ID: c.ID, Made: made, Title: "stale"}))
		must.Do(t, l.PutCard(t.Context(), c))
		if _, err := l.Append(t.Context(), c.Key(), 0, 1, []byte("{}\n")); err != nil {
			t.Fatal(err)
		}
		if got, err := l.Card(t.Context(), c.Key(), made); err != nil || got != c {
			t.Errorf("%v, %v, want %v", got, err, c)
		}
		want[c.ID] = c
	}
	if _, err := l.Card(t.Context(), "nobody", "2026-03-04T05:06:07.000Z"); !errors.Is(err, remote.ErrNoCard) {
		t.Errorf("no card: %v", err)
	}
	got := map[string]remote.Card{}
	for c, err := range remote.ReadCards(t.Context(), l, "") {
		must.Do(t, err)
		got[c.ID] = c
	}
	if !maps.Equal(got, want) {
		t.Errorf("all: %v", got)
	}
	var since []string
	for name, err := range l.Cards(t.Context(), time.Date(2025, 12, 15, 0, 0, 0, 0, time.UTC)) {
		must.Do(t, err)
		since = append(since, name.Key)
	}
	slices.Sort(since)
	if !slices.Equal(since, []string{remote.KeyOf("s1.x"), remote.KeyOf("s2.x")}) {
		t.Errorf("since December: %v", since)
	}
	keys := map[string]bool{}
	for h, err := range l.Heads(t.Context()) {
		if err != nil || keys[h.Key] {
			t.Fatalf("key %s, twice or %v", h.Key, err)
		}
		keys[h.Key] = true
	}
	if len(keys) != len(want) || !keys["s0%2Ex"] {
		t.Errorf("keys %v", keys)
	}
}

func last(t *testing.T, r Remote) {
	l := ready(t, r)
	var at remote.Pos
	for n := uint64(1); n <= 3; n++ {
		part := fmt.Appendf(nil, "{\"n\":%d}\n", n)
		pos, err := l.Append(t.Context(), key, at, n, part)
		must.Do(t, err)
		at = pos
		if there, err := l.Has(t.Context(), key); err != nil || !there {
			t.Errorf("part %d: there %v, %v", n, there, err)
		}
		p, err := l.Last(t.Context(), key)
		if err != nil || p.N != n || p.Pos != at || string(p.Data) != string(part) {
			t.Errorf("part %d at %d: %q, %v", p.N, p.Pos, p.Data, err)
		}
	}
}

func wentBack(t *testing.T, r Remote) {
	l := ready(t, r)
	at, err := l.Append(t.Context(), key, 0, 1, []byte("{}\n"))
	must.Do(t, err)
	if _, err := Parts(t.Context(), l, key, at+7); !errors.Is(err, remote.ErrWentBack) {
		t.Errorf("a part that is not there: %v", err)
	}
}

// Heads returns what one listing says of all sessions, by their keys.
func Heads(t testing.TB, l remote.Log) map[string]remote.Head {
	t.Helper()
	list := map[string]remote.Head{}
	for h, err := range l.Heads(t.Context()) {
		if _, twice := list[h.Key]; err != nil || twice {
			t.Fatalf("%q: twice, or %v", h.Key, err)
		}
		list[h.Key] = h
	}
	return list
}

// heads says of a listing: it has each session once, its tags change with the end of a session and with nothing else, and
// what is read by it is what is there.
func heads(t *testing.T, r Remote) {
	l := ready(t, r)
	if list := Heads(t, l); len(list) != 0 {
		t.Errorf("of no session: %v", list)
	}
	at := map[string]remote.Pos{}
	add := func(key string, n uint64) {
		t.Helper()
		var err error
		if at[key], err = l.Append(t.Context(), key, at[key], n, fmt.Appendf(nil, "{\"key\":%q,\"n\":%d}\n", key, n)); err != nil {
			t.Fatal(err)
		}
	}
	const sessions = 40
	for i := range sessions {
		for n := range uint64(i%3) + 1 {
			add(fmt.Sprintf("s%d", i), n+1)
		}
	}
	was := Heads(t, r.Open(t))
	again := Heads(t, l)
	for i := range sessions {
		key, n := fmt.Sprintf("s%d", i), uint64(i%3)+1
		h := was[key]
		if h.Key != key || h.N != n || h.Tag == "" || h.Tag != again[key].Tag || h.TagOf(n) != h.Tag {
			t.Errorf("%s: %+v, again %+v", key, h, again[key])
		}
		if tag := l.Tag(key, n); tag != "" && tag != h.Tag {
			t.Errorf("%s: it was made as %q and is listed as %q", key, tag, h.Tag)
		}
	}
	if len(was) != sessions {
		t.Errorf("%d sessions", len(was))
	}
	add("s2", 4)
	now := Heads(t, l)
	if now["s2"].Tag == was["s2"].Tag || now["s2"].N != 4 || now["s1"].Tag != was["s1"].Tag {
		t.Errorf("s2 was %+v, and is %+v", was["s2"], now["s2"])
	}
	if h := now["s2"]; h.Whole && (!h.Has(3, was["s2"].Tag) || h.Has(3, was["s1"].Tag) || h.Has(2, was["s2"].Tag) || h.Has(3, "")) {
		t.Errorf("part 3 of %+v was %q", h, was["s2"].Tag)
	}
	// A listing that is older than the last parts, and none at all, hide nothing from who reads behind them.
	for _, h := range []remote.Head{now["s2"], {Key: "s2"}} {
		for n := range remote.Pos(5) {
			list, err := readHead(t.Context(), l, h, n)
			whole, werr := Parts(t.Context(), l, "s2", n)
			if text(list) != text(whole) || (err == nil) != (werr == nil) {
				t.Errorf("%+v behind %d: %q, %v, want %q, %v", h, n, text(list), err, text(whole), werr)
			}
		}
	}
	if r.Plant == nil {
		return
	}
	in := func(key string) string { return "v1/s/" + remote.Shard(key) + "/" + key + "/" }
	r.Plant(t, in("s1")+"notes.txt", "foreign")
	r.Plant(t, in("s2")+"000000000006", "{}\n") // 5 is missing
	r.Plant(t, in("s0")+"000000000009", "{}\n")
	list := Heads(t, l)
	if list["s1"].Tag != was["s1"].Tag || !list["s1"].Whole || list["s2"].Whole || list["s0"].Whole {
		t.Errorf("foreign names and gaps: %+v, %+v, %+v", list["s1"], list["s2"], list["s0"])
	}
	if _, err := readHead(t.Context(), l, list["s2"], 0); !errors.Is(err, remote.ErrGap) {
		t.Errorf("a gap: %v", err)
	}
}

// ManySessions has a server with a listing of 2,500 sessions in many answers.
func ManySessions(t *testing.T, l remote.Log) {
	t.Helper()
	const sessions = 2500
	must.Do(t, l.Init(t.Context()))
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := w; i < sessions; i += 16 {
				id := fmt.Sprintf("m%d", i)
				if _, err := l.Append(t.Context(), id, 0, 1, fmt.Appendf(nil, "{\"id\":%q}\n", id)); err != nil {
					t.Error(err)
				}
				if err := l.PutCard(t.Context(), remote.Card{ID: id, Made: "2026-01-02T03:04:05.678Z", N: 1}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	was := Heads(t, l)
	if len(was) != sessions {
		t.Fatalf("%d sessions are listed", len(was))
	}
	if _, err := l.Append(t.Context(), "m7", mustLast(t, l, "m7"), 2, []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	changed, unknown := 0, 0
	for key, h := range Heads(t, l) {
		if h.Tag == "" || h.Tag != was[key].Tag {
			changed++
		}
		if tag := l.Tag(key, h.N); tag != "" && tag != h.Tag {
			unknown++
		}
	}
	if changed != 1 || unknown != 0 {
		t.Errorf("%d sessions have another tag, and %d another one than they were made with", changed, unknown)
	}
	cache := filepath.Join(t.TempDir(), "cards")
	for range 2 {
		n := 0
		for card, err := range remote.ReadCards(t.Context(), l, cache) {
			if err != nil || card.N != 1 {
				t.Fatal(card, err)
			}
			n++
		}
		if n != sessions {
			t.Errorf("%d cards", n)
		}
	}
}

// news: what one log writes and tells, another one is told of, from any place that it was given, and nobody is told of what did not
// come. A place that no log gave leads to the long way, and so does a remote without news.
func news(t *testing.T, r Remote) {
	a, b := ready(t, r), r.Open(t)
	const first, second = "01a1fc13-news-1", "01a1fc13-news-2"
	put := func(key string, after remote.Pos, n uint64) remote.Pos {
		t.Helper()
		pos, err := a.Append(t.Context(), key, after, n, fmt.Appendf(nil, "{\"n\":%d}\n", n))
		must.Do(t, err)
		return pos
	}
	tell := func(l remote.Log, at string) string {
		t.Helper()
		next, err := l.Tell(t.Context(), at)
		must.Do(t, err)
		return next
	}
	ask := func(l remote.Log, at string, want map[string]uint64) string {
		t.Helper()
		notes, next, ok, err := l.News(t.Context(), at, 1000)
		must.Do(t, err)
		got := map[string]uint64{}
		for _, n := range notes {
			got[n.Key] = max(got[n.Key], n.N)
		}
		if ok != (want != nil) || !maps.Equal(got, want) {
			t.Fatalf("from %s: %v, %t, want %v", at, got, ok, want)
		}
		return next
	}
	none := map[string]uint64{}
	pos := put(first, 0, 1)
	tell(a, "")
	place := ask(b, "", nil)
	for _, bad := range []string{"x", "{}", `{"remote":"x","at":"2026-01-02/030405.000","seen":[]}`, "1-1"} {
		ask(b, bad, nil)
	}
	ask(b, place, none)
	pos = put(first, pos, 2)
	put(second, 0, 1)
	tell(a, "")
	put(first, pos, 3)
	tell(a, "")
	came := map[string]uint64{first: 3, second: 1}
	next := ask(b, place, came)
	ask(b, next, none)
	ask(r.Open(t), place, came) // an older place is as good

	// Who writes alone is told nothing of its own.
	mine := ask(a, next, none)
	last, err := a.Last(t.Context(), second)
	must.Do(t, err)
	put(second, last.Pos, 2)
	mine = tell(a, mine)
	ask(a, mine, none)
	ask(b, next, map[string]uint64{second: 2})
	if _, _, _, err := b.News(t.Context(), next, 0); err != nil {
		t.Error(err)
	}
}

func mustLast(t *testing.T, l remote.Log, key string) remote.Pos {
	t.Helper()
	p, err := l.Last(t.Context(), key)
	must.Do(t, err)
	return p.Pos
}

// readHead reads what is behind a part by a listing.
func readHead(ctx context.Context, l remote.Log, h remote.Head, after remote.Pos) (list []remote.Part, err error) {
	for p, err := range h.Read(ctx, l, after) {
		if err != nil {
			return list, err
		}
		p.Data = bytes.Clone(p.Data)
		list = append(list, p)
	}
	return list, nil
}

// writer pushes lines, each with a number of its own, and reads what others pushed when
// it loses.
func writer(ctx context.Context, l remote.Log, w, pushes int) error {
	var at remote.Pos
	n := uint64(1)
	for i, try := 0, 0; i < pushes; try++ {
		pos, err := l.Append(ctx, key, at, n, fmt.Appendf(nil, "{\"id\":\"%d.%d\"}\n", w, i))
		switch {
		case err == nil:
			at, i, try = pos, i+1, 0
			n++
			continue
		case !errors.Is(err, remote.ErrMoved):
			return err
		}
		list, err := Parts(ctx, l, key, at)
		if err != nil {
			return err
		}
		for _, p := range list {
			at, n = p.Pos, p.N+1
		}
		if err := bucket.Pause(ctx, min(try, 3)); err != nil {
			return err
		}
	}
	return nil
}
