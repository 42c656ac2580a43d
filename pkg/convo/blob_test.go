package convo_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// shelf holds blobs in memory.
type shelf map[string][]byte

func (s shelf) put(blobs []convo.Blob) {
	for _, b := range blobs {
		s[b.Sum] = b.Data
	}
}

func (s shelf) get(sum string) ([]byte, error) {
	if data, ok := s[sum]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

func ompBlob(sum string) ([]byte, error) {
	return os.ReadFile(filepath.Join(corpus.Dir(), "omp", "blobs", sum))
}

func TestExternalize(t *testing.T) {
	t.Parallel()
	bytes := make([]byte, 768)
	for i := range bytes {
		bytes[i] = byte(i * 7)
	}
	b64 := base64.StdEncoding.EncodeToString(bytes) // 1024
	ref := convo.NewBlob(bytes).Ref()
	image := func(data string) string { return `{"type":"image","data":"` + data + `","mimeType":"image/png"}` }
	url := "data:image/png;base64,AAAA"
	urlRef := convo.NewBlob([]byte(url)).Ref()
	for name, test := range map[string]struct{ in, want string }{
		"content":          {`{"content":[ ` + image(b64) + `]}`, `{"content":[ ` + image(ref) + `]}`},
		"deeper content":   {`{"a":{"b":[{"content":[[` + image(b64) + `]]}]}}`, `{"a":{"b":[{"content":[[` + image(ref) + `]]}]}}`},
		"escaped slashes":  {`{"content":[` + image(strings.ReplaceAll(b64, "/", `\/`)) + `]}`, `{"content":[` + image(ref) + `]}`},
		"other alphabet":   {`{"content":[` + image(strings.NewReplacer("+", "-", "/", "_").Replace(b64)) + `]}`, `{"content":[` + image(ref) + `]}`},
		"white space":      {`{"content":[` + image(b64[:100]+`\r\n`+b64[100:]+`\n`) + `]}`, `{"content":[` + image(ref) + `]}`},
		"padding too much": {`{"content":[` + image(b64+"==") + `]}`, `{"content":[` + image(ref) + `]}`},
		"a digit too much": {`{"content":[` + image(b64+"A") + `]}`, `{"content":[` + image(ref) + `]}`},
		"1023 units":       {`{"content":[` + image(b64[:1023]) + `]}`, ""},
		"no base64":        {`{"content":[` + image(b64+"!") + `]}`, ""},
		"behind padding":   {`{"content":[` + image(b64[:1000]+"=="+b64) + `]}`, ""},
		"images":           {`{"images":[{"data":"` + b64 + `","mimeType":"Image/PNG"}]}`, `{"images":[{"data":"` + ref + `","mimeType":"Image/PNG"}]}`},
		"frames":           {`{"frames":[` + image(b64) + `]}`, `{"frames":[` + image(ref) + `]}`},
		"images, no image": {`{"images":[{"data":"` + b64 + `"}]}`, ""},
		"elsewhere":        {`{"other":[` + image(b64) + `],"image":` + image(b64) + `}`, ""},
		"content, untyped": {`{"content":[{"data":"` + b64 + `","mimeType":"image/png"}]}`, ""},
		"generated":        {`{"x":{"type":"image_generation_call","result":"` + b64 + `"}}`, `{"x":{"type":"image_generation_call","result":"` + ref + `"}}`},
		"data URL":         {`{"image_url":"` + url + `"}`, `{"image_url":"` + urlRef + `"}`},
		"data URLs":        {`{"image_url":["` + url + `"]}`, `{"image_url":["` + urlRef + `"]}`},
		"URL":              {`{"image_url":"https://example.com/x.png"}`, ""},
		"reference":        {`{"content":[` + image("blob:sha256:"+strings.Repeat("a", 1100)) + `]}`, ""},
		"signed":           {`{"c":[{"type":"text","textSignature":"s","content":[` + image(b64) + `]}]}`, ""},
		"lines stay":       {`{"content":"a\nb","lineCount":9,"jsonlEvents":1,"images":[` + image(b64) + `]}`, `{"content":"a\nb","lineCount":9,"jsonlEvents":1,"images":[` + image(ref) + `]}`},
		"last data counts": {`{"content":[{"type":"image","data":"x","data":"` + b64 + `"}]}`, `{"content":[{"type":"image","data":"x","data":"` + ref + `"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.want == "" {
				test.want = test.in
			}
			got, blobs := convo.Limits{Blobs: true}.Apply(entry(t, test.in))
			if diff := cmp.Diff(test.want, got.Raw()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			on := shelf{}
			on.put(blobs)
			back, problems := convo.ResolveBlobs(got, on.get)
			if name == "reference" {
				return
			}
			if again, _ := (convo.Limits{Blobs: true}).Apply(back); !reflect.DeepEqual(again, got) || len(problems) > 0 {
				t.Errorf("resolved: %s %v", back.Raw(), problems)
			}
		})
	}
}

// TestExternalizeOmp puts the blobs oh-my-pi 18 stored into its session, and
// takes them out again.
func TestExternalizeOmp(t *testing.T) {
	t.Parallel()
	paths := corpus.Sessions(t, "omp/18/images")
	if len(paths) != 1 {
		t.Fatal(paths)
	}
	stored := map[string]bool{}
	for _, e := range parseText(t, string(corpus.Session(t, paths[0]))).Entries {
		full, problems := convo.ResolveBlobs(e, ompBlob)
		if strings.Contains(full.Raw(), "blob:") || len(problems) > 0 {
			t.Errorf("line %d: references left, %v", e.Line(), problems)
		}
		back, blobs := convo.Limits{MaxChars: convo.MaxPersistChars, Blobs: true}.Apply(full)
		if diff := cmp.Diff(e.Raw(), back.Raw()); diff != "" {
			t.Errorf("line %d (-omp +got):\n%s", e.Line(), diff)
		}
		for _, b := range blobs {
			stored[b.Sum] = true
			if want, err := ompBlob(b.Sum); err != nil || string(b.Data) != string(want) {
				t.Errorf("blob %s is not oh-my-pi's: %v", b.Sum, err)
			}
		}
	}
	if len(stored) != 8 {
		t.Errorf("%d blobs, want 8", len(stored))
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
		`{"image_url":"` + other.Ref() + `"}`:                   convo.BlobHash, // no data URL
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
	in := `{"content":[{"type":"image","data":"\u0062lob:sha256:` + other.Sum + `"}],"image_url":"` + url.Ref() + `"}`
	got, problems := convo.ResolveBlobs(entry(t, in), get)
	want := `{"content":[{"type":"image","data":"b3RoZXI="}],"image_url":"data:image/png;base64,AA=="}`
	if got.Raw() != want || problems != nil {
		t.Errorf("%s %v", got.Raw(), problems)
	}
}

// FuzzLimits: the result is JSON; nothing changes but what is cut, dropped,
// counted or put into blobs; resolving and externalizing once more changes
// nothing; and what was not too long is as before.
func FuzzLimits(f *testing.F) {
	long := strings.Repeat("QUJD", 300)
	for _, seed := range []string{
		`{"t":"` + long + `"}`, `{"content":[{"type":"image","data":"` + long + `"}],"lineCount":1}`,
		`{"content":"` + long + `\n","lineCount":1,"jsonlEvents":[{"a":1}]}`, `{"image_url":"data:image/x;base64,\ud800"}`,
		`{"images":[{"mimeType":"image/x","data":"` + long + `-_ ="}],"type":"image_generation_call","result":"` + long + `"}`,
		`{"t":"` + strings.Repeat(`\ud83d`, 80) + `"}`, `{"a":{"jsonlEvents":1,"b":[ ]},"type":"thinking"}`,
	} {
		f.Add(seed, 60)
	}
	f.Fuzz(func(t *testing.T, line string, limit int) {
		e, err := session.ParseEntry(line)
		if err != nil || strings.Contains(line, "blob:") || strings.Contains(line, `\u0062`) {
			return
		}
		if limit < convo.MinPersistChars {
			limit = convo.MinPersistChars
		}
		cut, _ := convo.Limits{MaxChars: limit}.Apply(e)
		checkCut(t, e, cut, limit)
		out, blobs := convo.Limits{Blobs: true}.Apply(e)
		parsed, err := session.ParseEntry(out.Raw())
		if err != nil || !reflect.DeepEqual(parsed, out) {
			t.Fatalf("%v: %q", err, out.Raw())
		}
		on := shelf{}
		on.put(blobs)
		full, problems := convo.ResolveBlobs(out, on.get)
		if len(problems) > 0 {
			t.Fatalf("%v: %q", problems, out.Raw())
		}
		if len(blobs) == 0 && full.Raw() != line {
			t.Fatalf("no blobs, and yet %q", full.Raw())
		}
		again, more := convo.Limits{Blobs: true}.Apply(full)
		if !reflect.DeepEqual(again, out) || !slices.EqualFunc(blobs, more, func(a, b convo.Blob) bool { return a.Sum == b.Sum }) {
			t.Fatalf("not canonical: %q, then %q", out.Raw(), again.Raw())
		}
	})
}

// checkCut compares an entry with what is left of it under a limit.
func checkCut(t *testing.T, e, cut session.Entry, limit int) {
	t.Helper()
	if parsed, err := session.ParseEntry(cut.Raw()); err != nil || !reflect.DeepEqual(parsed, cut) {
		t.Fatalf("%v: %q", err, cut.Raw())
	}
	if again, _ := (convo.Limits{MaxChars: limit}).Apply(cut); !reflect.DeepEqual(again, cut) {
		t.Fatalf("%q, then %q", cut.Raw(), again.Raw())
	}
	var before, after any
	// Ill-formed UTF-8 is read as JavaScript does, where encoding/json has a U+FFFD for each byte.
	if json.Unmarshal([]byte(js.ValidText(e.Raw())), &before) != nil || json.Unmarshal([]byte(js.ValidText(cut.Raw())), &after) != nil {
		t.Fatal("not JSON")
	}
	if len(e.Raw()) <= limit && !strings.Contains(e.Raw(), "jsonlEvents") && !strings.Contains(e.Raw(), `\u`) && !reflect.DeepEqual(cut, e) {
		t.Fatalf("%q became %q", e.Raw(), cut.Raw())
	}
	checkValue(t, before, after)
}

// checkValue wants after to be before, with long strings cut, events gone and
// lines counted.
func checkValue(t *testing.T, before, after any) {
	t.Helper()
	switch b := before.(type) {
	case map[string]any:
		a, ok := after.(map[string]any)
		if !ok {
			t.Fatalf("%v became %v", before, after)
		}
		for key, value := range b {
			got, ok := a[key]
			switch {
			case !ok && key == "jsonlEvents":
			case !ok:
				t.Fatalf("member %q is gone", key)
			case key == "lineCount":
			default:
				checkValue(t, value, got)
			}
		}
		for key := range a {
			if _, ok := b[key]; !ok {
				t.Fatalf("member %q is new", key)
			}
		}
	case []any:
		a, ok := after.([]any)
		if !ok || len(a) != len(b) {
			t.Fatalf("%v became %v", before, after)
		}
		for i := range b {
			checkValue(t, b[i], a[i])
		}
	case string:
		a, _ := after.(string)
		head, cut := strings.CutSuffix(a, "\n\n[Session persistence truncated large content]")
		if a != b && !(cut && strings.HasPrefix(b, head)) {
			t.Fatalf("%q became %q", b, a)
		}
	default:
		if before != after {
			t.Fatalf("%v became %v", before, after)
		}
	}
}

const notice = `\n\n[Session persistence truncated large content]`

// TestLimits uses a limit of 60: 13 units and the notice.
func TestLimits(t *testing.T) {
	t.Parallel()
	x60, x61, cut := strings.Repeat("x", 60), strings.Repeat("x", 61), strings.Repeat("x", 13)+notice
	for name, test := range map[string]struct{ in, want string }{
		"at the limit":      {`{"t":"` + x60 + `"}`, ""},
		"above it":          {`{"t":"` + x61 + `"}`, `{"t":"` + cut + `"}`},
		"escapes count one": {`{"t":"` + strings.Repeat(`\u0041`, 60) + `"}`, ""},
		"pairs count two":   {`{"t":"` + strings.Repeat("😀", 31) + `"}`, `{"t":"` + strings.Repeat("😀", 6) + notice + `"}`},
		"a pair is not split": {
			`{"t":"` + strings.Repeat("x", 12) + "😀" + x60 + `"}`, `{"t":"` + strings.Repeat("x", 12) + notice + `"}`,
		},
		"half a pair at the cut": {
			`{"t":"` + strings.Repeat("x", 12) + `\ud83d` + x60 + `"}`, `{"t":"` + strings.Repeat("x", 12) + notice + `"}`,
		},
		"half a pair before a pair": {
			`{"t":"` + strings.Repeat("x", 11) + `\ud83d😀` + x60 + `"}`, `{"t":"` + strings.Repeat("x", 11) + `\ud83d` + notice + `"}`,
		},
		"a second half at the cut": {
			`{"t":"` + strings.Repeat("x", 12) + `\ude00` + x60 + `"}`, `{"t":"` + strings.Repeat("x", 12) + `\ude00` + notice + `"}`,
		},
		"other bytes stay": {
			`{ "n" : 1.0 , "a":[ "` + x61 + `" , 12345678901234567890 ],"\u0062":"\/"}`,
			`{ "n" : 1.0 , "a":[ "` + cut + `" , 12345678901234567890 ],"\u0062":"\/"}`,
		},
		"keys stay":                {`{"` + x61 + `":1}`, ""},
		"repeated members":         {`{"t":"` + x61 + `","t":"` + x61 + `"}`, `{"t":"` + cut + `","t":"` + cut + `"}`},
		"ids":                      {`{"id":"` + x61 + `","parentId":"` + x61 + `","m":{"toolCallId":"` + x61 + `"}}`, ""},
		"signatures":               {`{"thinkingSignature":"` + x61 + `","a":{"textSignature":"` + x61 + `","thoughtSignature":"` + x61 + `"}}`, ""},
		"signed thinking":          {`{"c":[{"type":"thinking","thinkingSignature":"s","thinking":"` + x61 + `"}]}`, ""},
		"unsigned thinking":        {`{"c":[{"type":"thinking","thinkingSignature":"","thinking":"` + x61 + `"}]}`, `{"c":[{"type":"thinking","thinkingSignature":"","thinking":"` + cut + `"}]}`},
		"signed text":              {`{"c":[{"type":"text","textSignature":"s","text":"` + x61 + `"}]}`, ""},
		"signed call":              {`{"c":[{"type":"toolCall","thoughtSignature":"s","arguments":{"jsonlEvents":1}}]}`, ""},
		"redacted thinking":        {`{"c":{"type":"redactedThinking","data":"` + x61 + `"}}`, ""},
		"encrypted reasoning":      {`{"c":{"type":"reasoning","encrypted_content":"` + x61 + `"}}`, ""},
		"plain reasoning":          {`{"c":{"type":"reasoning","summary":"` + x61 + `"}}`, `{"c":{"type":"reasoning","summary":"` + cut + `"}}`},
		"provider's compaction":    {`{"c":{"type":"anthropicCompaction","x":"` + x61 + `"}}`, ""},
		"the same by its key":      {`{"anthropicCompaction":{"content":"` + x61 + `"}}`, ""},
		"key without content":      {`{"anthropicCompaction":{"x":"` + x61 + `"}}`, `{"anthropicCompaction":{"x":"` + cut + `"}}`},
		"server tool":              {`{"c":{"type":"anthropicServerTool","block":{"type":"server_tool_use","name":"web_search","id":"i","input":"` + x61 + `"}}}`, ""},
		"server tool's result":     {`{"c":{"type":"anthropicServerTool","block":{"type":"web_search_tool_result","tool_use_id":"i","content":["` + x61 + `"]}}}`, ""},
		"server tool without id":   {`{"c":{"type":"anthropicServerTool","block":{"type":"server_tool_use","name":"web_search","x":"` + x61 + `"}}}`, `{"c":{"type":"anthropicServerTool","block":{"type":"server_tool_use","name":"web_search","x":"` + cut + `"}}}`},
		"events dropped":           {`{"jsonlEvents":[1],"a":{"b":1,"jsonlEvents":2}}`, `{"a":{"b":1}}`},
		"only events":              {`{ "jsonlEvents":1 , "jsonlEvents":2 }`, `{  }`},
		"events first and last":    {`{"jsonlEvents":1,"jsonlEvents":2,"b":3,"jsonlEvents":4,"c":5, "jsonlEvents":6}`, `{"b":3,"c":5}`},
		"events by another name":   {`{"\u006asonlEvents":1,"b":2}`, `{"b":2}`},
		"partial JSON stays":       {`{"partialJson":"p"}`, ""},
		"lines counted":            {`{"content":"a\nb","lineCount":9,"jsonlEvents":1}`, `{"content":"a\nb","lineCount":2}`},
		"lines of what was cut":    {`{"lineCount":9,"content":"a\n` + x61 + `"}`, `{"lineCount":4,"content":"a\n` + strings.Repeat("x", 11) + notice + `"}`},
		"lines where deeper":       {`{"lineCount":9,"content":"","a":[{"b":"` + x61 + `"}]}`, `{"lineCount":1,"content":"","a":[{"b":"` + cut + `"}]}`},
		"lines stay":               {`{"content":"a\nb","lineCount":9}`, ""},
		"no number of lines":       {`{"content":"a\nb","lineCount":"9","jsonlEvents":1}`, `{"content":"a\nb","lineCount":"9"}`},
		"no content to count":      {`{"content":["a\nb"],"lineCount":9,"jsonlEvents":1}`, `{"content":["a\nb"],"lineCount":9}`},
		"image is not cut":         {`{"files":[{"image":{"type":"image","data":"` + x61 + `"}}]}`, ""},
		"nor by its media type":    {`{"a":{"mimeType":"IMAGE/png","data":"` + x61 + `"}}`, ""},
		"other data is":            {`{"a":{"mimeType":"text/plain","data":"` + x61 + `"}}`, `{"a":{"mimeType":"text/plain","data":"` + cut + `"}}`},
		"data URL is not cut":      {`{"image_url":"data:image/png;base64,` + x61 + `"}`, ""},
		"another URL is":           {`{"image_url":"` + x61 + `"}`, `{"image_url":"` + cut + `"}`},
		"generated image":          {`{"type":"image_generation_call","result":"` + x61 + `"}`, ""},
		"empty containers, depth":  {strings.Repeat(`{"a":[`, 4000) + strings.Repeat(`]}`, 4000), ""},
		"quotes and backslashes":   {`{"a\\\"":"\\","b":"\\\"","jsonlEvents":"\"]}\\"}`, `{"a\\\"":"\\","b":"\\\""}`},
		"scalars of all kinds":     {`{"a":true,"b":null,"c":-1e5,"d":false}`, ""},
		"a lone surrogate is kept": {`{"t":"\ud800` + x61 + `"}`, `{"t":"\ud800` + strings.Repeat("x", 12) + notice + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.want == "" {
				test.want = test.in
			}
			got, blobs := convo.Limits{MaxChars: 60}.Apply(entry(t, test.in))
			if diff := cmp.Diff(test.want, got.Raw()); diff != "" || blobs != nil {
				t.Errorf("(-want +got), %d blobs:\n%s", len(blobs), diff)
			}
			if again, _ := (convo.Limits{MaxChars: 60}).Apply(got); again.Raw() != got.Raw() {
				t.Errorf("applied again: %s", again.Raw())
			}
			if same, _ := (convo.Limits{}).Apply(entry(t, test.in)); same.Raw() != test.in {
				t.Errorf("no limits: %s", same.Raw())
			}
		})
	}
}

