package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

// said returns the texts of an entry that are searched by default: decoded as a whole
// by encoding/json, and taken from where the format has them.
func said(e session.Entry) (texts []string) {
	var v map[string]any
	if json.Unmarshal([]byte(e.Raw()), &v) != nil {
		return nil
	}
	add := func(v any) {
		if s, ok := v.(string); ok {
			texts = append(texts, s)
		}
	}
	content := func(v any) {
		add(v)
		list, _ := v.([]any)
		for _, el := range list {
			block, _ := el.(map[string]any)
			switch block["type"] {
			case "text":
				add(block["text"])
			case "toolCall":
				add(block["name"])
				texts = append(texts, allStrings(block["arguments"])...)
			}
		}
	}
	switch v["type"] {
	case "message":
		m, _ := v["message"].(map[string]any)
		switch m["role"] {
		case "bashExecution", "pythonExecution":
			add(m["command"])
			add(m["code"])
			add(m["output"])
		case "fileMention":
			files, _ := m["files"].([]any)
			for _, f := range files {
				f, _ := f.(map[string]any)
				add(f["content"])
			}
		case "branchSummary", "compactionSummary":
			add(m["summary"])
			add(m["shortSummary"])
		case "system":
			add(m["errorMessage"])
		default:
			content(m["content"])
			record, _ := m["nestedCalls"].(map[string]any)
			nested, _ := record["calls"].([]any)
			for _, el := range nested {
				call, _ := el.(map[string]any)
				if m["role"] == "toolResult" && call != nil {
					add(call["name"])
					texts = append(texts, allStrings(call["arguments"])...)
					add(call["error"])
				}
			}
			add(m["errorMessage"])
		}
	case "compaction", "branch_summary":
		add(v["summary"])
		add(v["shortSummary"])
	case "custom_message":
		content(v["content"])
	case "context_edit":
		r, _ := v["replacement"].(map[string]any)
		content(r["content"])
	case "session_init":
		add(v["task"])
	case "session_info":
		add(v["name"])
	case "title", "title_change":
		add(v["title"])
	}
	return texts
}

// allStrings returns the strings of a value that are no data, in any order.
func allStrings(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, el := range v {
			all = append(all, allStrings(el)...)
		}
	case map[string]any:
		_, typed := v["mimeType"].(string)
		_, data := v["data"].(string)
		if v["type"] == "image" || typed && data {
			return nil
		}
		for name, el := range v {
			if !strings.Contains(strings.ToLower(name), "signature") && !strings.HasPrefix(name, "encrypted") {
				all = append(all, allStrings(el)...)
			}
		}
	}
	return all
}

// A heard line is a line of a text that is searched, and how a row of it begins.
type heard struct{ begin, text string }

// listen returns the lines that are searched, each with how often it is there: of entries
// that were decoded whole.
func listen(data string) map[heard]int {
	s, err := session.Read(strings.NewReader(data))
	if err != nil {
		return nil
	}
	lines := map[heard]int{}
	if title := s.Header.Title; title != "" {
		lines[heard{"null:session:", title}]++
	}
	for _, e := range s.Entries {
		begin := cmp.Or(e.ID(), "-") + ":" + cmp.Or(e.Role(), e.Type()) + ":"
		for _, text := range said(e) {
			for line := range strings.SplitSeq(text, "\n") {
				lines[heard{begin, line}]++
			}
		}
	}
	return lines
}

// expected returns how often each row is expected: of the expression alone.
func expected(lines map[heard]int, re *regexp.Regexp) map[string]int {
	rows := map[string]int{}
	for l, n := range lines {
		if re.MatchString(l.text) {
			rows[l.begin+l.text] = n
		}
	}
	return rows
}

