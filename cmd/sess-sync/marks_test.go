package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/share/replica"
	"github.com/sess-tools/sess/internal/test/must"
)

// A memory is a bucket that several machines share.
type memory struct {
	mu      sync.Mutex
	objects map[string][]byte
}

// A line is a machine's connection to it.
type line struct {
	*memory
	left int  // requests that are answered; negative: all
	full bool // nothing is taken
	old  bool // the machine has a program without a journal
	told func(data []byte)

	asked atomic.Int64
	at    int64 // the request in front of which a job appends something
	job   func()

	interrupt bool // the program, in front of that request
}

func (l *line) wait() {
	if n := l.asked.Add(1); n == l.at && l.job != nil {
		l.job()
	}
	l.mu.Lock()
}

var errGone = errors.New("the connection is gone")

func (l *line) ask() error {
	if l.left == 0 {
		return errGone
	}
	l.left--
	return nil
}

func (l *line) write(name string, data []byte, replace bool) (string, error) {
	l.wait()
	defer l.mu.Unlock()
	journal := strings.HasPrefix(name, "v1/j/")
	switch _, there := l.objects[name]; {
	case l.ask() != nil:
		return "", errGone
	case l.full:
		return "", bucket.ErrFull
	case l.old && journal:
		return "", bucket.ErrDenied
	case there && !replace:
		return "", bucket.ErrExists
	case journal:
		l.told(data)
	}
	l.objects[name] = bytes.Clone(data)
	return bucket.SumOf(data), nil
}

func (l *line) Create(_ context.Context, name string, data []byte) (string, error) {
	return l.write(name, data, false)
}

func (l *line) Put(_ context.Context, name string, data []byte) error {
	_, err := l.write(name, data, true)
	return err
}

func (l *line) Get(_ context.Context, name string, most int64, _ []byte) ([]byte, error) {
	l.wait()
	defer l.mu.Unlock()
	data, there := l.objects[name]
	switch {
	case l.ask() != nil:
		return nil, errGone
	case !there:
		return nil, bucket.ErrAbsent
	case int64(len(data)) > most:
		return nil, bucket.ErrTooLarge
	}
	return bytes.Clone(data), nil
}

func (l *line) List(_ context.Context, prefix, after string) iter.Seq2[bucket.Object, error] {
	return func(yield func(bucket.Object, error) bool) {
		l.wait()
		err := l.ask()
		var list []bucket.Object
		for _, name := range slices.Sorted(maps.Keys(l.objects)) {
			if strings.HasPrefix(name, prefix) && name > after {
				list = append(list, bucket.Object{Name: name, Size: int64(len(l.objects[name])), ETag: bucket.SumOf(l.objects[name])})
			}
		}
		l.mu.Unlock()
		if err != nil {
			yield(bucket.Object{}, err)
			return
		}
		for _, o := range list {
			if !yield(o, nil) {
				return
			}
		}
	}
}

func (l *line) Limits() bucket.Limits { return bucket.Limits{MaxPart: 1 << 20} }
func (l *line) Name() string          { return "memory:" }
func (l *line) Close() error          { return nil }

// A world is machines that share a bucket, in a time that goes on by leaps.
type world struct {
	*testing.T
	*rand.Rand
	dir      string
	memory   *memory
	now      time.Time
	machines []*machine
	promised map[string]uint64 // by key, the last part that the journal has and that was not lost
	own      map[string]int    // entries that were written to files, by id: those that may be lost are not counted
	entries  int
	did      map[string]int
}

type machine struct {
	name   string
	off    time.Duration // of its clock
	old    bool
	backup map[string][]byte
}

// sound reports whether no two clocks differ by more than the journal overlaps.
func (w *world) sound() bool {
	least, most := w.machines[0].off, w.machines[0].off
	for _, m := range w.machines {
		least, most = min(least, m.off), max(most, m.off)
	}
	return most-least <= 29*time.Minute
}

func (w *world) store(m *machine) string { return filepath.Join(w.dir, m.name) }
func (w *world) cache(m *machine) string { return filepath.Join(w.dir, m.name+"-cache") }

