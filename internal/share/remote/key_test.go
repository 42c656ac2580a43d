package remote

import (
	"strings"
	"testing"
)

func TestKeyOf(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"01a1fc13-4173-73d3-8273-e3e1ca1285c1": "01a1fc13-4173-73d3-8273-e3e1ca1285c1",
		"a.b":                                  "a%2Eb",
		"..":                                   "%2E%2E",
		"a/b\x00\r":                            "a%2Fb%00%0D",
		"h-x":                                  "%68-x",
		"hx":                                   "hx",
		"é":                                    "%C3%A9",
		"":                                     "h-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	} {
		if got := KeyOf(id); got != want {
			t.Errorf("KeyOf(%q) = %q, want %q", id, got, want)
		}
	}
	for _, name := range []string{"", ".", "..", "a.b", "%2e", "%2", "%", "%zz", "h-12", "%61", strings.Repeat("a", 201), "a b"} {
		if ValidKey(name) {
			t.Errorf("%q is no key", name)
		}
	}
}

// FuzzKey states what holds of the key of any id: it is one element of a path, of
// letters, digits and three signs, and it leads back to the id or to none.
func FuzzKey(f *testing.F) {
	for _, s := range []string{"01a1fc13-4173-73d3-8273-e3e1ca1285c1", "../x", "h-", "%41", strings.Repeat("é", 99), "\x00\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		key := KeyOf(id)
		if key == "" || len(key) > maxKey || !ValidKey(key) {
			t.Fatalf("KeyOf(%q) = %q", id, key)
		}
		for i := range len(key) {
			if !plain(key[i]) && key[i] != '%' {
				t.Fatalf("KeyOf(%q) = %q", id, key)
			}
		}
		if back, ok := IDOf(key); ok && back != id || !ok && !strings.HasPrefix(key, hashed) {
			t.Fatalf("KeyOf(%q) = %q, which is of %q", id, key, back)
		}
		// Taken as a name that a remote gave us:
		if back, ok := IDOf(id); ok && KeyOf(back) != id {
			t.Fatalf("IDOf(%q) = %q", id, back)
		}
		for _, n := range []uint64{1, 999_999_999_999} {
			name := nameOf(key, n)
			if got, ok := numberOf(strings.TrimPrefix(name, dirOf(key))); !ok || got != n {
				t.Fatalf("%q is part %d", name, got)
			}
		}
		if m := Month(id); len(m) != 7 || strings.ContainsAny(m, "/.") {
			t.Fatalf("month %q", m)
		}
	})
}
