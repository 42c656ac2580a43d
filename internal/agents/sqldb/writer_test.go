package sqldb_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// writerEnv makes the test binary a program that writes to a database: it runs
// the statements that it is given, one a line, and answers each.
const writerEnv = "SQLDB_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		os.Exit(write(path))
	}
	os.Exit(m.Run())
}

func write(path string) int {
	ctx := context.Background()
	pool, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return 3
	}
	pool.SetMaxOpenConns(1)
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			pool.Close()
			return 0
		}
		if strings.HasPrefix(line, "kill") {
			os.Exit(0) // without closing anything
		}
		if _, err := pool.ExecContext(ctx, line); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println("ok")
		}
	}
}

// A writer is another process that has the database open.
type writer struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startWriter(t *testing.T, path string) *writer {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &writer{t, cmd, in, bufio.NewReader(out)}
	t.Cleanup(w.end)
	return w
}

// state is what a directory holds: names, times, contents.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	s := map[string]string{}
	fi, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	s["."] = fi.ModTime().String()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fi, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		s[e.Name()] = fmt.Sprintf("%v %v %d %x", fi.ModTime(), fi.Mode(), len(b), sha256.Sum256(b))
	}
	return s
}
