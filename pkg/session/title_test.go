package session_test

import (
	"testing"
)

// The name is the title without white space at its ends, and a
// session_info entry goes before it (docs/formats/omp.md).
func TestTitleIsTrimmed(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{`\t`: "", `\ta b\n`: "a b", "": ""} {
		for _, header := range []string{
			`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","title":"` + title + `"}`,
			`{"type":"title","v":1,"title":"` + title + `","updatedAt":"2026-01-02T03:04:05.000Z","pad":""}` + "\n" +
				`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`,
		} {
			if s := parseText(t, header+"\n"); s.Name != want {
				t.Errorf("title %q: %q, want %q", title, s.Name, want)
			}
			info := `{"type":"session_info","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","name":"named"}`
			if s := parseText(t, header+"\n"+info+"\n"); s.Name != "named" {
				t.Errorf("title %q and a session_info: %q", title, s.Name)
			}
		}
	}
}
