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
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/sess-tools/sess/internal/remote"
	"github.com/sess-tools/sess/internal/remote/remotetest"
)

// serverName is a server with the API of S3 over a directory. scripts/cluster builds it.
const serverName = "versitygw"

// gateways starts two servers on one directory, and returns their addresses.
func gateways(t *testing.T) (hosts []string, kill func(i int), start func(i int)) {
	path, err := exec.LookPath(serverName)
	if dir := os.Getenv("SESS_TEST_SERVERS"); dir != "" {
		path, err = exec.LookPath(filepath.Join(dir, serverName))
	}
	if err != nil {
		t.Skipf("no %s in PATH or SESS_TEST_SERVERS; scripts/cluster builds one", serverName)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, bucketName), 0o700); err != nil {
		t.Fatal(err)
	}
	running := make([]*exec.Cmd, 2)
	kill = func(i int) {
		_ = running[i].Process.Kill()
		_ = running[i].Wait()
	}
	start = func(i int) {
		c := exec.Command(path, "--port", hosts[i], "posix", dir)
		c.Env = append(os.Environ(), "ROOT_ACCESS_KEY=key", "ROOT_SECRET_KEY=hunter2hunter2")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, l.Addr().String())
		l.Close()
	}
	t.Cleanup(func() {
		for i := range running {
			if running[i] != nil {
				kill(i)
			}
		}
	})
	start(0)
	start(1)
	return hosts, kill, start
}

// A real server passes the tests of all engines, with writers at two gateways.
func TestServer(t *testing.T) {
	t.Parallel()
	hosts, kill, start := gateways(t)
	connect := func(t testing.TB, host, prefix, secret string) remote.Log {
		b, err := open(Config{Bucket: bucketName, Prefix: prefix, Host: host, Plain: true, PathStyle: true, creds: credentials.NewStaticV4("key", secret, "")})
		if err != nil {
			t.Fatal(err)
		}
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
	t.Run("denied", func(t *testing.T) {
		_, err := connect(t, hosts[0], "d", "wrong").Append(t.Context(), key, 0, 1, []byte("{}\n"))
		if !errors.Is(err, remote.ErrDenied) {
			t.Error(err)
		}
	})
	t.Run("killed", func(t *testing.T) {
		l := connect(t, hosts[0], "k", "hunter2hunter2")
		if err := l.Init(t.Context()); err != nil {
			t.Fatal(err)
		}
		for n := range uint64(20) {
			part := fmt.Appendf(nil, "{\"n\":%d}\n", n)
			if n == 10 {
				kill(0)
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
}
