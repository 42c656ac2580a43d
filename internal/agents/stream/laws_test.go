package stream_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// laws holds the decoding of a stream to what holds for all of them.
func laws(t *testing.T, data []byte, o stream.Options) {
	t.Helper()
	whole := decode(data, 0, o)
	sound(t, whole, true)
	for _, size := range []int{1, 7, 4096} {
		got := decode(data, size, o)
		if diff := cmp.Diff(lines(whole.items), lines(got.items)); diff != "" {
			t.Errorf("in pieces of %d bytes:\n%s", size, diff)
		}
		if diff := cmp.Diff(whole.warns, got.warns); diff != "" || (whole.err == nil) != (got.err == nil) {
			t.Errorf("in pieces of %d bytes: %v, %v\n%s", size, whole.err, got.err, diff)
		}
	}
	ends, random := cuts(data)
	for _, at := range ends {
		got := decode(data[:at], 0, o)
		cutLaw(t, at, whole, got)
		if framed(data) && len(got.items) > 0 && got.err != nil && whole.err == nil {
			t.Errorf("cut at the end of a line, %d: %v %q", at, got.err, got.warns)
		}
	}
	for _, at := range random {
		cutLaw(t, at, whole, decode(data[:at], 0, o))
	}
}

// framed reports whether the lines of a stream stand for themselves.
func framed(data []byte) bool {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return len(line) > 1 && line[0] != '[' && (js.Valid(line) || line[0] != '{')
}

// cuts returns where a stream is cut: at the ends of its lines, and at 200 of its bytes. Of
// long streams it is fewer, so that not more than some megabytes are decoded.
func cuts(data []byte) (ends, random []int) {
	limit := min(200, max(10, 4<<20/(len(data)+1)))
	r := rand.New(rand.NewPCG(1, uint64(len(data))))
	for i, c := range data {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	r.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
	for range limit {
		random = append(random, r.IntN(len(data)+1))
	}
	return ends[:min(len(ends), limit)], random
}

// cutLaw holds a stream that was cut to the whole one: what was made of it is the beginning
// of what is made of the whole, but for one message, with its results, that did not end.
func cutLaw(t *testing.T, at int, whole, got told) {
	t.Helper()
	sound(t, got, true)
	have, want := lines(got.items), lines(whole.items)
	same := 0
	for same < len(have) && same < len(want) && have[same] == want[same] {
		same++
	}
	rest := got.items[same:]
	if n := len(rest); n > 0 && strings.Contains(have[len(have)-1], session.CustomRun) {
		rest = rest[:n-1] // which of two agents a run is of may show in its second line
	}
	replies, known := 0, beside(whole.items)
	for _, i := range rest {
		did := beside([]*stream.Item{i})
		switch i.Message.Role() {
		case session.RoleAssistant:
			replies++
		case session.RoleToolResult:
		default:
			if len(did) > 0 && i.Type != session.TypeMessage { // of a sub-agent whose report did not come any more
				break
			}
			t.Errorf("cut at %d: %s is not in the whole", at, line(i))
		}
	}
	for _, did := range beside(got.items) {
		if !slices.Contains(known, did) {
			t.Errorf("cut at %d: a sub-agent did not do this in the whole: %s", at, did)
		}
	}
	if replies > 1 {
		t.Errorf("cut at %d: %d replies are not those of the whole:\n%s", at, replies, strings.Join(have[same:], "\n"))
	}
}

// beside says which calls sub-agents made, and what their replies used, without how they ended and what they cost.
func beside(items []*stream.Item) (did []string) {
	calls := func(record js.Value) {
		for c := range record.Get("calls").Elements() {
			did = append(did, js.Object(js.RawField("id", c.Get("id")), js.RawField("name", c.Get("name")), js.RawField("arguments", c.Get("arguments"))))
		}
	}
	for _, i := range items {
		calls(js.Value(i.Message.Get("nestedCalls")))
		kind, usage := "", js.Value("")
		for _, f := range i.Fields {
			switch f.Name {
			case "data":
				calls(js.Value(f.Raw).Get("nestedCalls"))
			case "kind":
				kind = js.Value(f.Raw).Str()
			case "usage":
				usage = js.Value(f.Raw).Without("cost")
			}
		}
		if kind == "agent" {
			did = append(did, string(usage))
		}
	}
	return did
}

// sound holds entries to what a session is.
func sound(t *testing.T, got told, paired bool) {
	t.Helper()
	if got.err != nil && (!errors.Is(got.err, stream.ErrUnread) || !errors.Is(got.err, session.ErrMalformed)) {
		t.Errorf("an error of another kind: %v", got.err)
	}
	if (got.err != nil) != (len(got.warns) > 0) && got.err != nil {
		t.Errorf("an error that nothing was told of: %v", got.err)
	}
	calls := map[string]bool{}
	for _, i := range got.items {
		if i.Type != session.TypeMessage {
			continue
		}
		m := i.Message
		if !js.Valid([]byte(m.Raw())) || strings.ContainsAny(m.Raw(), "\r\n") {
			t.Errorf("not JSON on one line: %s", m.Raw())
		}
		for b := range m.Blocks() {
			if b.Type == "toolCall" {
				calls[b.Str("id")] = true
				if !js.Value(b.Get("arguments")).IsObject() {
					t.Errorf("arguments that are no object: %s", m.Raw())
				}
			}
		}
		if m.Role() == session.RoleToolResult && paired && !calls[m.Str("toolCallId")] {
			t.Errorf("a result without its call: %s", m.Raw())
		}
	}
	batch := session.Batch{Now: 1, Known: func(string) bool { return false }, Force: true}
	if err := stream.AddTo(&batch, slices.Clone(got.items)); err != nil {
		t.Errorf("no entries can be made of it: %v", err)
	}
}

// at is the time in tests.
func at() int64 { return 1_795_324_000_000 }

func TestLawsOfAPIs(t *testing.T) {
	t.Parallel()
	for _, path := range apiSamples(t, "api-*") {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			laws(t, apiSample(t, path), stream.Options{Now: at})
		})
	}
}

