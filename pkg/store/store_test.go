package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/jsonl"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	s := Open(filepath.Join(base, "not", "yet"))
	for _, sync := range []bool{true, false} {
		id, data := testID, text(testID, "/home/u/proj", 1)
		if !sync {
			id = "other"
		}
		path, err := s.Create("/home/u/proj", testTime, id, strings.NewReader(data), sync)
		if err != nil {
			t.Fatal(err)
		}
		want := filepath.Join(base, "not", "yet", "--home-u-proj--", "2026-01-02T03-04-05-678Z_"+id+".jsonl")
		if path != want {
			t.Errorf("path %q, want %q", path, want)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != data {
			t.Errorf("holds %q, %v", got, err)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for name, want := range map[string]fs.FileMode{
		"not":                     fs.ModeDir | 0o700,
		"not/yet":                 fs.ModeDir | 0o700,
		"not/yet/--home-u-proj--": fs.ModeDir | 0o700,
		"not/yet/--home-u-proj--/2026-01-02T03-04-05-678Z_other.jsonl": 0o600,
	} {
		info, err := os.Stat(filepath.Join(base, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s: mode %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestCreateStaysInside(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	s := Open(filepath.Join(base, "store"))
	for _, tt := range []struct {
		name, cwd, timestamp, id string
		ok                       bool
	}{
		{"dots in cwd", "../../..", testTime, "a", true},
		{"absolute dots", "/../../../tmp", testTime, "b", true},
		{"backslashes", `..\..\x`, testTime, "c", true},
		{"only dots", "..", testTime, "d", true},
		{"no cwd", "", testTime, "e", true},
		{"NUL in cwd", "/a\x00/../../b", testTime, "f", false},
		{"path as id", "/p", testTime, "../../evil", false},
		{"absolute id", "/p", testTime, "/evil", false},
		{"path as timestamp", "/p", "../../evil", "g", false},
		{"name too long", "/" + strings.Repeat("x", 300), testTime, "h", false},
	} {
		path, err := s.Create(tt.cwd, tt.timestamp, tt.id, strings.NewReader("{}\n"), false)
		if (err == nil) != tt.ok {
			t.Errorf("%s: %q, %v", tt.name, path, err)
		}
		if err == nil && filepath.Dir(filepath.Dir(path)) != s.Dir() {
			t.Errorf("%s: %q is outside", tt.name, path)
		}
	}
	entries, err := os.ReadDir(base)
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the store: %v, %v", entries, err)
	}
}

func TestCreateThroughSymlinks(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, dir := range []string{"real", "elsewhere"} {
		if err := os.Mkdir(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	symlink(t, "real", filepath.Join(base, "store"))
	s := Open(filepath.Join(base, "store"))
	if _, err := s.Create("/p", testTime, "a", strings.NewReader("{}\n"), true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(base, "real", "--p--", "2026-01-02T03-04-05-678Z_a.jsonl")); err != nil {
		t.Error(err)
	}

	// The owner may keep one project on another disk.
	symlink(t, filepath.Join(base, "elsewhere"), s.Project("/q"))
	if _, err := s.Create("/q", testTime, "a", strings.NewReader("{}\n"), false); err != nil {
		t.Error(err)
	}

	// A dangling link is an error, not a directory made behind it.
	symlink(t, filepath.Join(base, "gone"), s.Project("/r"))
	if path, err := s.Create("/r", testTime, "a", strings.NewReader("{}\n"), false); err == nil {
		t.Errorf("created %s through a dangling link", path)
	}
	if _, err := os.Lstat(filepath.Join(base, "gone")); err == nil {
		t.Error("a directory was made behind the dangling link")
	}

	// So is a link where the file should be: it is not written through.
	target := write(t, base, "target", "precious")
	path, err := s.PathFor("/p", testTime, "b")
	if err != nil {
		t.Fatal(err)
	}
	symlink(t, target, path)
	if _, err := s.Create("/p", testTime, "b", strings.NewReader("{}\n"), false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v does not match fs.ErrExist", err)
	}
	if got, _ := os.ReadFile(target); string(got) != "precious" {
		t.Errorf("wrote through the link: %q", got)
	}
}

func TestCreateWhereAFileIsInTheWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := Open(dir)
	blocker := write(t, dir, EncodeCWD("/p"), "a file")
	_, err := s.Create("/p", testTime, "a", strings.NewReader("{}\n"), false)
	if err == nil || !strings.HasPrefix(err.Error(), "making the session's directory: ") || strings.Count(err.Error(), blocker) != 1 {
		t.Errorf("error %v does not name %s once", err, blocker)
	}
}

func TestDir(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths of the table are not absolute here")
	}
	for _, tt := range []struct {
		name, sess, xdg, home, want string
	}{
		{"nothing set", "", "", "/home/u", "/home/u/.local/share/sess/sessions"},
		{"xdg", "", "/data", "/home/u", "/data/sess/sessions"},
		{"xdg without home", "", "/data", "", "/data/sess/sessions"},
		{"relative xdg is passed over", "", "data", "/home/u", "/home/u/.local/share/sess/sessions"},
		{"sess", "/s", "/data", "/home/u", "/s"},
		{"sess is cleaned", "/s//x/", "", "/home/u", "/s/x"},
		{"relative sess", "s", "/data", "", "s"},
		{"no home", "", "", "", ""},
		{"relative home", "", "", "u", ""},
		{"relative xdg and no home", "", "data", "", ""},
	} {
		env := map[string]string{"SESS_DIR": tt.sess, "XDG_DATA_HOME": tt.xdg}
		got, err := Dir(func(k string) string { return env[k] }, tt.home)
		if got != filepath.FromSlash(tt.want) || (err != nil) != (tt.want == "") {
			t.Errorf("%s: got %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

type failing struct{}

func (failing) WriteTo(w io.Writer) (int64, error) {
	n, _ := io.WriteString(w, "half a")
	return int64(n), fs.ErrInvalid
}

// A path appears with all of its content or not at all, and never in the place of
// another.
func TestCreateWhole(t *testing.T) {
	t.Parallel()
	s := Open(filepath.Join(t.TempDir(), "store"))
	if _, err := s.Create("/w", testTime, testID, failing{}, true); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("content that fails: %v", err)
	}
	path, err := s.Create("/w", testTime, testID, jsonl.Content{"{}"}, true)
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := s.PathFor("/w", testTime, testID); path != want {
		t.Errorf("%s, not %s", path, want)
	}
	if _, err := s.Create("/w", testTime, testID, jsonl.Content{"other"}, true); !errors.Is(err, fs.ErrExist) || strings.Count(err.Error(), path) != 1 {
		t.Errorf("over a file: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "{}\n" {
		t.Errorf("%q, %v", got, err)
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(names) != 1 || strings.HasPrefix(names[0].Name(), ".") {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := s.Create("/w", testTime, "../x", jsonl.Content{"{}"}, true); err == nil {
		t.Error("a path was made of an id")
	}
}
