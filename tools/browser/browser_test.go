// Package browser loads pages of sess-show in a real browser.
package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json/jsontext"
)

const root = "../.."

var tool string // sess-show, built

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "sess-browser")
	if err != nil {
		panic(err)
	}
	build := exec.Command("go", "build", "-C", root, "-o", dir+"/", "./cmd/sess-show", "./cmd/sess-path")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	tool = filepath.Join(dir, "sess-show")
	code := m.Run()
	if closed != nil {
		closed()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

var (
	closed  func()          // ends the browser
	browser context.Context // one for all tests
)

// chromium starts the browser. Without one the tests are skipped, which scripts/interop says.
func chromium(t *testing.T) context.Context {
	t.Helper()
	if browser != nil {
		return browser
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
		alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel := chromedp.NewContext(alloc)
		if err := chromedp.Run(ctx); err != nil {
			t.Fatal(err)
		}
		browser, closed = ctx, func() { cancel(); stop() }
		return browser
	}
	t.Skip("no chromium here")
	return nil
}

// A seen is what a browser did while a page was loaded.
type seen struct {
	mu       sync.Mutex
	requests []string
	messages []string
}

func (s *seen) events(ev any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		if strings.HasPrefix(ev.Request.URL, "data:image/") {
			return // it is in the page
		}
		s.requests = append(s.requests, ev.Request.URL)
	case *cdplog.EventEntryAdded:
		s.messages = append(s.messages, ev.Entry.Text)
	case *runtime.EventExceptionThrown:
		s.messages = append(s.messages, ev.ExceptionDetails.Error())
	}
}

// tab opens a page in a browser.
func tab(t *testing.T, file string, more ...chromedp.Action) (context.Context, *seen) {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium(t))
	t.Cleanup(cancel)
	ctx, end := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(end)
	s := &seen{}
	chromedp.ListenTarget(ctx, s.events)
	actions := append([]chromedp.Action{network.Enable(), cdplog.Enable(), runtime.Enable()}, more...)
	actions = append(actions, chromedp.Navigate("file://"+file), chromedp.WaitReady("main"), chromedp.Sleep(300*time.Millisecond))
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatal(err)
	}
	return ctx, s
}

