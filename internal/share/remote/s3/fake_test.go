package s3

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

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/sess-tools/sess/internal/share/remote"
)

// A fake is a server with as much of the API of S3 as we use, and faults.
type fake struct {
	*httptest.Server
	mu      sync.Mutex
	objects map[string]object
	faults  map[string][]fault // by method; the first one is for the next request
	asked   []*http.Request
	ignore  bool // the condition, as servers do that do not know it
	page    int  // most objects in one answer to a list
	hide    int  // so many of the last objects are not listed
}

type object struct {
	data []byte
	sum  string
}

// A fault is what happens to one request.
type fault struct {
	done   bool // it is carried out
	status int  // the answer; 0: the connection is reset
	code   string
	cut    bool // half of the body is missing
	open   bool // the answer does not say how long it is
}

const bucketName = "shared"

func newFake(t testing.TB) *fake {
	f := &fake{objects: map[string]object{}, faults: map[string][]fault{}, page: 3}
	f.Server = httptest.NewTLSServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) open(t testing.TB) *bucket {
	b, err := open(Config{
		Bucket: bucketName, Prefix: "team/a", Host: strings.TrimPrefix(f.URL, "https://"), PathStyle: true,
		transport: f.Client().Transport, creds: credentials.NewStaticV4("key", "hunter2", ""),
	}, func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (f *fake) log(t testing.TB) remote.Log { return remote.Over(f.open(t), func(string, ...any) {}) }

// next has the next requests of a method fail.
func (f *fake) next(method string, faults ...fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[method] = append(f.faults[method], faults...)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || int64(len(body)) != max(r.ContentLength, 0) {
		panic(http.ErrAbortHandler)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r)
	method := r.Method
	if r.URL.Query().Get("list-type") == "2" {
		method = "LIST"
	}
	hit := fault{done: true}
	if q := f.faults[method]; len(q) > 0 {
		hit, f.faults[method] = q[0], q[1:]
		if !hit.done && !hit.cut {
			f.fail(w, hit)
			return
		}
	} else {
		hit.status = http.StatusOK
	}
	rec := httptest.NewRecorder()
	f.serve(rec, r, method, body)
	if hit.status != http.StatusOK && !hit.cut {
		f.fail(w, hit)
		return
	}
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	if hit.open {
		w.WriteHeader(rec.Code)
		_ = http.NewResponseController(w).Flush()
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(rec.Body.Len()))
		w.WriteHeader(rec.Code)
	}
	if hit.cut {
		_, _ = w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(rec.Body.Bytes())
}

func (f *fake) fail(w http.ResponseWriter, hit fault) {
	if hit.status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(hit.status)
	if hit.code != "" {
		fmt.Fprintf(w, "<Error><Code>%s</Code><Message>the server says %s</Message></Error>", hit.code, hit.code)
	}
}

func (f *fake) serve(w *httptest.ResponseRecorder, r *http.Request, method string, body []byte) {
	key, ok := strings.CutPrefix(r.URL.Path, "/"+bucketName+"/")
	if !ok {
		f.fail(w, fault{status: http.StatusNotFound, code: "NoSuchBucket"})
		return
	}
	o, there := f.objects[key]
	switch method {
	case "LIST":
		f.list(w, r)
	case http.MethodPut:
		if r.Header.Get("If-None-Match") == "*" && there && !f.ignore {
			f.fail(w, fault{status: http.StatusPreconditionFailed, code: "PreconditionFailed"})
			return
		}
		f.objects[key] = object{body, r.Header.Get("X-Amz-Meta-Sess-Sha256")}
		w.Header().Set("ETag", `"e"`)
	case http.MethodGet:
		if !there {
			f.fail(w, fault{status: http.StatusNotFound, code: "NoSuchKey"})
			return
		}
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Last-Modified", "Fri, 02 Jan 2026 03:04:05 GMT")
		if o.sum != "" {
			w.Header().Set("X-Amz-Meta-Sess-Sha256", o.sum)
		}
		_, _ = w.Write(o.data)
	default:
		f.fail(w, fault{status: http.StatusMethodNotAllowed, code: "MethodNotAllowed"})
	}
}

func (f *fake) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	after := max(q.Get("start-after"), q.Get("continuation-token"))
	var keys []string
	for k := range f.objects {
		if strings.HasPrefix(k, q.Get("prefix")) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	keys = keys[:max(0, len(keys)-f.hide)]
	keys = slices.DeleteFunc(keys, func(k string) bool { return k <= after })
	type content struct {
		Key  string
		Size int
	}
	answer := struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string
		Contents              []content
	}{}
	for i, k := range keys {
		if i == f.page {
			answer.IsTruncated, answer.NextContinuationToken = true, keys[i-1]
			break
		}
		answer.Contents = append(answer.Contents, content{k, len(f.objects[k].data)})
	}
	_ = xml.NewEncoder(w).Encode(answer)
}

// marked is the marker of a remote.
func marked() object {
	data := remote.Marker(time.UnixMilli(0))
	return object{data, remote.SumOf(data)}
}

// change changes the objects whose names have an ending, while requests may still come in.
func (f *fake) change(ending string, with func(*object)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, o := range f.objects {
		if strings.HasSuffix(name, ending) {
			with(&o)
			f.objects[name] = o
		}
	}
}
