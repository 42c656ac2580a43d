package s3

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/remotetest"
)

// hostile returns a log in a bucket whose server answers as a function does, but for the marker.
func hostile(t *testing.T, timeout time.Duration, warn func(string, ...any), answer http.HandlerFunc) remote.Log {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "remote.json") {
			o := marked()
			w.Header().Set("X-Amz-Meta-Sess-Sha256", o.sum)
			w.Header().Set("ETag", `"e"`)
			w.Header().Set("Last-Modified", "Fri, 02 Jan 2026 03:04:05 GMT")
			_, _ = w.Write(o.data)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	l, err := Open(Config{
		Bucket: bucketName, Host: strings.TrimPrefix(s.URL, "https://"), PathStyle: true, Timeout: timeout,
		transport: s.Client().Transport, creds: credentials.NewStaticV4("key", "hunter2", ""),
	}, warn)
	if err != nil {
		t.Fatal(err)
	}
	return l
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
			tick := time.NewTicker(5 * time.Millisecond)
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
			timeout := 200 * time.Millisecond
			if !errors.Is(tt.want, remote.ErrSilent) {
				timeout = time.Minute
			}
			l := hostile(t, timeout, func(string, ...any) {}, tt.answer)
			if _, err := remotetest.Parts(t.Context(), l, key, 0); !errors.Is(err, tt.want) {
				t.Errorf("reading: %v", err)
			}
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
	var mu sync.Mutex
	var told []string
	asked := 0
	l := hostile(t, 200*time.Millisecond, func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprintf(format, args...))
	}, func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked++
		mu.Unlock()
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	if _, err := l.Append(t.Context(), key, 0, 1, []byte("{}\n")); !errors.Is(err, remote.ErrSilent) {
		t.Errorf("%v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(told) == 0 || !strings.HasPrefix(told[0], "waiting for an answer of 127.0.0.1") || asked != 1 {
		t.Errorf("told %q, asked %d times", told, asked)
	}
}

// Of what a server says one line is repeated.
func TestServerSaysLittle(t *testing.T) {
	t.Parallel()
	l := hostile(t, time.Minute, func(string, ...any) {}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, "<Error><Code>AccessDenied</Code><Message>no\n%s</Message></Error>", strings.Repeat("x ", 1<<17))
	})
	_, err := remotetest.Parts(t.Context(), l, key, 0)
	if !errors.Is(err, remote.ErrDenied) || len(err.Error()) > 500 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%d bytes: %.200q", len(fmt.Sprint(err)), fmt.Sprint(err))
	}
}
