//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// ok ends the test behind an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A site is a remote, and how many requests it was asked.
type site struct {
	address string
	env     []string
	asked   func() int64 // since it was made; negative: it cannot be told
}

// program returns a server that scripts/cluster builds, or skips the test.
func program(t *testing.T, name string) string {
	path, err := exec.LookPath(name)
	if dir := os.Getenv("SESS_TEST_SERVERS"); dir != "" {
		path, err = exec.LookPath(filepath.Join(dir, name))
	}
	if err != nil {
		t.Skipf("no %s in PATH or SESS_TEST_SERVERS; scripts/cluster builds one", name)
	}
	return path
}

func vacant(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	defer l.Close()
	return l.Addr().String()
}

// serve starts a server, which ends with the test, and waits until an address answers.
func serve(t *testing.T, c *exec.Cmd, at string) {
	ok(t, c.Start())
	t.Cleanup(func() { _, _ = c.Process.Kill(), c.Wait() })
	for range 3000 {
		if r, err := http.Get(at); err == nil {
			r.Body.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the server does not start")
}

func directorySite(t *testing.T) site {
	return site{filepath.Join(t.TempDir(), "remote"), nil, func() int64 { return -1 }}
}

// bucketSite is versitygw behind a proxy that counts.
func bucketSite(t *testing.T) site {
	path, host, dir := program(t, "versitygw"), vacant(t), t.TempDir()
	ok(t, os.Mkdir(filepath.Join(dir, "shared"), 0o700))
	c := exec.Command(path, "--port", host, "posix", dir)
	c.Env = append(os.Environ(), "ROOT_ACCESS_KEY=key", "ROOT_SECRET_KEY=hunter2hunter2")
	serve(t, c, "http://"+host)
	var n atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: host})
	proxy.Transport = &http.Transport{MaxIdleConnsPerHost: 64}
	front := &http.Server{Addr: vacant(t), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		proxy.ServeHTTP(w, r) // the host stays as it was signed
	})}
	go func() { _ = front.ListenAndServe() }()
	t.Cleanup(func() { front.Close() })
	return site{"s3+http://shared/team?endpoint=http://" + front.Addr, []string{"AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=hunter2hunter2"}, n.Load}
}

// streamSite is a NATS server that counts itself.
func streamSite(t *testing.T) site {
	path, dir, port, monitor := program(t, "nats-server"), t.TempDir(), vacant(t), vacant(t)
	_, p, _ := net.SplitHostPort(port)
	_, m, _ := net.SplitHostPort(monitor)
	serve(t, exec.Command(path, "-a", "127.0.0.1", "-p", p, "-m", m, "-js", "-sd", dir), "http://"+monitor+"/healthz")
	return site{"nats://" + port, nil, func() int64 {
		r, err := http.Get("http://" + monitor + "/varz")
		ok(t, err)
		defer r.Body.Close()
		var said struct {
			In int64 `json:"in_msgs"`
		}
		ok(t, json.NewDecoder(r.Body).Decode(&said))
		return said.In
	}}
}

// A sharing is machines with stores that share a site.
type sharing struct {
	*testing.T
	site
	dir string
	n   int // sessions
}

// session writes the file of a small session: a prompt, an answer with its tokens, a command and what it printed.
func (f sharing) session(i int) {
	id := fmt.Sprintf("5%07d-4173-73d3-8273-e3e1ca1285c1", i)
	dir := filepath.Join(f.dir, "a", "store", fmt.Sprintf("--w-%03d--", i%100))
	day := fmt.Sprintf("2026-%02d-%02d", 1+i%12, 1+i%28)
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`{"type":"session","version":3,"id":"%s","timestamp":"%sT03:04:05.678Z","cwd":"/w/%03d"}`, id, day, i%100)
	line(`{"type":"message","id":"a","parentId":null,"timestamp":"%sT03:04:06.000Z","message":{"role":"user","content":"please look at case %d","timestamp":1}}`, day, i)
	line(`{"type":"message","id":"b","parentId":"a","timestamp":"%sT03:04:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"toolCall","id":"t","name":"bash","arguments":{"command":"cat case-%d"}}],"api":"x","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":%d,"output":%d,"cacheRead":1000,"cacheWrite":0,"totalTokens":%d,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.01}},"stopReason":"toolUse","timestamp":1}}`, day, i, i%977, i%89, 1000+i%977+i%89)
	line(`{"type":"message","id":"c","parentId":"b","timestamp":"%sT03:04:08.000Z","message":{"role":"toolResult","toolCallId":"t","toolName":"bash","content":[{"type":"text","text":"%s"}],"isError":%t,"timestamp":1}}`, day, strings.Repeat("line ", 40), i%50 == 0)
	f.ok(os.MkdirAll(dir, 0o700))
	f.ok(os.WriteFile(filepath.Join(dir, day+"T03-04-05-678Z_"+id+".jsonl"), []byte(b.String()), 0o600))
}

func (f sharing) ok(err error) { f.Helper(); ok(f.T, err) }

// days is how many days sessions were begun on.
const days = 84

// grow adds a prompt to some of the sessions of machine a: to each that is so many behind the one before.
func (f sharing) grow(from, n, step int) {
	for i := from; i < min(from+n*step, f.n); i += step {
		list, err := filepath.Glob(filepath.Join(f.dir, "a", "store", fmt.Sprintf("--w-%03d--", i%100), fmt.Sprintf("*_5%07d-*.jsonl", i)))
		if err != nil || len(list) != 1 {
			f.Fatal(list, err)
		}
		h, err := os.OpenFile(list[0], os.O_WRONLY|os.O_APPEND, 0)
		f.ok(err)
		_, err = fmt.Fprintf(h, `{"type":"message","id":"d%d","parentId":"c","timestamp":"2026-12-30T03:04:08.000Z","message":{"role":"user","content":"go on","timestamp":1}}`+"\n", time.Now().UnixNano())
		f.ok(err)
		f.ok(h.Close())
	}
}