// fixtures are the sessions of testdata. Some are there twice, and here once.
func fixtures(t *testing.T) map[string]string {
	t.Helper()
	all, known := map[string]string{}, map[string]bool{}
	for _, dir := range []string{"pi", "omp", "v2"} {
		for _, path := range corpus.Sessions(t, dir) {
			largest := 4 << 20
			if testing.Short() {
				largest = 32 << 10
			}
			if data := string(corpus.Session(t, path)); len(data) < largest && !known[data] {
				all[path], known[data] = data, true
			}
		}
	}
	if len(all) < 20 {
		t.Fatalf("%d sessions", len(all))
	}
	return all
}

// compare compares the rows of the tool with those expected.
func compare(t *testing.T, data string, lines map[heard]int, pattern string, flags ...string) (rows int) {
	t.Helper()
	meant := pattern
	if slices.Contains(flags, "-x") {
		meant = "^(?:" + meant + ")$"
	}
	if slices.Contains(flags, "-i") {
		meant = "(?i)" + meant
	}
	want := map[string]int{} // with control characters made visible, as rows have them
	for row, n := range expected(lines, regexp.MustCompile(meant)) {
		want[tty.CleanLog(row)] += n
	}
	out, errs, status := run(t, data, append(flags, "--copies", "-s", "-e", pattern, "-")...)
	got := map[string]int{}
	for row := range strings.Lines(out) {
		got[strings.TrimSuffix(row, "\n")]++
		rows++
	}
	if !maps.Equal(want, got) { // as the difference of two large ones is looked for in quadratic time
		t.Fatalf("%q %q: status %d, %s (-want +got):\n%.2000s", flags, pattern, status, errs, gocmp.Diff(want, got))
	}
	return rows
}

// Rows are those of decoding everything and the expression alone, for every fixture.
func TestFixtures(t *testing.T) {
	t.Parallel()
	var rows atomic.Int64
	t.Run("all", func(t *testing.T) {
		for name, data := range fixtures(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				lines := listen(data)
				for _, pattern := range drawn.Third(t, []string{"the", `[Ee]rror|fail(ed)?`, `^\S+$`, "(?i)READ", `\d{3,}`, "[^ -~]", "^$"}) {
					rows.Add(int64(compare(t, data, lines, pattern)))
				}
			})
		}
	})
	if rows.Load() < 1000 {
		t.Errorf("%d rows say nothing", rows.Load())
	}
}

// The same for parts of fixtures, and patterns of their texts.
func TestRandomSessions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 2026))
	var sessions []string
	for _, data := range slices.Sorted(maps.Values(fixtures(t))) { // as the seed says which is taken
		if len(data) < 200_000 {
			sessions = append(sessions, data)
		}
	}
	rows, hits := 0, 0
	for range *rounds {
		lines := strings.SplitAfter(sessions[r.IntN(len(sessions))], "\n")
		other := strings.SplitAfter(sessions[r.IntN(len(sessions))], "\n")
		data := lines[0]
		for range 1 + r.IntN(6) {
			from := lines
			if r.IntN(4) == 0 {
				from = other
			}
			data += from[r.IntN(len(from))]
		}
		flags := [][]string{nil, nil, {"-i"}, {"-x"}, {"-i", "-x"}}[r.IntN(5)]
		n := compare(t, data, listen(data), piece(r, data), flags...)
		if rows += n; n > 0 {
			hits++
		}
	}
	t.Logf("%d rounds, %d with rows, %d rows", *rounds, hits, rows)
	if hits < *rounds/5 {
		t.Errorf("%d of %d rounds had rows", hits, *rounds)
	}
}

// piece returns a pattern made of a part of a text of a session.
func piece(r *rand.Rand, data string) string {
	s, err := session.Read(strings.NewReader(data))
	if err != nil || len(s.Entries) == 0 {
		return "a+b"
	}
	texts := said(s.Entries[r.IntN(len(s.Entries))])
	if len(texts) == 0 {
		return "e.?r"
	}
	lines := strings.Split(texts[r.IntN(len(texts))], "\n")
	line := []rune(lines[r.IntN(len(lines))])
	from := r.IntN(len(line) + 1)
	part := regexp.QuoteMeta(string(line[from:min(len(line), from+1+r.IntN(8))]))
	if part == "" || !utf8.ValidString(part) {
		return "^$"
	}
	return []string{part, "(?i)" + part, part + "|zzz", "^.*" + part, part + `\s?\w`, "(?:" + part + ")+$"}[r.IntN(6)]
}

