package remotetest

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/share/remote"
)

// A Server has as much of the API of S3 as we use, and faults. The fields are read and changed while no request is under way.
type Server struct {
	*httptest.Server
	mu      sync.Mutex
	Objects map[string]Stored
	Faults  map[string][]Fault // by method; the first one is for the next request
	Asked   []*http.Request
	Ignore  bool     // the condition, as servers do that do not know it
	Page    int      // most objects in one answer to a list
	Hide    int      // so many of the newest objects are not listed
	Listed  func()   // is called behind each answer to a list, which holds up all others; may be nil
	made    []string // the names that were put, in order
}

// A Stored object is its bytes, and the SHA-256 in its metadata.
type Stored struct {
	Data []byte
	Sum  string
}

// etag returns what changes with the bytes.
func (o Stored) etag() string { return `"` + bucket.SumOf(o.Data)[:32] + `"` }

// A Fault is what happens to one request.
type Fault struct {
	Done   bool // it is carried out
	Status int  // the answer; 0: the connection is reset
	Code   string
	Cut    bool // half of the body is missing
	Open   bool // the answer does not say how long it is
}

// BucketName is the name of its bucket.
const BucketName = "shared"

// NewServer starts a server, with TLS or without, which ends with the test.
func NewServer(t testing.TB, tls bool) *Server {
	f := &Server{Objects: map[string]Stored{}, Faults: map[string][]Fault{}, Page: 3}
	if f.Server = httptest.NewUnstartedServer(f); tls {
		f.StartTLS()
	} else {
		f.Start()
	}
	t.Cleanup(f.Close)
	return f
}

// Next has the next requests of a method fail.
func (f *Server) Next(method string, faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Faults[method] = append(f.Faults[method], faults...)
}

func (f *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || int64(len(body)) != max(r.ContentLength, 0) {
		panic(http.ErrAbortHandler)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Asked = append(f.Asked, r)
	method := methodOf(r)
	hit := Fault{Done: true}
	if q := f.Faults[method]; len(q) > 0 {
		hit, f.Faults[method] = q[0], q[1:]
		if !hit.Done && !hit.Cut {
			f.fail(w, hit)
			return
		}
	} else {
		hit.Status = http.StatusOK
	}
	rec := httptest.NewRecorder()
	f.serve(rec, r, method, body)
	if hit.Status != http.StatusOK && !hit.Cut {
		f.fail(w, hit)
		return
	}
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	if hit.Open {
		w.WriteHeader(rec.Code)
		_ = http.NewResponseController(w).Flush()
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(rec.Body.Len()))
		w.WriteHeader(rec.Code)
	}
	if hit.Cut {
		_, _ = w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(rec.Body.Bytes())
}

// methodOf returns the method of a request, LIST for one of a list.
func methodOf(r *http.Request) string {
	if r.URL.Query().Get("list-type") == "2" {
		return "LIST"
	}
	return r.Method
}

func (f *Server) fail(w http.ResponseWriter, hit Fault) {
	if hit.Status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(hit.Status)
	if hit.Code != "" {
		fmt.Fprintf(w, "<Error><Code>%s</Code><Message>the server says %s</Message></Error>", hit.Code, hit.Code)
	}
}

func (f *Server) serve(w *httptest.ResponseRecorder, r *http.Request, method string, body []byte) {
	key, ok := strings.CutPrefix(r.URL.Path, "/"+BucketName+"/")
	if !ok {
		f.fail(w, Fault{Status: http.StatusNotFound, Code: "NoSuchBucket"})
		return
	}
	o, there := f.Objects[key]
	switch method {
	case "LIST":
		f.list(w, r)
	case http.MethodPut:
		if r.Header.Get("If-None-Match") == "*" && there && !f.Ignore {
			f.fail(w, Fault{Status: http.StatusPreconditionFailed, Code: "PreconditionFailed"})
			return
		}
		f.made = append(f.made, key)
		f.Objects[key] = Stored{body, r.Header.Get("X-Amz-Meta-Sess-Sha256")}
		w.Header().Set("ETag", f.Objects[key].etag())
	case http.MethodGet:
		if !there {
			f.fail(w, Fault{Status: http.StatusNotFound, Code: "NoSuchKey"})
			return
		}
		w.Header().Set("ETag", o.etag())
		w.Header().Set("Last-Modified", "Fri, 02 Jan 2026 03:04:05 GMT")
		if o.Sum != "" {
			w.Header().Set("X-Amz-Meta-Sess-Sha256", o.Sum)
		}
		_, _ = w.Write(o.Data)
	case http.MethodDelete:
		delete(f.Objects, key)
		w.WriteHeader(http.StatusNoContent)
	default:
		f.fail(w, Fault{Status: http.StatusMethodNotAllowed, Code: "MethodNotAllowed"})
	}
}

func (f *Server) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	after := max(q.Get("start-after"), q.Get("continuation-token"))
	var keys []string
	for k := range f.Objects {
		if strings.HasPrefix(k, q.Get("prefix")) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	hidden := f.made[max(0, len(f.made)-f.Hide):]
	keys = slices.DeleteFunc(keys, func(k string) bool { return k <= after || slices.Contains(hidden, k) })
	type content struct {
		Key  string
		Size int
		ETag string
	}
	answer := struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string
		Contents              []content
	}{}
	for i, k := range keys {
		if i == f.Page {
			answer.IsTruncated, answer.NextContinuationToken = true, keys[i-1]
			break
		}
		answer.Contents = append(answer.Contents, content{k, len(f.Objects[k].Data), f.Objects[k].etag()})
	}
	_ = xml.NewEncoder(w).Encode(answer)
	if f.Listed != nil {
		f.Listed()
	}
}

// Marked is the marker of a remote.
func Marked() Stored {
	data := remote.Marker(time.UnixMilli(0))
	return Stored{data, bucket.SumOf(data)}
}

// Store makes an object, while requests may come in.
func (f *Server) Store(name, data string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Objects[name] = Stored{[]byte(data), bucket.SumOf([]byte(data))}
}

// Count returns how many requests of a method came since the last call; LIST is a method.
func (f *Server) Count() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := map[string]int{}
	for _, r := range f.Asked {
		n[methodOf(r)]++
	}
	f.Asked = nil
	return n
}

// Change changes the objects whose names have an ending, while requests may still come in.
func (f *Server) Change(ending string, with func(*Stored)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, o := range f.Objects {
		if strings.HasSuffix(name, ending) {
			with(&o)
			f.Objects[name] = o
		}
	}
}
