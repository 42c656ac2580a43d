//go:build unix

package nats

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/remotetest"
)

// A cluster is three servers that replicate every stream.
type cluster struct {
	t       *testing.T
	path    string
	configs []string
	ports   []int // of clients and of health, two for each
	nodes   []*exec.Cmd
}

func newCluster(t *testing.T) *cluster {
	address(t) // skips
	path, err := exec.LookPath(serverName)
	if dir := os.Getenv("SESS_TEST_SERVERS"); dir != "" {
		path, err = filepath.Join(dir, serverName), nil
	}
	must.Do(t, err)
	c := &cluster{t: t, path: path}
	dir := t.TempDir()
	free := freePorts(t, 9)
	routes := fmt.Sprintf(`["nats://127.0.0.1:%d","nats://127.0.0.1:%d","nats://127.0.0.1:%d"]`, free[6], free[7], free[8])
	for i := range 3 {
		name := filepath.Join(dir, fmt.Sprintf("n%d.conf", i))
		text := fmt.Sprintf("server_name: n%d\nlisten: 127.0.0.1:%d\nhttp: 127.0.0.1:%d\njetstream { store_dir: %q, sync_interval: always }\ncluster { name: sess, listen: 127.0.0.1:%d, routes: %s }\n",
			i, free[2*i], free[2*i+1], filepath.Join(dir, fmt.Sprint("js", i)), free[6+i], routes)
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
		c.configs, c.ports, c.nodes = append(c.configs, name), append(c.ports, free[2*i], free[2*i+1]), append(c.nodes, nil)
	}
	t.Cleanup(func() {
		for i := range c.nodes {
			c.signal(i, syscall.SIGKILL)
		}
	})
	for i := range 3 {
		c.start(i)
	}
	for i := range 3 {
		c.ready(i)
	}
	return c
}

// freePorts returns ports that nobody listens at just now.
func freePorts(t *testing.T, n int) (ports []int) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must.Do(t, err)
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

func (c *cluster) start(i int) {
	n := exec.Command(c.path, "-c", c.configs[i])
	must.Do(c.t, n.Start())
	c.nodes[i] = n
}

func (c *cluster) signal(i int, s syscall.Signal) {
	if c.nodes[i] != nil {
		_ = c.nodes[i].Process.Signal(s)
	}
	if s == syscall.SIGKILL && c.nodes[i] != nil {
		_ = c.nodes[i].Wait()
		c.nodes[i] = nil
	}
}