// Flags and statuses are those of GNU grep. Each line of its input is an entry here.
func TestAsGrep(t *testing.T) {
	t.Parallel()
	grep := peer(t, "grep")
	dir := t.TempDir()
	lines := []string{"alpha beta", "Alpha", "beta_gamma", "", "a.b", "naïve", "日本語 x", "foo foo", "tab\there", `back\slash "q"`, "x", "xx", "BETA", "ﬁn K s ſ"}
	for name, of := range map[string][]string{"a": lines, "b": lines[:3], "none": {"nothing here"}} {
		must.Write(t, dir, name, strings.Join(of, "\n")+"\n")
		var bodies []string
		for n, line := range of {
			text, _ := json.Marshal(line)
			bodies = append(bodies, fmt.Sprintf(`{"type":"message","id":"e%03d","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":%s}}`+"\n", n, text))
		}
		must.Write(t, dir, name+".jsonl", header+strings.Join(bodies, ""))
	}
	for _, flags := range []string{
		"alpha", "-i alpha", "-F a.b", "a.b", "-w foo", "-w beta", "-x x", "-x beta", "-c beta", "-c zzz", "-o foo", "-o a|al", "-o b*", "-m1 a", "-m 2 -c a",
		"-l beta", "-L beta", "-l zzz", "-L zzz", "-q beta", "-q zzz", "-v beta", "-v a -i", "-v -c a", "-e alpha -e gamma", "-i -e ALPHA -e x -o", "-w -o foo", "^$", "-c ^$",
		"^", "$", "-x -F xx", "-F -w foo", "[[:upper:]]", "-i beta$", "(a|b)+", "-o (a|b)+", "x{2}", "-h alpha", "-H alpha", "-w x", "-o -i beta", `-F \`, `\\`, "-F \"q\"",
		"-w naïve", "-w na", "-w 日本語", "-w 日本", "[", "-F [", "-s beta", "-c -v beta", "-l -v a", "-L -v a", "-o -w x", "-w -i BETA", "-m 1 -o foo",
	} {
		for _, names := range [][]string{{"a"}, {"a", "b", "none"}, {"a", "gone"}, {"none"}} {
			checkAsGrep(t, grep, dir, strings.Fields(flags), names)
		}
	}
}

func checkAsGrep(t *testing.T, grep, dir string, flags, names []string) {
	t.Helper()
	theirs := exec.Command(grep, append([]string{"-E"}, flags...)...)
	if flags[0] == "-F" || len(flags) > 1 && flags[1] == "-F" {
		theirs.Args = append([]string{grep}, flags...)
	}
	theirs.Args = append(theirs.Args, names...)
	theirs.Dir, theirs.Env = dir, append(os.Environ(), "LC_ALL=C.UTF-8")
	want, err := theirs.Output()
	wantStatus := theirs.ProcessState.ExitCode()
	if theirs.ProcessState == nil {
		t.Fatal(err)
	}
	args := append([]string{"--copies"}, flags...)
	for i, arg := range args { // -h is help in every tool
		if arg == "-h" {
			args[i] = "-I"
		}
	}
	for _, name := range names {
		args = append(args, dir+"/"+name+".jsonl")
	}
	out, errs, status := run(t, "", args...)
	// FILE:ENTRY:ROLE:TEXT is FILE:TEXT, in the words of grep.
	out = strings.ReplaceAll(strings.ReplaceAll(out, dir+"/", ""), ".jsonl", "")
	out = regexp.MustCompile(`(?m)^([^:\n]*:)?e\d\d\d:user:`).ReplaceAllString(out, "$1")
	if diff := gocmp.Diff(string(want), out); diff != "" || status != wantStatus {
		t.Errorf("%q %q: status %d, want %d (-grep +ours):\n%s%s", flags, names, status, wantStatus, diff, errs)
	}
}
