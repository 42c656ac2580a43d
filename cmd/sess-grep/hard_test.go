package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/must"
)

// A hard case is one that a search over the raw file gets wrong.
type hard struct {
	name   string
	text   string // of the session behind its header
	args   []string
	want   string
	status int
	stderr string // a part of it
}

const call = `{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"sess-grep -i needle"}}]}}`

var hardCases = []hard{
	{name: "1 a quote in the pattern", text: entries(message("user", `"say \"x\" now"`)), args: []string{"-F", `"x"`}, want: "e001:user:say \"x\" now\n"},
	{name: "1 a backslash", text: entries(message("user", `"C:\\new"`)), args: []string{"-F", `\new`}, want: "e001:user:C:\\new\n"},
	{name: "1 a tab", text: entries(message("user", `"a\tb"`)), args: []string{"-F", "a\tb"}, want: "e001:user:a\tb\n"},
	{name: "1 a line feed", text: entries(message("user", `"x a\nb y\nz"`)), args: []string{"-F", "a\nb"}, want: `e001:user:x a\nb y` + "\n"},
	{name: "2 an escape of a letter", text: entries(message("user", `"\u0067hp_secret"`)), args: []string{"ghp_"}, want: "e001:user:ghp_secret\n"},
	{name: "2 surrogates", text: entries(message("user", `"smile \ud83d\ude00"`)), args: []string{"\U0001f600"}, want: "e001:user:smile \U0001f600\n"},
	{name: "2 a lone surrogate", text: entries(message("user", `"half \ud83d of it"`)), args: []string{"half . of"}, want: "e001:user:half \ufffd of it\n"},
	{
		name: "3 base64",
		text: entries(`{"type":"message","message":{"role":"assistant","content":[{"type":"image","data":"needle","mimeType":"image/png"},` +
			`{"type":"thinking","thinking":"hm","thinkingSignature":"needle"},{"type":"toolCall","id":"needle","name":"x","arguments":{"encrypted_content":"needle","shot":{"type":"image","data":"needle"}}}]}}`),
		args: []string{"--in", "all", "needle"}, status: 1,
	},
	{name: "8 -w at a letter", text: entries(message("user", `"naïve"`)), args: []string{"-w", "na"}, status: 1},
	{name: "8 -w in kanji", text: entries(message("user", `"日本語"`), message("user", `"日本 語"`)), args: []string{"-w", "日本"}, want: "e002:user:日本 語\n"},
	{name: "8 -i of the Kelvin sign", text: entries(message("user", `"273 \u212a"`), message("user", `"273 K"`)), args: []string{"-i", "3 k"}, want: "e001:user:273 \u212a\ne002:user:273 K\n"},
	{name: "8 -i of a dotted I", text: entries(message("user", `"İ"`)), args: []string{"-i", "^i$"}, status: 1},
	{name: "9 line edges", text: entries(message("user", `"a\nb\nab"`)), args: []string{"^b$"}, want: "e001:user:b\n"},
	{name: "9 a dot is no line feed", text: entries(message("user", `"a\nb"`)), args: []string{"a.b"}, status: 1},
	{name: "9 (?s)", text: entries(message("user", `"a\nb"`)), args: []string{"(?s)a.b"}, want: `e001:user:a\nb` + "\n"},
	{
		name: "10 two blocks", text: entries(message("assistant", `[{"type":"text","text":"x x"},{"type":"text","text":"y\nx"}]`)), args: []string{"x"},
		want: "e001:assistant:x x\ne001:assistant:x\n",
	},
	{name: "10 -c", text: entries(message("assistant", `[{"type":"text","text":"x x"},{"type":"text","text":"y\nx"}]`)), args: []string{"-c", "x"}, want: "1\n"},
	{
		name: "13 --no-self",
		text: entries(message("user", `"a needle"`), call,
			`{"type":"message","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":"e001:user:a needle"}}`),
		args: []string{"--no-self", "--in", "text,result", "needle"}, want: "e001:user:a needle\n",
	},
	{name: "15 escapes", text: entries(message("user", `"\u001b]8;;http://x\u0007needle\u009b1m"`)), args: []string{"needle"}, want: `e001:user:\x1b]8;;http://x\x07needle\u009b1m` + "\n"},
	{name: "15 a control character", text: entries(message("user", `"\u001b[1mneedle"`)), args: []string{"needle"}, want: "e001:user:\\x1b[1mneedle\n"},

	// 7: damage is skipped, and named once.
	{name: "7 a NUL line", text: entries(message("user", `"needle"`)) + "\x00\x00\n", args: []string{"needle"}, want: "e001:user:needle\n", stderr: ":3: NUL bytes, line skipped"},
	{name: "7 a torn tail", text: entries(message("user", `"needle"`)) + `{"type":"message","id":"needle`, args: []string{"needle"}, want: "e001:user:needle\n", stderr: "torn last line of"},
	{name: "7 fused lines", text: entries(message("user", `"needle"`)) + `{"type":"message","id":"x"}{"type":"message","id":"needle"}` + "\n", args: []string{"needle"}, want: "e001:user:needle\n", stderr: "fused"},
	{name: "7 CRLF", text: strings.ReplaceAll(entries(message("user", `"needle"`)), "\n", "\r\n"), args: []string{"needle$"}, want: "e001:user:needle\n"},
	{name: "7 damage alone", text: entries(message("user", `"x"`)) + "needle\n", args: []string{"needle"}, status: 1, stderr: "not JSON"},
}

