//go:build unix

package s3

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/remotetest"
)

// serverName is a server with the API of S3 over a directory. scripts/cluster builds it.
const serverName = "versitygw"

// gateways starts two servers on one directory, and returns their addresses.
func gateways(t *testing.T) (hosts []string, signal func(i int, s os.Signal), start func(i int)) {
	path, err := exec.LookPath(serverName)
	if dir := os.Getenv("SESS_TEST_SERVERS"); dir != "" {
		path, err = exec.LookPath(filepath.Join(dir, serverName))
	}
	if err != nil {
		t.Skipf("no %s in PATH or SESS_TEST_SERVERS; scripts/cluster builds one", serverName)
	}
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, bucketName), 0o700))
	running := make([]*exec.Cmd, 2)
	signal = func(i int, s os.Signal) {
		_ = running[i].Process.Signal(s)
		switch s {
		case os.Kill:
			_ = running[i].Wait()
		case syscall.SIGSTOP: // on a busy machine a server goes on for a while after it was told to stop, and answers
			var status syscall.WaitStatus
			for !status.Stopped() {
				if _, err := syscall.Wait4(running[i].Process.Pid, &status, syscall.WUNTRACED, nil); err != nil && !errors.Is(err, syscall.EINTR) {
					t.Fatal(err)
				}
			}
		}
	}
	start = func(i int) {
		c := exec.Command(path, "--port", hosts[i], "posix", dir)
		c.Env = append(os.Environ(), "ROOT_ACCESS_KEY=key", "ROOT_SECRET_KEY=hunter2hunter2")
		must.Do(t, c.Start())
		running[i] = c
		for range 3000 {
			if r, err := http.Get("http://" + hosts[i]); err == nil {
				r.Body.Close()
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatal("the server does not start")
	}
	for range running {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must.Do(t, err)
		hosts = append(hosts, l.Addr().String())
		l.Close()
	}
	t.Cleanup(func() {
		for i := range running {
			if running[i] != nil {
				signal(i, os.Kill)
			}
		}
	})
	start(0)
	start(1)
	return hosts, signal, start
}

// A real server passes the tests of all engines, with writers at two gateways.
func TestServer(t *testing.T) {
	t.Parallel()
	hosts, signal, start := gateways(t)
	connect := func(t testing.TB, host, prefix, secret string) remote.Log {
		b, err := Open(Config{Bucket: bucketName, Prefix: prefix, Host: host, Plain: true, PathStyle: true, creds: credentials.NewStaticV4("key", secret, "")}, func(string, ...any) {})
		must.Do(t, err)
		return remote.Over(b, func(string, ...any) {})
	}
	var places, next atomic.Int64
	t.Run("contract", func(t *testing.T) {
		remotetest.Run(t, func(*testing.T) remotetest.Remote {
			prefix := fmt.Sprintf("p%d", places.Add(1))
			return remotetest.Remote{Rounds: 60, Open: func(t testing.TB) remote.Log {
				return connect(t, hosts[next.Add(1)%2], prefix, "hunter2hunter2")
			}}
		})
	})
	t.Run("many sessions", func(t *testing.T) { remotetest.ManySessions(t, connect(t, hosts[1], "m", "hunter2hunter2")) })
	t.Run("denied", func(t *testing.T) {
		_, err := connect(t, hosts[0], "d", "wrong").Append(t.Context(), key, 0, 1, []byte("{}\n"))
		if !errors.Is(err, remote.ErrDenied) {
			t.Error(err)
		}
	})
	t.Run("killed", func(t *testing.T) {
		l := connect(t, hosts[0], "k", "hunter2hunter2")
		must.Do(t, l.Init(t.Context()))
		for n := range uint64(20) {
			part := fmt.Appendf(nil, "{\"n\":%d}\n", n)
			if n == 10 {
				signal(0, os.Kill)
				if _, err := l.Append(t.Context(), key, remote.Pos(n), n+1, part); !errors.Is(err, remote.ErrUnknown) {
					t.Errorf("without a server: %v", err)
				}
				start(0)
			}
			if _, err := l.Append(t.Context(), key, remote.Pos(n), n+1, part); err != nil {
				t.Fatal(err)
			}
		}
		if list, err := remotetest.Parts(t.Context(), l, key, 0); err != nil || len(list) != 20 {
			t.Errorf("%d parts, %v", len(list), err)
		}
	})
	// A gateway that hangs holds a writer up, and nobody else; what it does when it goes on
	// counts once.
	t.Run("stopped", func(t *testing.T) {
		held, other := connect(t, hosts[0], "h", "hunter2hunter2"), connect(t, hosts[1], "h", "hunter2hunter2")
		must.Do(t, held.Init(t.Context()))
		add := func(l remote.Log, key string, n uint64) error {
			_, err := l.Append(t.Context(), key, remote.Pos(n-1), n, fmt.Appendf(nil, "{\"n\":%d}\n", n))
			return err
		}
		must.Do(t, errors.Join(add(held, key, 1), add(held, "k2", 1)))
		signal(0, syscall.SIGSTOP)
		done := make(chan error, 1)
		go func() { done <- add(held, key, 2) }()
		if err := add(other, "k2", 2); err != nil {
			t.Error(err)
		}
		select {
		case err := <-done:
			t.Errorf("a server that hangs answered: %v", err)
			done <- err
		default:
		}
		signal(0, syscall.SIGCONT)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := add(other, key, 3); err != nil {
			t.Error(err)
		}
		for key, want := range map[string]int{key: 3, "k2": 2} {
			if list, err := remotetest.Parts(t.Context(), held, key, 0); err != nil || len(list) != want {
				t.Errorf("%s: %d parts, %v", key, len(list), err)
			}
		}
	})
}