// write makes the page of a session.
func write(t *testing.T, session string, args ...string) string {
	t.Helper()
	cmd := exec.Command(tool, append(append([]string{"-q", "--as", "html"}, args...), session)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return save(t, out)
}

func save(t *testing.T, page []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func fixtures(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"show/parser.jsonl", "pi/genuine/*/*.jsonl", "pi/sessions/*.jsonl", "omp/18/*/*.jsonl"} {
		names, err := filepath.Glob(filepath.Join(root, "testdata", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, names...)
	}
	if len(list) < 10 {
		t.Fatalf("%d fixtures", len(list))
	}
	return list[:min(len(list), 24)]
}

func eval[T any](t *testing.T, ctx context.Context, js string) (v T) {
	t.Helper()
	if err := chromedp.Run(ctx, chromedp.Evaluate(js, &v)); err != nil {
		t.Fatal(err)
	}
	return v
}

var policy = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)

// A hostile session runs nothing and loads nothing, with the policy and without it.
func TestHostile(t *testing.T) {
	for _, args := range [][]string{nil, {"--branches"}, {"--calls", "open", "--thinking", "open"}} {
		file := write(t, filepath.Join(root, "testdata", "show", "xss.jsonl"), args...)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		bare := policy.ReplaceAll(data, nil)
		if len(bare) == len(data) {
			t.Fatal("no policy")
		}
		for what, name := range map[string]string{"with": file, "without": save(t, bare)} {
			ctx, s := tab(t, name)
			// What waits for the user is done, too.
			err := chromedp.Run(ctx, chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => d.open = !d.open)`, nil), chromedp.Sleep(300*time.Millisecond))
			if err != nil {
				t.Fatal(err)
			}
			if title := eval[string](t, ctx, "document.title"); strings.HasPrefix(title, "PWN") {
				t.Errorf("%v, %s the policy: %s", args, what, title)
			}
			if len(s.requests) != 1 || len(s.messages) > 0 {
				t.Errorf("%v, %s the policy: requests %q, messages %q", args, what, s.requests, s.messages)
			}
			if n := eval[int](t, ctx, `document.querySelectorAll("main img, main svg, main iframe, main object, main embed, main form, main [style]").length`); n != 0 {
				t.Errorf("%v, %s the policy: %d elements", args, what, n)
			}
		}
	}
}

// Pages of sessions break no rule of their own policy, and have an article for each entry.
func TestFixtures(t *testing.T) {
	for _, session := range fixtures(t) {
		out, err := exec.Command(filepath.Join(filepath.Dir(tool), "sess-path"), "-q", session).Output()
		if err != nil {
			continue // no session
		}
		entries := strings.Count(string(out), "\n") - 1
		if strings.HasPrefix(string(out), `{"type":"title"`) {
			entries-- // a slot in front of the header
		}
		ctx, s := tab(t, write(t, session))
		if len(s.requests) != 1 || len(s.messages) > 0 {
			t.Errorf("%s: requests %q, messages %q", session, s.requests, s.messages)
		}
		if got := eval[int](t, ctx, `document.querySelectorAll("article").length`); got != entries {
			t.Errorf("%s: %d articles of %d entries", session, got, entries)
		}
	}
}

// The search finds what is folded, and opens it.
func TestSearch(t *testing.T) {
	ctx, s := tab(t, write(t, filepath.Join(root, "testdata", "show", "parser.jsonl")))
	folded := `[...document.querySelectorAll("details")].filter(d => !d.open && d.textContent.includes("how deep the text is")).length`
	if eval[int](t, ctx, folded) == 0 {
		t.Fatal("the result is not folded")
	}
	if got := eval[bool](t, ctx, `document.querySelector("#bar").hidden`); got {
		t.Error("no search")
	}
	key := func(js string) string {
		t.Helper()
		if err := chromedp.Run(ctx, chromedp.Evaluate(`{const box = document.querySelector(".search"); `+js+`}`, nil), chromedp.Sleep(500*time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		return eval[string](t, ctx, `document.querySelector("output").textContent`)
	}
	if got := key(`box.value = "how deep the TEXT"; box.dispatchEvent(new Event("input"))`); got != "1 found" {
		t.Errorf("%q", got)
	}
	enter := `box.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}))`
	if got := key(enter); got != "1 of 1" {
		t.Errorf("%q", got)
	}
	if eval[int](t, ctx, folded) != 0 {
		t.Error("it was not opened")
	}
	// What stands in several elements is found as well, and all of it in its turn.
	if got := key(`box.value = "1.9 s → 12 ms on the"; box.dispatchEvent(new Event("input"))`); got != "1 found" {
		t.Errorf("%q", got)
	}
	if got := key(`box.value = "zzz"; box.dispatchEvent(new Event("input"))`); got != "0 found" {
		t.Errorf("%q", got)
	}
	if len(s.messages) > 0 {
		t.Errorf("%q", s.messages)
	}
}

// Keys go from prompt to prompt and to what failed, and the row of the prompt that is read is marked.
func TestKeys(t *testing.T) {
	ctx, s := tab(t, write(t, filepath.Join(root, "testdata", "show", "parser.jsonl")), emulation.SetDeviceMetricsOverride(1200, 400, 1, false))
	after := func(key, js string) string {
		t.Helper()
		if err := chromedp.Run(ctx, chromedp.Evaluate(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "`+key+`", cancelable: true}))`, nil), chromedp.Sleep(700*time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		return eval[string](t, ctx, js)
	}
	const here = `String(document.querySelector("nav a.here")?.textContent)`
	for _, key := range []struct{ key, js, want string }{
		{"j", here, "Fix the parser. It hangs on \"[[\"."},
		{"j", here, "the one in lexer.go @which"},
		{"n", `String(document.querySelector("details.err").getBoundingClientRect().top < 60)`, "true"},
		{"j", here, "and make it fast"},
		{"k", here, "the one in lexer.go @which"},
		{"o", `String([...document.querySelectorAll("main details")].every((d) => d.open))`, "true"},
		{"?", `getComputedStyle(document.getElementById("keys")).position`, "fixed"},
		{"/", `document.activeElement.className`, "search"},
	} {
		if got := after(key.key, key.js); got != key.want {
			t.Errorf("%s: %q, not %q", key.key, got, key.want)
		}
	}
	if len(s.messages) > 0 {
		t.Errorf("%q", s.messages)
	}
}