// run runs push or pull of all sessions on a machine, and returns its status.
func (w *world) run(m *machine, do string, l *line) (status int, said string) {
	w.Helper()
	l.memory, l.old, l.told = w.memory, m.old, w.promise
	w.Setenv("SESS_DIR", w.store(m))
	w.Setenv("XDG_CACHE_HOME", w.cache(m))
	clock := func() time.Time { return w.now.Add(m.off) }
	one := cli.Tool{Name: do, New: func() ([]cli.Flag, cli.Action) {
		c := &config{all: true, maxSize: 1 << 30, now: clock}
		return nil, func(ctx context.Context, s *cli.Streams, _ []string) error {
			log := remote.OverBy(l, func(string, ...any) {}, clock)
			act := (*config).pull
			if do == "push" {
				act = (*config).push
			}
			err := act(c, ctx, s, log, nil)
			tell(ctx, s, log, "")
			return explained(err)
		}
	}}
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	if l.interrupt {
		l.job = cancel
	}
	var out, errs bytes.Buffer
	status = cli.Run(ctx, one, strings.NewReader(""), &out, &errs, nil)
	w.did[fmt.Sprintf("%s %d", do, status)]++
	return status, errs.String()
}

// promise takes in an object of the journal.
func (w *world) promise(data []byte) {
	for text := range bytes.Lines(data) {
		var n remote.Note
		must.Do(w.T, json.Unmarshal(text, &n))
		w.promised[n.Key] = max(w.promised[n.Key], n.N)
	}
}

// job appends an entry to some session of the remote, without a file. Its clock is right, or days ahead, which hides nothing.
func (w *world) job(draw, entry int) {
	keys := map[string]uint64{}
	w.memory.mu.Lock()
	for name := range w.memory.objects {
		if key := strings.Split(name, "/"); strings.HasPrefix(name, "v1/s/") {
			keys[key[3]]++
		}
	}
	w.memory.mu.Unlock()
	if len(keys) == 0 {
		return
	}
	key := slices.Sorted(maps.Keys(keys))[draw%len(keys)]
	ahead := time.Duration(draw%3/2) * 240 * time.Hour
	log := remote.OverBy(&line{memory: w.memory, left: -1, told: w.promise}, nil, func() time.Time { return w.now.Add(ahead) })
	text := fmt.Sprintf(`{"type":"custom","id":"j%06d","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","customType":"x"}`+"\n", entry)
	if _, err := log.Append(w.Context(), key, remote.Pos(keys[key]), keys[key]+1, []byte(text)); err == nil {
		_, err = log.Tell(w.Context(), "")
		must.Do(w.T, err)
	}
}

func (w *world) files(m *machine) (list []string) {
	list, err := filepath.Glob(filepath.Join(w.store(m), "--w--", "*.jsonl"))
	must.Do(w.T, err)
	return list
}

// pick returns a session of a machine, or "".
func (w *world) pick(m *machine) string {
	if list := w.files(m); len(list) > 0 {
		return list[w.IntN(len(list))]
	}
	return ""
}

func stateOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".sync")
}

func (w *world) append(path, text string) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	must.Do(w.T, err)
	_, err = f.WriteString(text)
	must.Do(w.T, errors.Join(err, f.Close()))
}

func (w *world) entry() string {
	w.entries++
	id := fmt.Sprintf("e%06d", w.entries)
	w.own[id] = 1
	return fmt.Sprintf(`{"type":"custom","id":"%s","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","customType":"x"}`+"\n", id)
}

// snapshot returns all that a machine has on its disk below a directory.
func (w *world) snapshot(dir string) map[string][]byte {
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			all[path], err = os.ReadFile(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	})
	must.Do(w.T, err)
	return all
}

func (w *world) restore(all map[string][]byte) {
	for path, data := range all {
		must.Do(w.T, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path+"~", data, 0o600), os.Rename(path+"~", path)))
	}
}