// ready waits until a server is in the cluster.
func (c *cluster) ready(i int) {
	for range 3000 {
		r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/healthz", c.ports[2*i+1]))
		if err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	c.t.Fatalf("server %d does not come up", i)
}

func (c *cluster) open(stream string) *log {
	var at []string
	for i := range 3 {
		at = append(at, fmt.Sprintf("nats://127.0.0.1:%d", c.ports[2*i]))
	}
	l, err := Open(Config{Servers: at, Stream: stream}, func(string, ...any) {})
	must.Do(c.t, err)
	c.t.Cleanup(func() { l.Close() })
	return l.(*log)
}

// leader returns the server that leads a stream.
func (c *cluster) leader(l *log) int {
	s, err := l.js.Stream(c.t.Context(), l.Stream)
	must.Do(c.t, err)
	info := s.CachedInfo().Cluster
	if info == nil || len(info.Replicas) != 2 {
		c.t.Fatalf("the stream is not replicated: %+v", info)
	}
	var i int
	if _, err := fmt.Sscanf(info.Leader, "n%d", &i); err != nil {
		c.t.Fatalf("leader %q: %v", info.Leader, err)
	}
	return i
}

// Whatever happens to servers while writers append, each part that was acknowledged is
// there once, and writers go on by themselves.
func TestCluster(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for _, tt := range []struct {
		name  string
		fault func(leader int)
	}{
		{"leader killed", func(leader int) {
			c.signal(leader, syscall.SIGKILL)
			c.start(leader)
			c.ready(leader)
		}},
		{"leader stopped for 6 s", func(leader int) { c.stopped(leader, 6*time.Second) }},
		{"leader stopped for 15 s", func(leader int) { c.stopped(leader, 15*time.Second) }},
		{"all killed", func(int) {
			for i := range 3 {
				c.signal(i, syscall.SIGKILL)
			}
			for i := range 3 {
				c.start(i)
			}
			for i := range 3 {
				c.ready(i)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { c.survives(t, newStream(), tt.fault) })
	}
	t.Run("two of three killed", c.minority)
}

// stopped stops a server for longer than an election takes, so that another one leads
// when it goes on: the time is the fault, and nothing waits for it to have an effect.
func (c *cluster) stopped(i int, d time.Duration) {
	c.signal(i, syscall.SIGSTOP)
	time.Sleep(d)
	c.signal(i, syscall.SIGCONT)
}

// One server of three acknowledges nothing. What was acknowledged before is there when
// another one comes back, whichever it is, and writers go on.
func (c *cluster) minority(t *testing.T) {
	l := c.open(newStream())
	must.Do(t, l.Init(t.Context()))
	var at remote.Pos
	add := func(ctx context.Context, n uint64) (err error) {
		pos, err := l.Append(ctx, key, at, n, fmt.Appendf(nil, "{\"n\":%d}\n", n))
		if err == nil {
			at = pos
		}
		return err
	}
	for n := range uint64(5) {
		must.Do(t, add(t.Context(), n+1))
	}
	leader := c.leader(l)
	other := (leader + 1) % 3
	c.signal(leader, syscall.SIGKILL)
	c.signal(other, syscall.SIGKILL)
	if err := add(t.Context(), 6); !errors.Is(err, remote.ErrUnknown) {
		t.Fatalf("without a majority: %v", err)
	}
	c.start(other)
	c.ready(other)
	for n := range uint64(5) {
		if err := add(t.Context(), n+6); err != nil {
			t.Fatalf("part %d: %v", n+6, err)
		}
	}
	c.start(leader)
	c.ready(leader)
	list, err := remotetest.Parts(t.Context(), l, key, 0)
	if err != nil || len(list) != 10 {
		t.Errorf("%d parts, %v", len(list), err)
	}
}

func (c *cluster) survives(t *testing.T, stream string, fault func(leader int)) {
	const writers, before, after = 8, 5, 15
	first := c.open(stream)
	must.Do(t, first.Init(t.Context()))
	leader := c.leader(first)
	var warm, done sync.WaitGroup
	var failed atomic.Bool
	warm.Add(writers)
	for w := range writers {
		l, key := c.open(stream), fmt.Sprintf("s%d", w)
		done.Go(func() {
			var at remote.Pos
			for n := uint64(1); n <= before+after; n++ {
				pos, err := l.Append(t.Context(), key, at, n, fmt.Appendf(nil, "{\"n\":%d}\n", n))
				if err != nil {
					t.Errorf("%s, part %d: %v", key, n, err)
					failed.Store(true)
				}
				if at = pos; n == before || failed.Load() && n < before {
					warm.Done()
				}
				if failed.Load() {
					return
				}
			}
		})
	}
	warm.Wait()
	fault(leader)
	done.Wait()
	for w := range writers {
		list, err := remotetest.Parts(t.Context(), first, fmt.Sprintf("s%d", w), 0)
		if err != nil || len(list) != before+after {
			t.Errorf("session %d: %d parts, %v", w, len(list), err)
		}
	}
}

// The rights that docs/remotes.md gives a writer suffice, and who may only read is told
// so, and does not wait for an answer that never comes.
func TestDenied(t *testing.T) {
	t.Parallel()
	address(t) // skips
	path, _ := exec.LookPath(serverName)
	if dir := os.Getenv("SESS_TEST_SERVERS"); dir != "" {
		path = filepath.Join(dir, serverName)
	}
	dir := t.TempDir()
	conf := filepath.Join(dir, "c.conf")
	port := freePorts(t, 1)[0]
	text := fmt.Sprintf(`listen: 127.0.0.1:%d
jetstream { store_dir: %q }
authorization { users = [
  { user: a, password: a }
  { user: w, password: w, permissions: { publish: ["sess.v1.>", "sess-cards.v1.>", "$JS.API.STREAM.INFO.>", "$JS.API.STREAM.MSG.GET.>"], subscribe: ["_INBOX.>"] } }
  { user: r, password: r, permissions: { publish: ["$JS.API.STREAM.INFO.>", "$JS.API.STREAM.MSG.GET.>"], subscribe: ["_INBOX.>"] } }
] }
`, port, dir)
	must.Do(t, os.WriteFile(conf, []byte(text), 0o600))
	c := exec.Command(path, "-c", conf)
	must.Do(t, c.Start())
	defer func() { _, _ = c.Process.Kill(), c.Wait() }()
	open := func(user string) *log {
		for range 2000 {
			l, err := Open(Config{Servers: []string{fmt.Sprintf("nats://%s:%s@127.0.0.1:%d", user, user, port)}}, nil)
			if err == nil {
				t.Cleanup(func() { l.Close() })
				return l.(*log)
			}
			if errors.Is(err, remote.ErrDenied) {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatal("the server does not start")
		return nil
	}
	must.Do(t, open("a").Init(t.Context()))
	w := open("w")
	if err := w.PutCard(t.Context(), remote.Card{ID: key, Made: "2026-01-02T03:04:05.678Z"}); err != nil {
		t.Error(err)
	}
	last, err := w.Append(t.Context(), key, 0, 1, []byte("{}\n"))
	must.Do(t, err)
	r := open("r")
	if list, err := remotetest.Parts(t.Context(), r, key, 0); err != nil || len(list) != 1 {
		t.Errorf("reading: %d parts, %v", len(list), err)
	}
	if _, err := r.Append(t.Context(), key, last, 2, []byte("{}\n")); !errors.Is(err, remote.ErrDenied) || !strings.Contains(err.Error(), "sess.v1") {
		t.Errorf("writing: %v", err)
	}
	if _, err := Open(Config{Servers: []string{fmt.Sprintf("nats://x:hunter2@127.0.0.1:%d", port)}}, nil); !errors.Is(err, remote.ErrDenied) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a wrong password: %v", err)
	}
}
