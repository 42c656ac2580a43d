package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/remotetest"
)

// serverName is the program that these tests need. scripts/cluster builds it.
const serverName = "nats-server"

// server starts a server once for all tests, and returns its address. It ends with the
// tests.
var server = sync.OnceValues(func() (string, error) {
	path, err := exec.LookPath(serverName)
	if dir := os.Getenv("SESS_TEST_SERVERS"); dir != "" {
		path, err = exec.LookPath(filepath.Join(dir, serverName))
	}
	if err != nil {
		return "", errNoServer
	}
	work, err := os.MkdirTemp("", "sess-nats-")
	if err != nil {
		return "", err
	}
	c := exec.Command(path, "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", work, "-js", "-sd", work)
	if err := c.Start(); err != nil {
		return "", err
	}
	stop = func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		os.RemoveAll(work)
	}
	for range 2000 {
		names, _ := filepath.Glob(filepath.Join(work, "*.ports"))
		if len(names) == 1 {
			data, err := os.ReadFile(names[0])
			var ports struct{ NATS []string }
			if err == nil && json.Unmarshal(data, &ports) == nil && len(ports.NATS) > 0 {
				return ports.NATS[0], nil
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	return "", errors.New("the server does not start")
})

var (
	errNoServer = errors.New("no server")
	stop        = func() {}
	streams     atomic.Int64
)

func TestMain(m *testing.M) {
	status := m.Run()
	stop()
	os.Exit(status)
}

// address returns the address of the server, or skips the test.
func address(t *testing.T) string {
	t.Helper()
	at, err := server()
	if errors.Is(err, errNoServer) {
		t.Skipf("no %s in PATH or SESS_TEST_SERVERS; scripts/cluster builds one", serverName)
	}
	must.Do(t, err)
	return at
}

func connect(t testing.TB, at, stream string) *log {
	l, err := Open(Config{Servers: []string{at}, Stream: stream}, func(string, ...any) {})
	must.Do(t, err)
	t.Cleanup(func() { l.Close() })
	return l.(*log)
}

func newStream() string { return fmt.Sprintf("T%d", streams.Add(1)) }

func TestContract(t *testing.T) {
	t.Parallel()
	at := address(t)
	remotetest.Run(t, func(*testing.T) remotetest.Remote {
		stream := newStream()
		var lose atomic.Int32 // 1: before, 2: after the server did it
		return remotetest.Remote{
			Open: func(t testing.TB) remote.Log {
				l := connect(t, at, stream)
				publish := l.publish
				l.publish = func(ctx context.Context, m *nats.Msg, o ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
					switch lose.Swap(0) {
					case 1:
						return nil, context.DeadlineExceeded
					case 2:
						if _, err := publish(ctx, m, o...); err != nil {
							return nil, err
						}
						return nil, context.DeadlineExceeded
					}
					return publish(ctx, m, o...)
				}
				return l
			},
			Lose: func(_ testing.TB, done bool) {
				if lose.Store(1); done {
					lose.Store(2)
				}
			},
		}
	})
}

const key = "01a1fc13-4173-73d3-8273-e3e1ca1285c1"

// An answer that is lost for longer than the server remembers the message is told by the
// bytes.
func TestForgotten(t *testing.T) {
	t.Parallel()
	l := connect(t, address(t), newStream())
	must.Do(t, l.Init(t.Context()))
	publish := l.publish
	l.publish = func(ctx context.Context, m *nats.Msg, _ ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
		// Without the id of the message, which the server has forgotten.
		return publish(ctx, m, jetstream.WithExpectLastSequencePerSubject(0), jetstream.WithRetryAttempts(1))
	}
	first, err := l.Append(t.Context(), key, 0, 1, []byte("{}\n"))
	must.Do(t, err)
	if again, err := l.Append(t.Context(), key, 0, 1, []byte("{}\n")); err != nil || again != first {
		t.Errorf("at %d, not %d: %v", again, first, err)
	}
	if _, err := l.Append(t.Context(), key, 0, 1, []byte("[]\n")); !errors.Is(err, remote.ErrMoved) {
		t.Errorf("other bytes: %v", err)
	}
}

// A look that finds nothing new is one request, and before the first one the server is asked for the
// settings of the stream.
func TestRequests(t *testing.T) {
	t.Parallel()
	at, stream := address(t), newStream()
	l := connect(t, at, stream)
	must.Do(t, l.Init(t.Context()))
	pos, err := l.Append(t.Context(), key, 0, 1, []byte("{}\n"))
	must.Do(t, err)
	other := connect(t, at, stream)
	for _, want := range []uint64{2, 1, 1} {
		before := other.nc.Stats().OutMsgs
		if list, err := remotetest.Parts(t.Context(), other, key, pos); err != nil || len(list) > 0 {
			t.Fatalf("%d parts, %v", len(list), err)
		}
		if n := other.nc.Stats().OutMsgs - before; n != want {
			t.Errorf("%d requests, want %d", n, want)
		}
	}
}

func TestManySessions(t *testing.T) {
	t.Parallel()
	remotetest.ManySessions(t, connect(t, address(t), newStream()))
}

// A stream that may forget what was acknowledged is refused.
func TestSettings(t *testing.T) {
	t.Parallel()
	at := address(t)
	for name, change := range map[string]func(*jetstream.StreamConfig){
		"old messages go":     func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld },
		"deleting":            func(c *jetstream.StreamConfig) { c.DenyDelete = false },
		"age":                 func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour },
		"replicas that lag":   func(c *jetstream.StreamConfig) { c.AllowDirect = true },
		"few for each":        func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 5 },
		"one that is as ours": func(*jetstream.StreamConfig) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := connect(t, at, newStream())
			c := jetstream.StreamConfig{
				Name: l.Stream, Subjects: []string{l.prefix + ">"}, Discard: jetstream.DiscardNew, DenyDelete: true, DenyPurge: true, Duplicates: 2 * time.Minute,
			}
			change(&c)
			if _, err := l.js.CreateStream(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if err := l.Init(t.Context()); errors.Is(err, remote.ErrUnsafe) == strings.HasPrefix(name, "one") {
				t.Errorf("%v", err)
			}
		})
	}
}