// TestLimitsOmp makes of what oh-my-pi was given what it wrote.
func TestLimitsOmp(t *testing.T) {
	t.Parallel()
	paths := corpus.Sessions(t, "omp/18/longstrings")
	if len(paths) != 1 {
		t.Fatal(paths)
	}
	s := parseText(t, string(corpus.Session(t, paths[0])))
	cut := func(unit string, n int) string { return strings.Repeat(unit, n) + notice }
	given := strings.NewReplacer(
		`"`+cut("B", 499_953)+`"`, `"`+strings.Repeat("B", 500_001)+`"`,
		`"`+cut("C", 499_952)+`"`, `"`+strings.Repeat("C", 499_952)+"😀"+strings.Repeat("D", 100)+`"`,
		`"`+cut("é", 499_953)+`"`, `"`+strings.Repeat("é", 500_002)+`"`,
		`"content":"`+strings.Repeat(`x\n`, 249_976)+`x`+notice+`","lineCount":249979`, `"content":"`+strings.Repeat(`x\n`, 300_000)+`","lineCount":300000`,
		`"content":"`+strings.Repeat(`l\n`, 249_976)+`l`+notice+`","lineCount":249979`, `"content":"`+strings.Repeat(`l\n`, 260_000)+`","lineCount":260000`,
		`"details":{`, `"details":{"jsonlEvents":[1,2,3],`,
		`"deep":{`, `"deep":{"jsonlEvents":"gone",`,
		`"lineCount":2}`, `"lineCount":7,"jsonlEvents":[]}`,
	)
	changed := 0
	for _, e := range s.Entries {
		before := given.Replace(e.Raw())
		got, _ := convo.Limits{MaxChars: convo.MaxPersistChars}.Apply(entry(t, before))
		if got.Raw() != e.Raw() {
			t.Errorf("line %d: %d bytes, oh-my-pi wrote %d", e.Line(), len(got.Raw()), len(e.Raw()))
		}
		if before != e.Raw() {
			changed++
		}
	}
	if changed != 3 {
		t.Errorf("%d lines differ from what was given, want 3", changed)
	}
}

// TestLimitsFixed looks at all oh-my-pi 18 wrote: its limits leave that alone.
func TestLimitsFixed(t *testing.T) {
	t.Parallel()
	for _, path := range append(corpus.Sessions(t, "omp/18"), corpus.Sessions(t, "omp/genuine/out18")...) {
		s := parseText(t, string(corpus.Session(t, path)))
		for _, e := range s.Entries {
			got, blobs := convo.Limits{MaxChars: convo.MaxPersistChars, Blobs: true}.Apply(e)
			if !reflect.DeepEqual(got, e) || len(blobs) > 0 {
				t.Errorf("%s:%d changed", path, e.Line())
			}
		}
	}
}
