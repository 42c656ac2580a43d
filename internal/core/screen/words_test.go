package screen

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 B", 834: "834 B", 999: "999 B", 1000: "1.0 kB", 88412: "88.4 kB", 99949: "99.9 kB", 99950: "100 kB", 319025: "319 kB", 999_499: "999 kB", 999_500: "1.0 MB",
		1151480: "1.2 MB", 11800000: "11.8 MB", 33_000_000_000: "33.0 GB", 5e15: "5000 TB",
	} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 834: "834", 999: "999", 1000: "1.0k", 5224: "5.2k", 9949: "9.9k", 9950: "10k", 89309: "89k", 999_499: "999k", 999_500: "1.0M", 6619758: "6.6M", 107060811: "107.1M", 1_234_000_000: "1.2G"} {
		if got := Tokens(n); got != want {
			t.Errorf("Tokens(%d) = %q, want %q", n, got, want)
		}
	}
	for v, want := range map[float64]string{0: "$0.00", 0.004: "<$0.01", 0.01: "$0.01", 82.6: "$82.60", 1234.567: "$1,234.57", math.Inf(1): ""} {
		if got := USD(v); got != want {
			t.Errorf("USD(%v) = %q, want %q", v, got, want)
		}
	}
	for d, want := range map[time.Duration]string{-time.Second: "", 999 * time.Millisecond: "", time.Second: "1s", 59 * time.Second: "59s", 9*time.Minute + 50*time.Second: "9m", 3 * time.Hour: "3h", 50 * time.Hour: "2d"} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
	if got := Count(1280); got != "1,280" {
		t.Errorf("Count(1280) = %q", got)
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][3]string{
		"2026-11-25T13:02:07Z": {"Nov 25 14:02", "14:02:07", "14:02"},
		"2026-06-05T13:00:00Z": {"Jun  5 14:00", "14:00:00", "14:00"},
		"2026-03-03T08:20:00Z": {"Mar  3  2026", "09:20:00", "09:20"},
		"2028-03-03T23:20:00Z": {"Mar  4  2028", "00:20:00", "00:20"},
	} {
		if got := [3]string{When(at(text), now), Clock(at(text), now), Minute(at(text), now)}; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if When(time.Time{}, now)+Clock(time.Time{}, now)+Minute(time.Time{}, now) != "" {
		t.Error("no time has a text")
	}
}

// A row says its day where it is not that of the heading, nor of the row above.
func TestDay(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	sc := New(Screen{Out: &out, Width: 80, Now: now}, true)
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC) }
	if err := sc.Head(Heading{Address: "a", Modified: at(18, 12)}); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	for _, tt := range []struct {
		at   time.Time
		want string
	}{
		{at(18, 1), ""},
		{at(17, 23), "  Nov 17\n"},
		{at(17, 2), ""},
		{time.Time{}, ""},
		{at(18, 1), "  Nov 18\n"},
		{time.Date(2025, 11, 18, 1, 0, 0, 0, time.UTC), "  Nov 18  2025\n"},
	} {
		if err := sc.Day(tt.at, "  "); err != nil || out.String() != tt.want {
			t.Errorf("%s: %q, want %q: %v", tt.at, &out, tt.want, err)
		}
		out.Reset()
	}
}

