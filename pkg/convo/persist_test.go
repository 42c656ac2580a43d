package convo_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
)

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
			if got != e || len(blobs) > 0 {
				t.Errorf("%s:%d changed", path, e.Line())
			}
		}
	}
}