// Without script all is there: text, folds and the tree.
func TestWithoutScript(t *testing.T) {
	session := filepath.Join(root, "testdata", "show", "parser.jsonl")
	ctx, _ := tab(t, write(t, session), emulation.SetScriptExecutionDisabled(true))
	if got := eval[string](t, ctx, "document.body.innerText"); !strings.Contains(got, "Which one? The lexer or the config parser?") || strings.Contains(got, "Search") {
		t.Error(got)
	}
	if err := chromedp.Run(ctx, chromedp.Click("details:not([open]) summary"), chromedp.Sleep(200*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if got := eval[int](t, ctx, `document.querySelectorAll("details.think[open]").length`); got != 1 {
		t.Errorf("%d are open", got)
	}
}

// No width makes a page scroll sideways.
func TestWidths(t *testing.T) {
	session := filepath.Join(root, "testdata", "show", "parser.jsonl")
	long := filepath.Join(t.TempDir(), "long.jsonl")
	data, err := os.ReadFile(session)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(long, []byte(strings.ReplaceAll(string(data), "lexer.go", strings.Repeat("a/very/long/path", 20)+"lexer.go")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{session, long} {
		file := write(t, name, "--calls", "open", "--thinking", "open")
		for _, width := range []int64{40, 360, 1400} {
			ctx, _ := tab(t, file, emulation.SetDeviceMetricsOverride(width, 800, 1, false))
			if got := eval[int64](t, ctx, "document.scrollingElement.scrollWidth"); got > width {
				t.Errorf("%d wide at %d", got, width)
			}
		}
	}
}

// A page is printed, and has a heading for each turn.
func TestPrintAndHeadings(t *testing.T) {
	ctx, _ := tab(t, write(t, filepath.Join(root, "testdata", "show", "parser.jsonl")))
	var pdf []byte
	var raw jsontext.Value
	var tree struct {
		Nodes []struct {
			Role       struct{ Value string } `json:"role"`
			Properties []struct {
				Name  string              `json:"name"`
				Value struct{ Value any } `json:"value"`
			} `json:"properties"`
		} `json:"nodes"`
	}
	err := chromedp.Run(ctx, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = page.PrintToPDF().Do(ctx)
		return err
	}), chromedp.ActionFunc(func(ctx context.Context) error {
		return cdp.Execute(ctx, "Accessibility.getFullAXTree", nil, &raw)
	}))
	if err == nil {
		err = json.Unmarshal(raw, &tree)
	}
	if err != nil || len(pdf) < 10000 || !strings.HasPrefix(string(pdf), "%PDF") {
		t.Fatal(len(pdf), err)
	}
	if pdftotext, err := exec.LookPath("pdftotext"); err == nil {
		cmd := exec.Command(pdftotext, "-", "-")
		cmd.Stdin = strings.NewReader(string(pdf))
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), "and make it fast") || strings.Contains(string(out), "how deep the text is") || strings.Contains(string(out), "Search") {
			t.Errorf("%v: %s", err, out)
		}
	}
	headings := map[string]int{}
	for _, n := range tree.Nodes {
		for _, p := range n.Properties {
			if n.Role.Value == "heading" && p.Name == "level" {
				headings[fmt.Sprint(p.Value.Value)]++
			}
		}
	}
	if headings["1"] != 1 || headings["2"] != eval[int](t, ctx, `document.querySelectorAll("article > h2").length`)+1 {
		t.Errorf("%v", headings)
	}
}