func TestHardCases(t *testing.T) {
	t.Parallel()
	for _, tt := range hardCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := must.Write(t, t.TempDir(), "s.jsonl", header+tt.text)
			for _, how := range []string{"file", "standard input"} {
				operand, stdin := path, ""
				if how != "file" {
					operand, stdin = "-", header+tt.text
				}
				out, errs, status := run(t, stdin, append(tt.args, operand)...)
				if out != tt.want || status != tt.status {
					t.Errorf("%s: status %d, want %d; -want +got:\n%s%s", how, status, tt.status, cmp.Diff(tt.want, out), errs)
				}
				if tt.stderr == "" && errs != "" || strings.Count(errs, tt.stderr) < 1 {
					t.Errorf("%s: stderr %q", how, errs)
				}
			}
		})
	}
}

// 7: a byte order mark, and a line of 5 MB, are read as they are by all tools.
func TestHardBOM(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5<<20)
	path := must.Write(t, t.TempDir(), "s.jsonl", "\xef\xbb\xbf"+header+entries(message("user", `"`+long+`needle"`), message("user", `"needle"`)))
	out, errs, status := run(t, "", "-o", "needle", path)
	if out != "e001:user:needle\ne002:user:needle\n" || strings.Count(errs, "byte order mark ignored") != 1 || status != 0 {
		t.Errorf("status %d: %.200q %s", status, out, errs)
	}
}

// 4: an entry that is in a session and its forks is one row, wherever a fork hangs it.
func TestHardForks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := entries(message("user", `"first"`), message("user", `"a needle"`))
	must.Write(t, dir, "a.jsonl", header+text)
	must.Write(t, dir, "b.jsonl", strings.Replace(header, `"s1"`, `"s2"`, 1)+strings.Replace(text, `"parentId":"e001"`, `"parentId":null`, 1))
	must.Write(t, dir, "c.jsonl", strings.Replace(header, `"s1"`, `"s3"`, 1)+text+text[strings.Index(text, "\n")+1:]) // and twice in itself
	must.Write(t, dir, "d.jsonl", strings.Replace(header, `"s1"`, `"s4"`, 1)+entries(message("user", `"x"`), message("user", `"x"`), message("user", `"a needle"`)))
	for i, name := range []string{"d", "c", "b", "a"} {
		at := time.Unix(1_800_000_000-int64(i), 0)
		must.Do(t, os.Chtimes(filepath.Join(dir, name+".jsonl"), at, at))
	}
	out, errs, _ := run(t, "", "-I", "needle", dir)
	if want := "e003:user:a needle\ne002:user:a needle\n"; out != want {
		t.Errorf("-want +got:\n%s", cmp.Diff(want, out))
	}
	if !strings.Contains(errs, "3 copies of these entries in other places not shown; --copies shows them") {
		t.Error(errs)
	}
	if out, _, _ := run(t, "", "--copies", "-I", "needle", dir); strings.Count(out, "\n") != 5 {
		t.Errorf("--copies: %s", out)
	}
	out, _, _ = run(t, "", "--json", "needle", dir)
	if rows := strings.Split(out, "\n"); len(rows) != 3 || strings.Contains(rows[0], "also") || !strings.HasSuffix(rows[1], `,"also":3}`) {
		t.Errorf("--json:\n%s", out)
	}
}