func TestLawsOfAgents(t *testing.T) {
	t.Parallel()
	for _, program := range append(slices.Clone(programs), "pi-1.5") {
		for scenario, s := range samplesOf(t, program) {
			t.Run(program+"/"+scenario, func(t *testing.T) {
				t.Parallel()
				laws(t, s.all(), stream.Options{Now: at})
			})
		}
	}
}

// Laws: nothing panics; entries given away before the end are not taken back, however the
// bytes come; a message is JSON, a result has its call; and what is kept is not more
// than a few times what came.
func FuzzDecode(f *testing.F) {
	for _, path := range apiSamples(f) {
		if data := apiSample(f, path); len(data) < 16<<10 {
			f.Add(data, len(data)/2)
		}
	}
	for _, program := range programs {
		for _, s := range samplesOf(f, program) {
			if data := s.all(); len(data) < 8<<10 {
				f.Add(data, len(data)/2)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = min(max(cut, 0), len(data))
		whole := decode(data, 0, stream.Options{Now: at})
		var early []*stream.Item
		d := stream.New(stream.Options{Now: at, Emit: func(group []*stream.Item) error {
			early = append(early, group...)
			return nil
		}})
		if _, err := d.Write(data[:cut]); err != nil {
			t.Fatal(err)
		}
		before := lines(early)
		all := lines(whole.items)
		if len(before) > len(all) || !slices.Equal(before, all[:len(before)]) {
			t.Fatalf("cut at %d it gave away\n%s\nthe whole is\n%s", cut, strings.Join(before, "\n"), strings.Join(all, "\n"))
		}
		_ = d.Close()
		ofPi := slices.Contains(whole.notes, "it is a stream of pi") // which says itself what it stores
		sound(t, whole, !ofPi)
		size := 0
		for _, l := range all {
			size += len(l)
		}
		if size > 32*len(data)+4096 {
			t.Fatalf("%d bytes became %d", len(data), size)
		}
	})
}

// FuzzFailure: whatever a stream is, the newest answer of a printer that failed has failed, and
// nothing that was given away as an entry was changed by it.
func FuzzFailure(f *testing.F) {
	for _, program := range programs {
		for _, s := range samplesOf(f, program) {
			if data := s.all(); len(data) < 8<<10 {
				f.Add(data, len(data)/2)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = min(max(cut, 0), len(data))
		var items []*stream.Item
		d := stream.New(stream.Options{Now: at, Live: true, Prompt: "go", Emit: func(group []*stream.Item) error {
			items = append(items, group...)
			return nil
		}})
		_ = d.Ask()
		_, _ = d.Write(data[:cut])
		stored := lines(items)
		for _, i := range items {
			i.ID = "x"
		}
		d.Fail(stream.Failure{Stop: "error", Text: "exit status 3"})
		_ = d.Close()
		if got := lines(items)[:len(stored)]; !slices.Equal(got, stored) {
			t.Fatalf("entries were changed from\n%s\nto\n%s", strings.Join(stored, "\n"), strings.Join(got, "\n"))
		}
		var newest session.Message
		for _, i := range items {
			if i.Type == session.TypeMessage && i.Message.Role() == session.RoleAssistant {
				newest = i.Message
			}
		}
		if !newest.Failed() || !d.Tale().Failed() {
			t.Fatalf("the newest answer is %s, the tale %+v", newest.Raw(), d.Tale())
		}
	})
}