// Times are those of the reader's zone, with their days, and without script those of UTC.
func TestLocalTimes(t *testing.T) {
	session := filepath.Join(t.TempDir(), "s.jsonl")
	text := `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	for i, at := range []string{"2026-01-02T03:04:05.000Z", "2026-01-02T20:30:00.000Z"} {
		text += fmt.Sprintf(`{"type":"message","id":"a%d","parentId":null,"timestamp":%q,"message":{"role":"user","content":"hello"}}`+"\n", i, at)
	}
	text = strings.Replace(text, `"id":"a1","parentId":null`, `"id":"a1","parentId":"a0"`, 1)
	if err := os.WriteFile(session, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file := write(t, session)
	for name, tt := range map[string]struct {
		action chromedp.Action
		want   string
	}{
		"there":          {emulation.SetTimezoneOverride("Asia/Tokyo"), "2 Jan 2026, 12:04 to 3 Jan 2026, 05:30 Asia/Tokyo|12:04:05|3 Jan 05:30:00"},
		"without script": {emulation.SetScriptExecutionDisabled(true), "2 Jan 2026, 03:04 to 20:30 UTC|03:04:05|20:30:00"},
	} {
		ctx, s := tab(t, file, tt.action)
		got := eval[string](t, ctx, `[/\d+ \w+ \d+, .*? (UTC|Asia\/Tokyo)/.exec(document.querySelector("header p").textContent)[0], ...[...document.querySelectorAll("article time")].map((t) => t.textContent)].join("|")`)
		if got != tt.want || len(s.messages) > 0 {
			t.Errorf("%s: %q, want %q; %q", name, got, tt.want, s.messages)
		}
	}
}

// An index finds rows by words of any column, in any order.
func TestIndexSearch(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-q", "-o", dir + "/"}
	for _, name := range []string{"parser", "xss"} {
		args = append(args, filepath.Join(root, "testdata", "show", name+".jsonl"))
	}
	if out, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ctx, s := tab(t, filepath.Join(dir, "index.html"))
	for typed, want := range map[string]string{"": "2:", "lexer PARSER": "1:1 of 2", "no such words": "0:0 of 2"} {
		got := eval[string](t, ctx, fmt.Sprintf(`{const box = document.querySelector(".search"); box.value = %q; box.dispatchEvent(new Event("input"));
			[...document.querySelectorAll("tbody tr")].filter((r) => getComputedStyle(r).display !== "none").length + ":" + document.querySelector("output").textContent}`, typed))
		if got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	if agents := eval[string](t, ctx, `[...document.querySelectorAll("tbody td:nth-child(2)")].map((c) => c.textContent).join()`); strings.HasPrefix(agents, ",") || strings.HasSuffix(agents, ",") {
		t.Errorf("agents are %q", agents)
	}
	if len(s.messages) > 0 || len(s.requests) != 1 {
		t.Errorf("%q, %q", s.messages, s.requests)
	}
}

// A table on a narrow screen scrolls, and breaks no word.
func TestTablesBreakNoWord(t *testing.T) {
	session := filepath.Join(t.TempDir(), "s.jsonl")
	text := `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"a0","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"| tooling | desktop | AgeOfThings | configuration | documentation | internationalization |\n|---|---|---|---|---|---|\n| tooling | desktop | AgeOfThings | configuration | documentation | internationalization |"}]}}` + "\n"
	if err := os.WriteFile(session, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, _ := tab(t, write(t, session), emulation.SetDeviceMetricsOverride(420, 800, 1, false))
	const heights = `[...new Set([...document.querySelectorAll("td,th")].map((c) => { const r = new Range(); r.selectNodeContents(c); return new Set([...r.getClientRects()].map((b) => b.top)).size; }))].join()`
	if got := eval[string](t, ctx, heights); got != "1" {
		t.Errorf("cells have lines: %s", got)
	}
	if !eval[bool](t, ctx, `document.querySelector("table").scrollWidth > document.querySelector("table").clientWidth`) || eval[bool](t, ctx, `document.scrollingElement.scrollWidth > 420`) {
		t.Error("the table does not scroll, or the page does")
	}
}