// A full stream refuses, and loses nothing that it has.
func TestFull(t *testing.T) {
	t.Parallel()
	l := connect(t, address(t), newStream())
	_, err := l.js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: l.Stream, Subjects: []string{l.prefix + ">"}, Discard: jetstream.DiscardNew, DenyDelete: true, DenyPurge: true, MaxBytes: 2000,
	})
	must.Do(t, err)
	at, err := l.Append(t.Context(), key, 0, 1, []byte("{}\n"))
	must.Do(t, err)
	big := []byte(`{"x":"` + strings.Repeat("x", 3000) + "\"}\n")
	if _, err := l.Append(t.Context(), key, at, 2, big); !errors.Is(err, remote.ErrFull) {
		t.Errorf("%v", err)
	}
	if list, err := remotetest.Parts(t.Context(), l, key, 0); err != nil || len(list) != 1 {
		t.Errorf("%d parts, %v", len(list), err)
	}
}

// A message that is no part of ours is passed over, and the session goes on behind it. One that
// says it is the next part and is not what was written is damage.
func TestForeignMessage(t *testing.T) {
	t.Parallel()
	l := connect(t, address(t), newStream())
	must.Do(t, l.Init(t.Context()))
	publish := func(number, data string) {
		t.Helper()
		m := &nats.Msg{Subject: l.subject(key), Data: []byte(data), Header: nats.Header{}}
		if number != "" {
			m.Header.Set(partHeader, number)
			m.Header.Set(sumHeader, bucket.SumOf(m.Data))
		}
		if _, err := l.js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	publish("", "hello\n")
	at := remote.Pos(0)
	for n := uint64(1); n <= 2; n++ {
		var err error
		if at, err = l.Append(t.Context(), key, at, n, fmt.Appendf(nil, "{\"n\":%d}\n", n)); err != nil {
			t.Fatal(err)
		}
		publish("", "hello\n")
		publish("1", "{\"n\":\"again\"}\n")
	}
	for _, after := range []remote.Pos{0, at - 1} {
		list, err := remotetest.Parts(t.Context(), l, key, after)
		if err != nil || len(list) == 0 || list[len(list)-1].N != 2 || list[len(list)-1].Pos != at {
			t.Errorf("behind %d: %v, %v", after, list, err)
		}
	}
	if p, err := l.Last(t.Context(), key); err != nil || p.N == 0 {
		t.Errorf("last: %v, %v", p, err)
	}
	publish("7", "{\"n\":7}\n")
	if list, err := remotetest.Parts(t.Context(), l, key, 0); !errors.Is(err, remote.ErrGap) || len(list) != 2 {
		t.Errorf("a number that is too high: %d parts, %v", len(list), err)
	}
	if _, err := l.Append(t.Context(), key, at, 3, []byte("{\"n\":3}\n")); err != nil {
		t.Errorf("going on at the gap: %v", err)
	}
	m := &nats.Msg{Subject: l.subject(key), Data: []byte("{}\n"), Header: nats.Header{partHeader: {"4"}}}
	if _, err := l.js.PublishMsg(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if list, err := remotetest.Parts(t.Context(), l, key, 0); !errors.Is(err, remote.ErrDamaged) || errors.Is(err, remote.ErrGap) || len(list) != 3 {
		t.Errorf("a part without a sum: %d parts, %v", len(list), err)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for version, ok := range map[string]bool{"2.9.10": false, "2.10.0": true, "2.15.2": true, "3.0.0": true, "1.99.0": false, "": false, "x.y": false} {
		if recent(version) != ok {
			t.Errorf("%q: %v", version, !ok)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	if _, err := Open(Config{Servers: []string{"nats://127.0.0.1:1"}}, nil); !errors.Is(err, remote.ErrUnknown) {
		t.Errorf("%v", err)
	}
}
