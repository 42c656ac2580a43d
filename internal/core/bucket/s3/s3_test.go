package s3

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/remotetest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	remotetest.Run(t, func(t *testing.T) remotetest.Remote {
		f := newFake(t)
		return remotetest.Remote{
			Rounds: 20,
			Open:   f.log,
			Plant: func(_ testing.TB, name, data string) {
				f.Store("team/a/"+name, data)
			},
			Lose: func(_ testing.TB, done bool) { f.Next(http.MethodPut, fault{Done: done}) },
		}
	})
}

const key = "01a1fc13-4173-73d3-8273-e3e1ca1285c1"

// Whatever the answer to a PUT is, and whether it was carried out or not, an append
// that succeeds is there once, and one that fails is named.
func TestAppendFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		faults []fault
		err    error
	}{
		"500 after the write":    {faults: []fault{{Done: true, Status: 500, Code: "InternalError"}}},
		"503 before the write":   {faults: []fault{{Status: 503, Code: "SlowDown"}}},
		"reset after the write":  {faults: []fault{{Done: true}}},
		"reset before the write": {faults: []fault{{}}},
		"409 then done":          {faults: []fault{{Status: 409, Code: "ConditionalRequestConflict"}, {Status: 409, Code: "ConditionalRequestConflict"}}},
		"404 for the condition":  {faults: []fault{{Status: 404, Code: "NoSuchKey"}}},
		"429":                    {faults: []fault{{Status: 429}}},
		"507":                    {faults: []fault{{Status: 507}}, err: remote.ErrFull},
		"disk full":              {faults: []fault{{Status: 500, Code: "No space left on device"}}, err: remote.ErrFull},
		"denied":                 {faults: []fault{{Status: 403, Code: "AccessDenied"}}, err: remote.ErrDenied},
		"expired token":          {faults: []fault{{Status: 400, Code: "ExpiredToken"}}, err: remote.ErrDenied},
		"skewed clock":           {faults: []fault{{Status: 403, Code: "RequestTimeTooSkewed"}}, err: remote.ErrDenied},
		"no bucket":              {faults: []fault{{Status: 404, Code: "NoSuchBucket"}}, err: remote.ErrNoRemote},
		"too large":              {faults: []fault{{Status: 413, Code: "EntityTooLarge"}}, err: remote.ErrTooLarge},
		"down":                   {faults: make([]fault, 20), err: remote.ErrUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			l := f.log(t)
			f.Objects["team/a/v1/remote.json"] = remotetest.Marked()
			f.Next(http.MethodPut, tt.faults...)
			_, err := l.Append(t.Context(), key, 0, 1, []byte("{\"n\":1}\n"))
			if tt.err == nil && err != nil || tt.err != nil && err == nil || tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("a secret is in %v", err)
			}
			f.Faults = map[string][]fault{}
			list, rerr := remotetest.Parts(t.Context(), l, key, 0)
			if rerr != nil || len(list) != 1 && err == nil || len(list) != 0 && err != nil {
				t.Errorf("%d parts, %v", len(list), rerr)
			}
		})
	}
}

