//go:build unix

package e2e

import (
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A bucketServer is as much of a server with the API of S3 as sess-sync needs. It keeps
// what it was asked.
type bucketServer struct {
	mu      sync.Mutex
	objects map[string]string
	sums    map[string]string // what the client said of them
	asked   strings.Builder
	deny    bool
}

const sumHeader = "X-Amz-Meta-Sess-Sha256"

func (b *bucketServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprintf(&b.asked, "%s %s\n%v\n%s\n", r.Method, r.URL, r.Header, body)
	q := r.URL.Query()
	o, there := b.objects[r.URL.Path]
	if sum := b.sums[r.URL.Path]; sum != "" {
		w.Header().Set(sumHeader, sum)
	}
	w.Header().Set("ETag", `"e"`)
	w.Header().Set("Last-Modified", "Fri, 02 Jan 2026 03:04:05 GMT")
	switch {
	case b.deny:
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, "<Error><Code>AccessDenied</Code><Message>not for this user</Message></Error>")
	case q.Get("list-type") == "2":
		type content struct {
			Key  string
			Size int
		}
		answer := struct {
			XMLName  xml.Name `xml:"ListBucketResult"`
			Contents []content
		}{}
		for name, o := range b.objects {
			if key := strings.TrimPrefix(name, "/bucket/"); strings.HasPrefix(key, q.Get("prefix")) && key > q.Get("start-after") {
				answer.Contents = append(answer.Contents, content{key, len(o)})
			}
		}
		slices.SortFunc(answer.Contents, func(a, b content) int { return strings.Compare(a.Key, b.Key) })
		_ = xml.NewEncoder(w).Encode(answer)
	case r.Method == http.MethodPut && there && r.Header.Get("If-None-Match") == "*":
		w.WriteHeader(http.StatusPreconditionFailed)
	case r.Method == http.MethodPut:
		b.objects[r.URL.Path], b.sums[r.URL.Path] = string(body), r.Header.Get(sumHeader)
	case !there:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "<Error><Code>NoSuchKey</Code></Error>")
	default:
		_, _ = io.WriteString(w, o)
	}
}

// What opens a remote is in no message, no state, no object, and in the arguments of no
// program that one of the tools runs, whether access is granted, denied or impossible.
func TestRemoteSecrets(t *testing.T) {
	t.Parallel()
	dir, id := agentStore(t)
	b := &bucketServer{objects: map[string]string{}, sums: map[string]string{}}
	server := httptest.NewServer(b)
	defer server.Close()
	secrets := []string{"AKIAPLANTED0000001", "planted/secret+key", "planted-session-token", "SUAPLANTEDSEED"}
	creds := write(t, dir, "nats.creds", "-----BEGIN NATS USER JWT-----\n"+secrets[3]+"\n------END NATS USER JWT------\n-----BEGIN USER NKEY SEED-----\n"+secrets[3]+"\n------END USER NKEY SEED------\n")
	// The other tools find this one beside them; it notes its arguments.
	tools := filepath.Join(dir, "tools")
	check(t, os.Mkdir(tools, 0o700))
	for _, name := range []string{"sess-path", "sess-ls"} {
		if err := os.Link(filepath.Join(bin, name), filepath.Join(tools, name)); err != nil {
			data := readFile(t, filepath.Join(bin, name)) // another file system
			check(t, os.WriteFile(write(t, tools, name, data), []byte(data), 0o700))
			check(t, os.Chmod(filepath.Join(tools, name), 0o700))
		}
	}
	write(t, tools, "sess-sync", "#!/bin/sh\necho \"$0 $*\" >> "+dir+"/argv\nexec "+filepath.Join(bin, "sess-sync")+" \"$@\"\n")
	check(t, os.Chmod(filepath.Join(tools, "sess-sync"), 0o700))
	address := "s3://bucket/team?region=r&path-style=1&endpoint=" + server.URL
	var said strings.Builder
	run := func(want int, address string, args ...string) {
		t.Helper()
		c := command(dir, args...)
		c.Path = filepath.Join(tools, args[0])
		c.Env = append(c.Env, "SESS_REMOTE="+address, "AWS_ACCESS_KEY_ID="+secrets[0], "AWS_SECRET_ACCESS_KEY="+secrets[1], "AWS_SESSION_TOKEN="+secrets[2], "SESS_NATS_CREDS="+creds)
		r := wait(t, c)
		if r.status != want {
			t.Errorf("%v: status %d, want %d: %s", args, r.status, want, r.stderr)
		}
		fmt.Fprintf(&said, "%v %s%s\n", c.Args, r.stdout, r.stderr)
	}
	run(0, address, "sess-sync", "init", "-v", address)
	run(0, address, "sess-sync", "push", "-v", "s.jsonl")
	run(1, address, "sess-sync", "pull", "-v", "s.jsonl")
	run(0, address, "sess-sync", "pull", "-v", id)
	run(0, address, "sess-sync", "check", "-v")
	run(0, address, "sess-ls", "remote:")
	run(0, address, "sess-path", "remote:"+id)
	b.mu.Lock()
	b.deny = true
	b.mu.Unlock()
	run(2, address, "sess-sync", "pull", "-v", "s.jsonl")
	run(2, "nats://127.0.0.1:1", "sess-sync", "pull", "-v", "s.jsonl")
	run(2, "s3://"+secrets[0]+":"+secrets[1]+"@b", "sess-sync", "pull", "-v", "s.jsonl")
	if !strings.Contains(readFile(t, filepath.Join(dir, "argv")), tools+"/sess-sync cat") {
		t.Errorf("no tool ran another one: %s", readFile(t, filepath.Join(dir, "argv")))
	}
	states := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == creds || filepath.Dir(path) == tools {
			return err
		}
		if strings.HasSuffix(path, ".sync") {
			states++
		}
		fmt.Fprintf(&said, "%s: %s\n", path, readFile(t, path))
		return nil
	})
	if err != nil || states != 2 {
		t.Errorf("%d files of states, %v", states, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, secret := range secrets {
		if i := strings.Index(said.String(), secret); i >= 0 {
			t.Errorf("%s is told: …%s", secret, said.String()[max(0, i-200):i])
		}
		for name, o := range b.objects {
			if strings.Contains(name+o, secret) {
				t.Errorf("%s is in the object %s", secret, name)
			}
		}
	}
	// The server is told who asks, and never the key that signs.
	if asked := b.asked.String(); !strings.Contains(asked, secrets[0]) || strings.Contains(asked, secrets[1]) {
		t.Errorf("the server was told another thing than who asks")
	}
}