// run runs a tool on a machine, and prints what it took.
func (f sharing) run(what, machine string, status int, most int64, args ...string) string {
	f.Helper()
	home := filepath.Join(f.dir, machine)
	f.ok(os.MkdirAll(home, 0o700))
	before, begun := f.asked(), time.Now()
	c := command(home, args...)
	c.Env = append(append(c.Env, "SESS_REMOTE="+f.address, "SESS_TIMEOUT=300s"), f.env...)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run() // the status tells
	if got := c.ProcessState.ExitCode(); got != status {
		f.Fatalf("%s: status %d, want %d\n%.2000s", what, got, status, errs.String())
	}
	asked := "-"
	if n := f.asked() - before; before >= 0 {
		if asked = strconv.FormatInt(n, 10); most > 0 && n > most {
			f.Errorf("%s: %d requests, want %d at most", what, n, most)
		}
	}
	usage, _ := c.ProcessState.SysUsage().(*syscall.Rusage)
	used := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	if most := 300 + int64(f.n)/200; machine == "c" && usage.Maxrss>>10 > most || machine == "c" && status == 1 && usage.Maxrss>>10 > 100 { // nothing of a session stays but its row, and with nothing new nothing is read
		f.Errorf("%s: %d MB, want %d at most", what, usage.Maxrss>>10, most)
	}
	f.Logf("| %s | %s | %.2f s | %.2f s | %d MB |", what, asked, used.Seconds(), time.Since(begun).Seconds(), usage.Maxrss>>10)
	return out.String()
}

// TestSize shares sessions between two machines, and prints what each step costs: with nothing new it is a few requests, however many
// sessions there are. SESS_SIZE says how many, and scripts/cluster size.
func TestSize(t *testing.T) {
	n := 200
	if text := os.Getenv("SESS_SIZE"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		ok(t, err)
	}
	for name, site := range map[string]func(*testing.T) site{"directory": directorySite, "bucket": bucketSite, "stream": streamSite} {
		t.Run(name, func(t *testing.T) {
			if n <= 200 {
				t.Parallel()
			}
			f := sharing{t, site(t), t.TempDir(), n}
			for i := range n {
				f.session(i)
			}
			const few = 20 // requests, with nothing new
			t.Logf("%d sessions\n| what | requests | processor | wall | memory |", n)
			f.run("init", "a", 0, 0, "sess-sync", "init", f.address)
			f.run("push -a, the first time", "a", 0, 0, "sess-sync", "push", "-q", "-a")
			f.run("push -a, nothing new", "a", 1, few, "sess-sync", "push", "-q", "-a")
			f.grow(0, 100, 1)
			f.run("push -a, 100 grown", "a", 0, 100*6+few, "sess-sync", "push", "-q", "-a")
			f.run("push -a, nothing new", "a", 1, few, "sess-sync", "push", "-q", "-a")
			f.run("pull -a, the first time", "b", 0, 0, "sess-sync", "pull", "-q", "-a")
			f.run("pull -a, nothing new", "b", 1, few, "sess-sync", "pull", "-q", "-a")
			f.grow(100, 100, 1)
			f.run("push -a, 100 grown", "a", 0, 100*6+few, "sess-sync", "push", "-q", "-a")
			f.run("pull -a, 100 new parts", "b", 0, 100*6+few, "sess-sync", "pull", "-q", "-a")
			f.run("pull -a, nothing new", "b", 1, few, "sess-sync", "pull", "-q", "-a")
			f.run("ls, the first time", "b", 0, 0, "sess-sync", "ls")
			if rows := f.run("ls, nothing new", "b", 0, few, "sess-sync", "ls"); strings.Count(rows, "\n") != n {
				t.Errorf("%d rows", strings.Count(rows, "\n"))
			}
			f.run("table of the store, the first time", "b", 0, 0, "sess-table", "-q", "--all", "-o", "tables")
			f.run("table of the store, again", "b", 1, 0, "sess-table", "-q", "--all", "-o", "tables")
			f.run("table of the store, nothing new", "b", 1, 0, "sess-table", "-q", "--all", "-o", "tables")
			f.run("table of the remote, the first time", "c", 0, 0, "sess-table", "-q", "-o", "tables", "remote:")
			f.run("table of the remote, nothing new", "c", 1, few, "sess-table", "-q", "-o", "tables", "remote:")
			f.grow(0, 100, days)
			f.run("push -a, 100 grown that were begun on one day", "a", 0, 100*6+few, "sess-sync", "push", "-q", "-a")
			f.run("table of the remote, 100 grown that were begun on one day", "c", 0, 100*10+few, "sess-table", "-q", "-o", "tables", "remote:")
			f.grow(0, 100, 1)
			f.run("push -a, 100 grown", "a", 0, 100*6+few, "sess-sync", "push", "-q", "-a")
			f.run("table of the remote, 100 grown", "c", 0, 100*10+few, "sess-table", "-q", "-o", "tables", "remote:")
			f.run("table of the remote, nothing new", "c", 1, few, "sess-table", "-q", "-o", "tables", "remote:")
			f.run("pull -a, 200 new parts", "b", 0, 200*6+few, "sess-sync", "pull", "-q", "-a")
			f.run("table of the store, 200 grown", "b", 0, 0, "sess-table", "-q", "--all", "-o", "tables")
			if same := f.run("compare", "", 0, 0, "sh", "-c", "diff -r -x '.*' a/store b/store && echo same"); same != "same\n" {
				t.Error(same)
			}
		})
	}
}
