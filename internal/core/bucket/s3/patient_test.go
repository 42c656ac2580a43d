package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/remotetest"
)

// A wire is a network in memory, with one server. Time passes there as in synctest: when everybody waits.
type wire chan net.Conn

func (w wire) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	w <- theirs
	return ours, nil
}

func (w wire) Accept() (net.Conn, error) {
	c, ok := <-w
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (w wire) Close() error { close(w); return nil }

func (w wire) Addr() net.Addr { return &net.UnixAddr{Name: "wire"} }

// hostile returns a log in a bucket whose server answers as a function does, but for the marker. It
// is called in a bubble of synctest.
func hostile(t *testing.T, warn func(string, ...any), answer http.HandlerFunc) remote.Log {
	t.Helper()
	w := make(wire)
	s := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "remote.json") {
			o := remotetest.Marked()
			w.Header().Set("X-Amz-Meta-Sess-Sha256", o.Sum)
			w.Header().Set("ETag", `"e"`)
			w.Header().Set("Last-Modified", "Fri, 02 Jan 2026 03:04:05 GMT")
			_, _ = w.Write(o.Data)
			return
		}
		answer(w, r)
	})}
	go func() { _ = s.Serve(w) }()
	client := &http.Transport{DialTLSContext: w.dial}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		_ = s.Close()
	})
	b, err := Open(Config{
		Bucket: bucketName, Host: "bucket.test", PathStyle: true,
		transport: client, creds: credentials.NewStaticV4("key", "hunter2", ""),
	}, warn)
	if err != nil {
		t.Fatal(err)
	}
	return remote.Over(b, warn)
}

const emptyPage = `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken></ListBucketResult>`

// No server holds anybody up, and none fills the memory: not by saying nothing, not by a byte now
// and then, not by pages without end or an answer without end.
func TestPatience(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   error
	}{
		"says nothing": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, remote.ErrSilent},
		"stops in the middle": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "<ListBucketResult>")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, remote.ErrSilent},
		"a byte now and then": {func(w http.ResponseWriter, r *http.Request) {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for {
				if _, err := io.WriteString(w, " "); err != nil {
					return
				}
				_ = http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
					return
				case <-tick.C:
				}
			}
		}, remote.ErrSilent},
		"pages without end": {pagesWithoutEnd(), remote.ErrDamaged},
		"an answer without end": {func(w http.ResponseWriter, _ *http.Request) {
			_, err := io.WriteString(w, "<ListBucketResult>")
			for err == nil {
				_, err = io.WriteString(w, strings.Repeat("<X>y</X>", 1<<13))
			}
		}, remote.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := hostile(t, func(string, ...any) {}, tt.answer)
				if _, err := remotetest.Parts(t.Context(), l, key, 0); !errors.Is(err, tt.want) {
					t.Errorf("reading: %v", err)
				}
			})
		})
	}
}

func pagesWithoutEnd() http.HandlerFunc {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		n++
		fmt.Fprintf(w, emptyPage, n)
	}
}

// The wait is told of before it is over, and a push to a server that says nothing ends after one.
func TestSilenceIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var mu sync.Mutex
		var told []string
		asked := 0
		l := hostile(t, func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprintf(format, args...)+" after "+time.Since(begun).String())
		}, func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked++
			mu.Unlock()
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		})
		if _, err := l.Append(t.Context(), key, 0, 1, []byte("{}\n")); !errors.Is(err, remote.ErrSilent) || time.Since(begun) >= 2*DefaultTimeout {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		mu.Lock()
		defer mu.Unlock()
		if want := []string{"waiting for an answer of bucket.test after 5s"}; !slices.Equal(told, want) || asked != 1 {
			t.Errorf("told %q, asked %d times", told, asked)
		}
	})
}

// Of what a server says one line is repeated.
func TestServerSaysLittle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := hostile(t, func(string, ...any) {}, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "<Error><Code>AccessDenied</Code><Message>no\n%s</Message></Error>", strings.Repeat("x ", 1<<17))
		})
		_, err := remotetest.Parts(t.Context(), l, key, 0)
		if !errors.Is(err, remote.ErrDenied) || len(err.Error()) > 500 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d bytes: %.200q", len(fmt.Sprint(err)), fmt.Sprint(err))
		}
	})
}
