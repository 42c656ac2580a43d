package storev2

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// A frame that parses is written as one that parses to the same.
func FuzzFrame(f *testing.F) {
	for _, payload := range []string{entryLine(1), entryLine(2), `{"id":"a","type":"label"} `} {
		g, err := newFrame([]byte(payload), true)
		if err != nil {
			f.Fatal(err)
		}
		g.segment, g.number, g.seq, g.at = 1, 1, 1, "2026-02-15T18:11:00.000Z"
		f.Add(strings.TrimSuffix(string(g.encode()), "\n"))
	}
	f.Add(`{"payload":{}}`)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "\n") {
			t.Skip()
		}
		a, err := parseFrame(line)
		if err != nil {
			return
		}
		if !js.Valid([]byte(a.payload)) || strings.Trim(a.line, " \t\r") != a.payload {
			t.Fatalf("payload %q of line %q", a.payload, a.line)
		}
		b, err := parseFrame(strings.TrimSuffix(string(a.encode()), "\n"))
		if len(a.sha) == 64 && hex64(a.sha) && (err != nil || a != b) {
			t.Fatalf("%+v\nis written as\n%+v, %v", a, b, err)
		}
	})
}

// A row that parses is written as one that parses to the same.
func FuzzRow(f *testing.F) {
	r := row{seq: 1, segment: 1, number: 1, id: "a\"b", length: 420, crc: "C3115412", extended: true}
	f.Add(string(r.encode(nil)))
	r.id, r.extended = "ab", false
	f.Add(string(r.encode(nil)))
	f.Fuzz(func(t *testing.T, line string) {
		line = strings.TrimSuffix(line, "\n")
		a, err := parseRow(line)
		if err != nil || strings.ContainsAny(a.crc, "\"\\") || strings.ContainsFunc(a.crc, func(r rune) bool { return r < ' ' }) {
			return
		}
		b, err := parseRow(strings.TrimSuffix(string(a.encode(nil)), "\n"))
		if err != nil || a != b {
			t.Fatalf("%+v\nis written as\n%+v, %v", a, b, err)
		}
	})
}

// A manifest that is accepted is written as itself, and any other byte in it is
// noticed. The hash is made right first: by chance it never would be.
func FuzzManifest(f *testing.F) {
	m := newManifest("f4c03c8c-cf0a-4c90-9535-e95f2d02b393", "2026-02-15T18:11:00.000Z", false)
	m.UpdatedAt = m.CreatedAt
	f.Add(pretty(&m))
	m.Head, m.Counters.Entries = head{1, 1, "a"}, 1
	f.Add(pretty(&m))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = parseManifest(b) // does not panic
		var m manifest
		if decode(b, &m) != nil {
			return
		}
		m.Integrity.Self = m.selfHash()
		again, err := parseManifest(pretty(&m))
		if err != nil {
			return
		}
		if again != m {
			t.Fatalf("%+v\nis read as\n%+v", m, again)
		}
		m.Counters.Messages++
		if _, err := parseManifest(pretty(&m)); err == nil {
			t.Fatal("a changed counter is not noticed")
		}
	})
}

// A transition of the table is read as it was written, but for the length of its
// reason; any other is refused; every line has its length.
func FuzzTransition(f *testing.F) {
	f.Add(int64(7), "CLEAN", "DIRTY", "a \"reason\"", true)
	f.Add(int64(1), "CLEAN", "MIGRATED", strings.Repeat("\x01", 400), false)
	f.Add(int64(1<<62), "MIGRATION_STAGING", "MIGRATED", strings.Repeat("\U0001F600", 400), false)
	f.Fuzz(func(t *testing.T, seq int64, from, to, reason string, ordered bool) {
		_, _ = parseTransition(reason) // does not panic
		a := transition{seq: seq, from: State(from), to: State(to), reason: reason, at: "2026-02-15T18:11:00.000Z", ordered: ordered}
		if seq < 1 || transitions[a.from] == nil || transitions[a.to] == nil || !utf8.ValidString(reason) {
			return
		}
		line := string(a.encode())
		if len(line) != stateSlot || line[stateSlot-1] != '\n' {
			t.Fatalf("%d bytes: %q", len(line), line)
		}
		b, err := parseTransition(strings.TrimRight(line, " \n"))
		if (err == nil) != a.from.May(a.to) {
			t.Fatalf("%s -> %s: %v", from, to, err)
		}
		if err != nil {
			return
		}
		if reason != "" && !strings.HasPrefix(reason, b.reason) || b.reason == "" {
			t.Fatalf("reason %q is read as %q", reason, b.reason)
		}
		if b.reason = reason; a != b {
			t.Fatalf("%+v\nis read as\n%+v", a, b)
		}
	})
}

func parseManifest(b []byte) (m manifest, err error) {
	if err = decode(b, &m); err == nil {
		err = m.check()
	}
	return m, err
}