// Reading asks again, and never takes a part of an answer for the whole.
func TestReadFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		method string
		faults []fault
		err    error
	}{
		"truncated part":         {method: http.MethodGet, faults: []fault{{Cut: true}, {Cut: true}}},
		"part of unknown length": {method: http.MethodGet, faults: []fault{{Done: true, Status: http.StatusOK, Open: true}}},
		"reset":                  {method: http.MethodGet, faults: []fault{{}, {Status: 500}}},
		"list breaks off":        {method: "LIST", faults: []fault{{Done: true, Status: 200}, {Cut: true}, {}, {Status: 503}}},
		"list denied":            {method: "LIST", faults: []fault{{Status: 403, Code: "AccessDenied"}}, err: remote.ErrDenied},
		"get denied":             {method: http.MethodGet, faults: []fault{{Status: 403, Code: "AccessDenied"}}, err: remote.ErrDenied},
		"part expired meanwhile": {method: http.MethodGet, faults: []fault{{Status: 404, Code: "NoSuchKey"}}, err: remote.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.Objects["team/a/v1/remote.json"] = remotetest.Marked()
			l := f.log(t)
			must.Do(t, l.Exists(t.Context())) // which is asked once
			want := ""
			for n := range uint64(10) {
				part := fmt.Sprintf("{\"n\":%d}\n", n)
				if _, err := l.Append(t.Context(), key, remote.Pos(n), n+1, []byte(part)); err != nil {
					t.Fatal(err)
				}
				want += part
			}
			f.Next(tt.method, tt.faults...)
			list, err := remotetest.Parts(t.Context(), l, key, 0)
			if tt.err != nil {
				if !errors.Is(err, tt.err) {
					t.Errorf("error %v, want %v", err, tt.err)
				}
				return
			}
			got := ""
			for _, p := range list {
				got += string(p.Data)
			}
			if err != nil || got != want {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// Bytes that changed in the store are found by the hash, and a list that lags behind by
// the number that is taken: nothing is written over.
func TestStore(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.Objects["team/a/v1/remote.json"] = remotetest.Marked()
	l := f.log(t)
	for n := range uint64(3) {
		if _, err := l.Append(t.Context(), key, remote.Pos(n), n+1, []byte("{}\n")); err != nil {
			t.Fatal(err)
		}
	}
	f.Hide = 1
	list, err := remotetest.Parts(t.Context(), l, key, 0)
	if err != nil || len(list) != 2 {
		t.Errorf("stale: %d parts, %v", len(list), err)
	}
	if _, err := l.Append(t.Context(), key, 2, 3, []byte("[]\n")); !errors.Is(err, remote.ErrMoved) {
		t.Errorf("behind a stale list: %v", err)
	}
	f.Hide = 0
	f.Change("2", func(o *object) { o.Data = []byte("[]\n") })
	if _, err := remotetest.Parts(t.Context(), l, key, 0); !errors.Is(err, remote.ErrDamaged) {
		t.Errorf("other bytes: %v", err)
	}
	f.Change("2", func(o *object) { o.Sum = "" })
	if _, err := remotetest.Parts(t.Context(), l, key, 0); !errors.Is(err, remote.ErrDamaged) {
		t.Errorf("without a sum: %v", err)
	}
}

// A server that does not know the condition is refused, and no remote is made.
func TestConditionIgnored(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.Ignore = true
	if err := f.log(t).Init(t.Context()); !errors.Is(err, remote.ErrUnsafe) {
		t.Errorf("%v", err)
	}
	if _, ok := f.Objects["team/a/v1/remote.json"]; ok {
		t.Error("a remote was made")
	}
}

// What is sent: the condition, the exact length, no checksum behind the body, and no
// request for anything but objects and lists of the bucket.
func TestRequests(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.Objects["team/a/v1/remote.json"] = remotetest.Marked()
	l := f.log(t)
	if _, err := l.Append(t.Context(), key, 0, 1, []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	must.Do(t, l.PutCard(t.Context(), remote.Card{ID: key}))
	if _, err := remotetest.Parts(t.Context(), l, key, 0); err != nil {
		t.Fatal(err)
	}
	for i, r := range f.Asked {
		h := r.Header
		if r.Method == http.MethodPut && (r.ContentLength < 3 || (h.Get("If-None-Match") == "*") != (i == 0)) {
			t.Errorf("%s %s with %d bytes, condition %q", r.Method, r.URL, r.ContentLength, h.Get("If-None-Match"))
		}
		if h.Get("X-Amz-Trailer") != "" || strings.Contains(h.Get("Content-Encoding"), "aws-chunked") || r.URL.Query().Has("location") {
			t.Errorf("%s %s: %v", r.Method, r.URL, h)
		}
		if !strings.HasPrefix(r.URL.Path, "/"+bucketName+"/") {
			t.Errorf("%s %s", r.Method, r.URL)
		}
	}
	if len(f.Asked) != 5 {
		t.Errorf("%d requests for an append, a card, the marker and reading one part", len(f.Asked))
	}
	f.Asked = nil
	if _, err := remotetest.Parts(t.Context(), l, key, 1); err != nil || len(f.Asked) != 1 {
		t.Errorf("%d requests for nothing new, %v", len(f.Asked), err)
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Config{
		"s3://bkt":                          {Bucket: "bkt"},
		"s3://bkt/x/y":                      {Bucket: "bkt", Prefix: "x/y"},
		"s3://bkt/x?endpoint=host.test:900": {Bucket: "bkt", Prefix: "x", Host: "host.test:900"},
	} {
		b, err := Open(c, nil)
		if err != nil || b.Name() != want {
			t.Errorf("%v: %s, %v", c, b.Name(), err)
		}
	}
	if _, err := Open(Config{Bucket: "bkt", Host: "no host/"}, nil); err == nil {
		t.Error("a host that is none")
	}
}
