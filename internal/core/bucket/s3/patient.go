package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
)

const (
	// DefaultTimeout is how long a server may say nothing, or next to nothing.
	DefaultTimeout = 30 * time.Second
	// leastBytes is how much of an answer has to come, or of a request to go, within that time.
	leastBytes = 1 << 10
	// tellAfter is the part of that time after which the wait is told of.
	tellAfter = 6
	// mostAnswer is the largest answer that is no object, in bytes. A thousand names of the
	// longest kind have two million.
	mostAnswer = 16 << 20
	// mostPages is how many pages of a list may come without an object in them.
	mostPages = 16
)

// A patient server is one that is waited for, as long as it goes on.
type patient struct {
	next    http.RoundTripper
	timeout time.Duration
	warn    func(format string, args ...any)
}

// pages counts the pages of a list since the last object that was in one.
type pages struct{ n int }

type pagesKey struct{}

// RoundTrip ends a request whose server says nothing, and bounds its answer.
func (p *patient) RoundTrip(r *http.Request) (*http.Response, error) {
	if list, ok := r.Context().Value(pagesKey{}).(*pages); ok {
		if list.n++; list.n > mostPages {
			return nil, fmt.Errorf("%d pages of a list have no object in them: %w", mostPages, bucket.ErrDamaged)
		}
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	w := &watch{timeout: p.timeout, cancel: cancel}
	w.late = time.AfterFunc(p.timeout, func() {
		cancel(fmt.Errorf("%w: nothing came for %v", bucket.ErrSilent, p.timeout))
	})
	w.tell = time.AfterFunc(p.timeout/tellAfter, func() { p.warn("waiting for an answer of %s", r.URL.Host) })
	out := r.WithContext(ctx)
	if r.Body != nil {
		out.Body = &watched{ReadCloser: r.Body, w: w, ctx: ctx}
	}
	answer, err := p.next.RoundTrip(out)
	if err != nil {
		w.stop()
		if cause := context.Cause(ctx); cause != nil && r.Context().Err() == nil {
			err = cause
		}
		cancel(nil)
		return nil, err
	}
	w.heard(leastBytes)
	b := &watched{ReadCloser: answer.Body, w: w, ctx: ctx, end: func() { w.stop(); cancel(nil) }, most: -1}
	if answer.StatusCode != http.StatusOK || r.Method != http.MethodGet || r.URL.Query().Has("list-type") {
		b.most = mostAnswer
	}
	answer.Body = b
	return answer, nil
}

// A watch ends a request when its time is over, and begins anew with each piece that came.
type watch struct {
	timeout    time.Duration
	late, tell *time.Timer
	cancel     context.CancelCauseFunc
	mu         sync.Mutex
	got        int
}

func (w *watch) heard(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.got += n; w.got >= leastBytes {
		w.got = 0
		if w.late.Stop() {
			w.late.Reset(w.timeout)
		}
		w.tell.Stop()
	}
}

func (w *watch) stop() {
	w.late.Stop()
	w.tell.Stop()
}

// A watched body is one whose pieces are waited for.
type watched struct {
	io.ReadCloser
	w    *watch
	ctx  context.Context //nolint:containedctx // of the one request
	end  func()          // of an answer
	most int64           // bytes that may come, -1 for any
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.w.heard(n)
	if b.end == nil {
		return n, err
	}
	if err != nil && !errors.Is(err, io.EOF) && context.Cause(b.ctx) != nil {
		err = context.Cause(b.ctx)
	}
	if b.most >= 0 {
		if b.most -= int64(n); b.most < 0 {
			b.most = 0
			return 0, fmt.Errorf("an answer of more than %d bytes: %w", mostAnswer, bucket.ErrDamaged)
		}
	}
	return n, err
}

func (b *watched) Close() error {
	if b.end != nil {
		b.end()
	}
	return b.ReadCloser.Close()
}