// What is shown of an id is the beginning of one id alone.
func TestShort(t *testing.T) {
	t.Parallel()
	ids := []string{
		"claude:4b1f20c7-9d11-4a52-8f2e-0d7d3c1f9a10", "codex:4b1f20c7-c396-73f6-9dd0-5b0c224b3890",
		"codex:01a1fc13-c396-73f6-9dd0-5b0c224b3890", "codex:01a1fc13-c397-73f6-9dd0-5b0c224b3890",
		"01a1fc13-c396-73f6-9dd0-5b0c224b3890", "01a1fc13-c396-73f6-9dd0-5b0c224b3891", "short", "short-and-long", "s.jsonl", "dir/2026_x", "codex:/a/file", `C:\x`, "ses_日本語の名前", "ses_日本語の名札",
	}
	short := Short(append(ids, ids[0]))
	for id, want := range map[string]string{
		ids[0]: "claude:4b1f20c7", ids[1]: "codex:4b1f20c7", ids[2]: "codex:01a1fc13-c396", ids[3]: "codex:01a1fc13-c397", ids[4]: ids[4], ids[5]: ids[5],
		"short": "short", "short-and-long": "short-an", "s.jsonl": "s.jsonl", "dir/2026_x": "dir/2026_x", "codex:/a/file": "codex:/a/file", `C:\x`: `C:\x`,
		"ses_日本語の名前": "ses_日本語の名前", "pi:unknown-id": "pi:unknown-",
	} {
		if got := short(id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	for _, a := range ids {
		for _, b := range ids {
			if a != b && !strings.ContainsAny(a, `./\`) && short(a) != a && strings.HasPrefix(b, short(a)) {
				t.Errorf("%s stands for %s and %s", short(a), a, b)
			}
		}
	}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dir, home string
		width     int
		want      string
	}{
		{"/home/u/work", "/home/u", 20, "~/work"},
		{"/home/u", "/home/u", 20, "~"},
		{"/home/user", "/home/u", 20, "/home/user"},
		{"/srv/x", "", 20, "/srv/x"},
		{"/", "/", 20, "/"},
		{"/a/long/way/to/project", "/home/u", 14, "…/to/project"},
		{"/a-directory-with-a-long-name", "/home/u", 10, "…long-name"},
		{"/日本語/とても長い/名前", "", 10, "…/名前"},
		{"/a\x1b[1m", "/home/u", 20, `/a\x1b[1m`},
	} {
		if got := New(Screen{Home: tt.home}, false).Directory(tt.dir, tt.width); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.dir, got, tt.want)
		}
	}
	if Base("") != "" || Base("/a/b/") != "b" || Base("/a\x1b") != `a\x1b` {
		t.Error("the name of a directory")
	}
	rows := []string{"a", "a", "b"}
	same := func(s string) string { return s }
	if Several(rows[:2], same) || !Several(rows, same) || Several(nil, same) {
		t.Error("several directories")
	}
}

// Widths are those that tmux 3.3a has, but for colours of skin.
func TestColumns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "abc": 3, "é": 1, "日本語": 6, "한": 2, "😀": 2, "─├└│┆": 5, "한국어": 6, "e\u0301": 1, "✅": 2, "🟢": 2, "│": 1, "█": 1, "…": 1, "👨‍👩‍👧": 2, "🇩🇪": 2, "สวัสดี": 4, "ａ": 2, "שלום": 4, "⠿": 1, "–": 1, "·": 1,
	} {
		if got := Columns(text); got != want {
			t.Errorf("%q has %d columns, want %d", text, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	got := strings.Join(Wrap(" a long  sentence\nthat_is_broken at words ", 10), "|")
	if want := "a long|sentence|that_is_br|oken at|words"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if len(Wrap(" ", 10)) != 0 {
		t.Error("nothing has lines")
	}
}

func TestView(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, match string
		width       int
		want        string
	}{
		{"a parser", "parser", 20, "a parser"},
		{"one two three four five six parser", "parser", 20, "…five six parser"},
		{"one two three parser and a lot more behind it", "parser", 24, "…three parser and a lot…"},
		{"x" + strings.Repeat(" ", 9000) + "parser" + strings.Repeat("\n", 9000) + "end", "parser", 24, "…parser …"},
	} {
		i := strings.Index(tt.text, tt.match)
		got := viewed(tt.text, Span{i, i + len(tt.match)}, tt.width)
		if got != tt.want {
			t.Errorf("%.40q at %d: %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
}

// A character that takes one column without the library takes one by the library, alone and behind others.
func TestTakesOneColumn(t *testing.T) {
	t.Parallel()
	n := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !takesOneColumn(r) {
			continue
		}
		n++
		for before, want := range map[string]int{"": 1, "a": 2, "├": 2} {
			if got := terminal.StringWidth(before + string(r)); got != want || !utf8.ValidRune(r) {
				t.Errorf("%q behind %q takes %d columns, want %d", r, before, got, want)
			}
		}
	}
	if n < 1200 {
		t.Errorf("%d characters", n)
	}
	for _, text := range []string{"├─ plain", "Größe…", "Ωмега → ✓", "x ⊘ ▒"} {
		if slices.ContainsFunc([]rune(text), func(r rune) bool { return !takesOneColumn(r) }) {
			t.Errorf("%q is left to the library", text)
		}
	}
}

// BenchmarkFirst shows, with -benchtime 1x, what the first characters cost that a process measures: those that screens are
// drawn with, and one that needs the library.
func BenchmarkFirst(b *testing.B) {
	for _, text := range []string{"├", "…", "界"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				Columns(text)
			}
		})
	}
}

// viewed is the text of view with one span.
func viewed(text string, m Span, width int) string {
	return join(view(text, []Span{m}, width, unicodeMarks.More))
}