// step does something on a machine.
func (w *world) step(m *machine) {
	path := w.pick(m)
	switch n := w.IntN(28); {
	case n < 3 || path == "" && n < 12: // a new session
		id := fmt.Sprintf("%s%04d", m.name, w.entries)
		must.Do(w.T, os.MkdirAll(filepath.Join(w.store(m), "--w--"), 0o700))
		w.append(filepath.Join(w.store(m), "--w--", "2026-01-02T03-04-05-678Z_"+id+".jsonl"),
			fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/w"}`+"\n", id)+w.entry())
	case n < 8 && path != "":
		w.append(path, w.entry())
	case n < 12:
		w.whole(m, "push")
	case n < 16:
		w.whole(m, "pull")
	case n < 18: // the connection ends, or the program is killed
		l := &line{left: w.IntN(12)}
		if w.IntN(2) == 0 {
			l = &line{left: -1, interrupt: true, at: int64(1 + w.IntN(12))}
		}
		marks := w.snapshot(w.cache(m))
		w.run(m, []string{"push", "pull"}[w.IntN(2)], l)
		if l.left == 0 && w.IntN(2) == 0 {
			w.lose(m)
			w.restore(marks)
		}
	case n == 18:
		w.run(m, "push", &line{left: -1, full: true})
	case n == 19:
		w.lose(m)
	case n == 20: // a torn or a foreign mark
		for path, data := range w.snapshot(w.cache(m)) {
			if i := w.IntN(len(data) + 1); w.IntN(2) == 0 {
				data = data[:i]
			} else if i < len(data) {
				data[i] ^= 1
			}
			must.Do(w.T, os.WriteFile(path, data, 0o600))
		}
	case n == 21 && path != "": // a state, or a file and its state, is lost
		_ = os.Remove(stateOf(path))
		if w.IntN(2) == 0 {
			w.forgive(path)
			must.Do(w.T, os.Remove(path))
		}
	case n == 22: // a backup is made, or put back
		if m.backup == nil {
			m.backup = w.snapshot(w.store(m))
			return
		}
		for path := range m.backup {
			w.forgive(path)
		}
		w.restore(m.backup)
		m.backup = nil
	case n == 23: // an object of the journal is lost
		for _, name := range slices.Sorted(maps.Keys(w.memory.objects)) {
			if data := w.memory.objects[name]; strings.HasPrefix(name, "v1/j/") {
				for text := range bytes.Lines(data) {
					var n remote.Note
					_ = json.Unmarshal(text, &n) // somebody else's is none
					delete(w.promised, n.Key)
				}
				delete(w.memory.objects, name)
				return
			}
		}
	case n == 25: // somebody else writes to the journal
		name := fmt.Sprintf("v1/j/%s-X%d", w.now.UTC().Format("2006-01-02/150405.000"), w.entries)
		w.memory.objects[name] = []byte([]string{"", `{"key":"nobody","n":3}` + "\n", "no note\n", `{"key":"../../x","n":1}` + "\n"}[w.IntN(4)])
	case n == 24 && path != "": // a program cuts off the last entry
		data, err := os.ReadFile(path)
		must.Do(w.T, err)
		if lines := bytes.SplitAfter(data, []byte("\n")); len(lines) > 3 {
			w.forgive(path)
			must.Do(w.T, os.WriteFile(path, bytes.Join(lines[:len(lines)-2], nil), 0o600))
		}
	default:
		w.now = w.now.Add([]time.Duration{time.Second, time.Minute, time.Hour, 9 * time.Hour}[w.IntN(4)])
	}
	w.now = w.now.Add(2 * time.Second)
}

// lose removes the marks of a machine.
func (w *world) lose(m *machine) { must.Do(w.T, os.RemoveAll(w.cache(m))) }

// forgive forgets the entries of a file that may be nowhere else.
func (w *world) forgive(path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	for id := range w.own {
		if bytes.Contains(data, []byte(`"`+id+`"`)) {
			delete(w.own, id)
		}
	}
}

// whole pushes or pulls, and compares the files with what is promised.
func (w *world) whole(m *machine, do string) {
	w.Helper()
	before := maps.Clone(w.promised)
	sent := map[string][]byte{}
	for _, path := range w.files(m) {
		data, err := os.ReadFile(path)
		must.Do(w.T, err)
		sent[path] = data
	}
	draw, entry, path, text := w.Int(), w.entries, w.pick(m), w.entry()
	delete(w.own, fmt.Sprintf("e%06d", w.entries)) // it may not be written
	l := &line{left: -1, at: int64(w.IntN(12)), job: func() { w.job(draw, entry) }}
	goesOn := false
	switch w.IntN(3) {
	case 0:
		l.job = nil
	case 1:
		if goesOn = path != ""; goesOn { // an agent goes on meanwhile
			l.job = func() { w.append(path, text) }
		}
	}
	status, said := w.run(m, do, l)
	if goesOn && status == cli.ExitBusy { // the agent wrote while its file was replaced
		return
	}
	if status > 1 {
		w.Fatalf("%s on %s: status %d\n%s", do, m.name, status, said)
	}
	for path, data := range sent {
		if do == "push" {
			w.inRemote(path, data)
		}
	}
	if !w.sound() {
		return
	}
	files := map[string][]byte{}
	for _, path := range w.files(m) {
		data, err := os.ReadFile(path)
		must.Do(w.T, err)
		_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl"), "_")
		files[remote.KeyOf(id)] = data
	}
	for key, last := range before { // what came meanwhile may come with the next round
		data, there := files[key]
		if !there && do == "push" {
			continue
		}
		for n := uint64(1); n <= last; n++ {
			for text := range bytes.Lines(w.memory.objects[fmt.Sprintf("v1/s/%s/%s/%012d", remote.Shard(key), key, n)]) {
				if !bytes.Contains(data, text) {
					w.Fatalf("%s on %s ended well, and %s lacks of part %d of %d: %s", do, m.name, key, n, last, text)
				}
			}
		}
	}
}

// inRemote compares what a file had with what the remote has.
func (w *world) inRemote(path string, data []byte) {
	w.Helper()
	key, err := replica.Key(path)
	must.Do(w.T, err)
	var all []byte
	for name, part := range w.memory.objects {
		if strings.HasPrefix(name, "v1/s/"+remote.Shard(key)+"/"+key+"/") {
			all = append(all, part...)
		}
	}
	for text := range bytes.Lines(data) {
		if !bytes.Contains(all, text) {
			w.Fatalf("a push ended well, and the remote lacks of %s: %s", key, text)
		}
	}
}

// settle looks at everything, and compares: all machines have what the remote has, and nothing is lost. Without marks there is
// nothing more to do.
func (w *world) settle() {
	w.Helper()
	w.now = w.now.Add(25 * time.Hour)
	for range 2 {
		for _, m := range w.machines {
			w.run(m, "push", &line{left: -1})
			w.now = w.now.Add(25 * time.Hour)
		}
	}
	for _, m := range w.machines {
		if status, said := w.run(m, "pull", &line{left: -1}); status > 1 {
			w.Fatalf("pull on %s: status %d\n%s", m.name, status, said)
		}
	}
	want := map[string]string{}
	for name, data := range w.memory.objects {
		if key := strings.Split(name, "/"); strings.HasPrefix(name, "v1/s/") && want[key[3]] == "" {
			for n := 1; ; n++ {
				data, ok := w.memory.objects[fmt.Sprintf("v1/s/%s/%s/%012d", key[2], key[3], n)]
				if !ok {
					break
				}
				want[key[3]] += string(data)
			}
		} else if data == nil {
			w.Fatal(name)
		}
	}
	all := strings.Join(slices.Collect(maps.Values(want)), "")
	for id := range w.own {
		if n := strings.Count(all, `"id":"`+id+`"`); n != 1 {
			w.Fatalf("the entry %s is there %d times", id, n)
		}
	}
	for _, m := range w.machines {
		got := map[string]string{}
		for _, path := range w.files(m) {
			data, err := os.ReadFile(path)
			must.Do(w.T, err)
			key, err := replica.Key(path)
			must.Do(w.T, err)
			got[key] = string(data)
		}
		if !maps.Equal(got, want) {
			w.Fatalf("%s has\n%v\nwant\n%v", m.name, got, want)
		}
		for _, marks := range []string{"with", "without"} {
			for _, do := range []string{"push", "pull"} {
				if status, said := w.run(m, do, &line{left: -1}); status != 1 {
					w.Fatalf("%s on %s %s marks: status %d\n%s", do, m.name, marks, status, said)
				}
			}
			w.lose(m)
		}
	}
}

// TestMarks: whatever machines push and pull, with clocks that differ, killed, on full disks, with marks that are lost, torn or
// old, the marks hide nothing that the journal has, and after a round that looks at all sessions all is as without marks.
// SESS_CONVERGE=1000 draws so many histories.
func TestMarks(t *testing.T) {
	histories := 12
	if text := os.Getenv("SESS_CONVERGE"); text != "" {
		var err error
		histories, err = strconv.Atoi(text)
		must.Do(t, err)
	}
	did := map[string]int{}
	for seed := range histories {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := &world{
				T: t, Rand: rand.New(rand.NewPCG(uint64(seed), 70)), dir: t.TempDir(), now: time.Now().Add(time.Hour),
				memory:   &memory{objects: map[string][]byte{"v1/remote.json": remote.Marker(time.UnixMilli(0))}},
				promised: map[string]uint64{}, own: map[string]int{}, did: did,
			}
			clocks := []time.Duration{0, 0, time.Minute, 14 * time.Minute, -14 * time.Minute}
			if seed%4 == 3 {
				clocks = append(clocks, 5*time.Hour, 10*24*time.Hour, 31*time.Minute, 40*time.Minute)
			}
			for i := range 3 {
				w.machines = append(w.machines, &machine{name: string(rune('a' + i)), off: clocks[w.IntN(len(clocks))], old: w.IntN(8) == 0})
			}
			for range 40 {
				w.step(w.machines[w.IntN(3)])
			}
			w.settle()
		}) {
			break
		}
	}
	t.Log(did)
}