// 5, 6: a row says where in the tree it is, and the flags select by that.
func TestHardTree(t *testing.T) {
	t.Parallel()
	text := entries(message("user", `"old needle"`), message("user", `"kept needle"`), message("user", `"edited needle"`),
		`{"type":"compaction","summary":"sum of needle","firstKeptEntryId":"e002","tokensBefore":9}`,
		`{"type":"context_edit","targetId":"e003","replacement":{"content":"new needle"}}`) +
		`{"type":"message","id":"b001","parentId":"e001","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"lost needle"}}` + "\n" +
		`{"type":"message","id":"f001","parentId":"e005","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"last needle"}}` + "\n"
	path := must.Write(t, t.TempDir(), "s.jsonl", header+text)
	on := func(args ...string) string {
		out, errs, _ := run(t, "", append(args, "--json", "needle", path)...)
		if errs != "" {
			t.Error(errs)
		}
		var all []string
		for line := range strings.Lines(out) {
			cut := func(member string) string {
				_, rest, _ := strings.Cut(line, `"`+member+`":"`)
				value, _, _ := strings.Cut(rest, `"`)
				return value
			}
			all = append(all, cut("entry")+" "+cut("on"))
		}
		return strings.Join(all, ", ")
	}
	for _, tt := range []struct{ flag, want string }{
		{"-E", "e001 compacted, e002 path, e003 removed, e004 path, e005 path, b001 branch, f001 path"},
		{"--path", "e001 compacted, e002 path, e003 removed, e004 path, e005 path, f001 path"},
		{"--in-context", "e002 path, e004 path, e005 path, f001 path"},
	} {
		if got := on(tt.flag); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.flag, got, tt.want)
		}
	}
}

// 14: what is written while the file is read is not read.
func TestHardGrowing(t *testing.T) {
	t.Parallel()
	path := must.Write(t, t.TempDir(), "s.jsonl", header+entries(message("user", `"needle"`)))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must.Do(t, err)
	defer f.Close()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for n := range 5000 {
			_, _ = f.WriteString(`{"type":"message","id":"x`)
			_, _ = f.WriteString(strings.Repeat("9", 1+n%7) + `","parentId":"e001","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"other"}}` + "\n")
		}
	}()
	for going := true; going; {
		select {
		case <-stopped:
			going = false // and once more
		default:
		}
		out, errs, status := run(t, "", "-s", "needle", path)
		if out != "e001:user:needle\n" || status != 0 {
			t.Errorf("status %d: %q %s", status, out, errs)
		}
	}
}

// A session of an old version is searched as it is read: its entries get ids, and roles
// their names of today.
func TestHardVersions(t *testing.T) {
	t.Parallel()
	old := `{"type":"session","version":2,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" +
		strings.Replace(entries(message("hookMessage", `"a needle"`)), "\n", "", 1) + "\n"
	if out, errs, _ := run(t, old, "--role", "custom", "needle", "-"); out != "e001:custom:a needle\n" {
		t.Errorf("version 2: %q %s", out, errs)
	}
	first := `{"type":"session","id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"a needle"}}` + "\n"
	if out, errs, _ := run(t, first, "needle", "-"); out != "00000001:user:a needle\n" {
		t.Errorf("version 1: %q %s", out, errs)
	}
}
