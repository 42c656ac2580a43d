package convo_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// shelf holds blobs in memory.
type shelf map[string][]byte

func (s shelf) get(sum string) ([]byte, error) {
	if data, ok := s[sum]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

// refTo is the reference to a blob, as oh-my-pi writes it.
func refTo(b convo.Blob) string { return "blob:sha256:" + b.Sum }

func ompBlob(sum string) ([]byte, error) {
	return os.ReadFile(filepath.Join(corpus.Dir(), "omp", "blobs", sum))
}

// A reference stands for what oh-my-pi 18 put into a blob, in the places where it does so, and is a text elsewhere.
func TestResolvePlaces(t *testing.T) {
	t.Parallel()
	bytes := make([]byte, 768)
	for i := range bytes {
		bytes[i] = byte(i * 7)
	}
	url := []byte("data:image/png;base64,AAAA")
	image, link := convo.NewBlob(bytes), convo.NewBlob(url)
	on := shelf{image.Sum: image.Data, link.Sum: link.Data}
	full := base64.StdEncoding.EncodeToString(bytes)
	for name, test := range map[string]struct {
		in   string // R is the reference of the image, U of the URL
		want bool   // it is resolved
	}{
		"content":          {`{"content":[ {"type":"image","data":"R","mimeType":"image/png"}]}`, true},
		"deeper content":   {`{"a":{"b":[{"content":[[{"type":"image","data":"R"}]]}]}}`, true},
		"images":           {`{"images":[{"data":"R","mimeType":"Image/PNG"}]}`, true},
		"frames":           {`{"frames":[{"type":"image","data":"R"}]}`, true},
		"images, no image": {`{"images":[{"data":"R"}]}`, false},
		"elsewhere":        {`{"other":[{"type":"image","data":"R"}],"image":{"type":"image","data":"R"}}`, false},
		"content, untyped": {`{"content":[{"data":"R","mimeType":"image/png"}]}`, false},
		"generated":        {`{"x":{"type":"image_generation_call","result":"R"}}`, true},
		"data URL":         {`{"image_url":"U"}`, true},
		"data URLs":        {`{"image_url":["U"]}`, true},
		"lines stay":       {`{"content":"a\nb","lineCount":9,"jsonlEvents":1,"images":[{"type":"image","data":"R"}]}`, true},
		"last data counts": {`{"content":[{"type":"image","data":"x","data":"R"}]}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := strings.NewReplacer(`"R"`, `"`+refTo(image)+`"`, `"U"`, `"`+refTo(link)+`"`).Replace(test.in)
			want := in
			if test.want {
				want = strings.NewReplacer(`"R"`, `"`+full+`"`, `"U"`, `"`+string(url)+`"`).Replace(test.in)
			}
			got, problems := convo.ResolveBlobs(entry(t, in), on.get)
			if diff := cmp.Diff(want, got.Raw()); diff != "" || len(problems) > 0 {
				t.Errorf("%v (-want +got):\n%s", problems, diff)
			}
		})
	}
}

// The references of a session of oh-my-pi 18 are all resolved.
func TestResolveAllOmp(t *testing.T) {
	t.Parallel()
	paths := corpus.Sessions(t, "omp/18/images")
	if len(paths) != 1 {
		t.Fatal(paths)
	}
	references := 0
	for _, e := range parseText(t, string(corpus.Session(t, paths[0]))).Entries {
		references += strings.Count(e.Raw(), `"blob:`)
		full, problems := convo.ResolveBlobs(e, ompBlob)
		if strings.Contains(full.Raw(), "blob:") || len(problems) > 0 {
			t.Errorf("line %d: references left, %v", e.Line(), problems)
		}
	}
	if references < 8 {
		t.Errorf("%d references", references)
	}
}

// TestResolveOmp compares with what oh-my-pi 18 makes of the references in the
// sessions of both versions.
func TestResolveOmp(t *testing.T) {
	t.Parallel()
	golden := corpus.Golden(t, "omp/golden/18")
	seen := 0
	for row := range strings.Lines(string(mustRead(t, "omp/golden/index.txt"))) {
		path, name, _ := strings.Cut(strings.TrimSpace(row), " ")
		data, ok := golden[name+".blobs.json"]
		if !ok {
			continue
		}
		s := parseText(t, string(corpus.Session(t, "omp/"+path)))
		for _, ref := range gjson.GetBytes(data, "refs").Array() {
			index, inner, _ := strings.Cut(ref.Get("path").Str, ".")
			e := s.Entries[gjson.Parse(index).Int()-1]
			got, problems := convo.ResolveBlobs(e, ompBlob)
			value := gjson.Get(got.Raw(), inner).Str
			if ref.Get("resolved").Str == "unresolved" {
				if value != ref.Get("ref").Str || len(problems) != 1 || problems[0].Kind != convo.BlobMissing || problems[0].Line != e.Line() {
					t.Errorf("%s: %s became %.80q, %v", path, ref.Get("path"), value, problems)
				}
			} else if sum := sha256.Sum256([]byte(value)); hex.EncodeToString(sum[:]) != ref.Get("resolved.sha256").Str {
				t.Errorf("%s: %s became %.80q", path, ref.Get("path"), value)
			}
			seen++
		}
	}
	if seen != 25 {
		t.Errorf("%d references, want 25", seen)
	}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus.Dir(), filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestResolveBlobsProblems(t *testing.T) {
	t.Parallel()
	other, url := convo.NewBlob([]byte("other")), convo.NewBlob([]byte("data:image/png;base64,AA=="))
	unreadable := strings.Repeat("e", 64)
	get := func(sum string) ([]byte, error) {
		switch {
		case !convo.ValidBlobSum(sum):
			t.Errorf("asked for %q", sum)
		case sum == other.Sum:
			return other.Data, nil
		case sum == url.Sum:
			return url.Data, nil
		case sum == strings.Repeat("b", 64):
			return []byte("not b"), nil
		case sum == unreadable:
			return nil, errors.New("no luck")
		}
		return nil, fs.ErrNotExist
	}
	image := func(ref string) string {
		return `{"type":"message","id":"i1","content":[{"type":"image","data":"` + ref + `"}]}`
	}
	const p = "blob:sha256:"
	for in, want := range map[string]session.Kind{
		image(p + strings.Repeat("a", 64)):                      convo.BlobMissing,
		image(p + strings.Repeat("b", 64)):                      convo.BlobHash,
		image(p + unreadable):                                   convo.BlobMissing,
		image(p):                                                convo.BlobName,
		image(p + "../../../../etc/passwd"):                     convo.BlobName,
		image(p + strings.Repeat("A", 64)):                      convo.BlobName,
		image(p + strings.Repeat("a", 63)):                      convo.BlobName,
		image(p + strings.Repeat("a", 65)):                      convo.BlobName,
		image(p + strings.Repeat("a", 63) + "/"):                convo.BlobName,
		image(p + strings.Repeat("a", 63) + `\u0000`):           convo.BlobName,
		image(`\u0062lob:sha256:x`):                             convo.BlobName,
		`{"image_url":"` + refTo(other) + `"}`:                  convo.BlobHash, // no data URL
		`{"content":[{"type":"text","data":"` + p + `"}]}`:      "",
		`{"content":[{"type":"text","text":"` + p + `x"}]}`:     "",
		`{"other":[{"type":"image","data":"` + p + `x"}]}`:      "",
		`{"content":[{"type":"image","data":"BLOB` + p + `"}]}`: "",
	} {
		got, problems := convo.ResolveBlobs(entry(t, in), get)
		if got.Raw() != in {
			t.Errorf("%s\nbecame %s", in, got.Raw())
		}
		var kind session.Kind
		if len(problems) > 0 {
			kind = problems[0].Kind
			if !errors.Is(problems[0], session.ErrMalformed) {
				t.Errorf("%v is not malformed", problems[0])
			}
		}
		if kind != want || len(problems) > 1 {
			t.Errorf("%s\n%v, want %q", in, problems, want)
		}
	}
	in := `{"content":[{"type":"image","data":"\u0062lob:sha256:` + other.Sum + `"}],"image_url":"` + refTo(url) + `"}`
	got, problems := convo.ResolveBlobs(entry(t, in), get)
	want := `{"content":[{"type":"image","data":"b3RoZXI="}],"image_url":"data:image/png;base64,AA=="}`
	if got.Raw() != want || problems != nil {
		t.Errorf("%s %v", got.Raw(), problems)
	}
}
