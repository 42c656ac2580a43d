package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/pkg/js"
)

const png = `{"type":"image","data":"` + pixel + `","mimeType":"image/png"}`

func TestImages(t *testing.T) {
	t.Parallel()
	const (
		url    = `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}`
		source = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}`
	)
	left := func(why string) (string, []string) {
		return "[image left out: " + why + "]", []string{"message 1: a note put in the place of an image: " + why}
	}
	blob, blobRepairs := left("its data is kept outside the session")
	bad, badRepairs := left("its data is no base64")
	const tiff = `{"type":"image_url","image_url":{"url":"data:image/tiff;base64,` + pixel + `"}}`
	tests := []struct {
		name, block, openAI, anthropic string
		repairs, anRepairs             []string
	}{
		{"png", png, url, source, nil, nil},
		{"blob", `{"type":"image","data":"blob:sha256:ab","mimeType":"image/png"}`, text(blob), text(blob), blobRepairs, blobRepairs},
		{"no data", `{"type":"image","mimeType":"image/png"}`, text(bad), text(bad), badRepairs, badRepairs},
		{"length", `{"type":"image","data":"abc","mimeType":"image/png"}`, text(bad), text(bad), badRepairs, badRepairs},
		{"padding", `{"type":"image","data":"a===","mimeType":"image/png"}`, text(bad), text(bad), badRepairs, badRepairs},
		{"alphabet", `{"type":"image","data":"ab-_","mimeType":"image/png"}`, text(bad), text(bad), badRepairs, badRepairs},
		{"url", `{"type":"image","data":"http://a","mimeType":"image/png"}`, text(bad), text(bad), badRepairs, badRepairs},
		{
			"tiff", `{"type":"image","data":"` + pixel + `","mimeType":"image/tiff"}`, tiff,
			text(`[image left out: the API does not take the media type \"image/tiff\"]`), nil,
			[]string{`message 1: a note put in the place of an image: the API does not take the media type "image/tiff"`},
		},
		{
			"no image", `{"type":"image","data":"` + pixel + `","mimeType":"image/a;b"}`,
			text(`[image left out: the API does not take the media type \"image/a;b\"]`),
			text(`[image left out: the API does not take the media type \"image/a;b\"]`),
			[]string{`message 1: a note put in the place of an image: the API does not take the media type "image/a;b"`},
			[]string{`message 1: a note put in the place of an image: the API does not take the media type "image/a;b"`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := parse(`{"role":"user","content":[` + text("see") + "," + tt.block + `]}`)
			got, repairs := openAIText(in, render.Options{})
			check(t, "OpenAI", got, `[{"role":"user","content":[`+text("see")+`,`+tt.openAI+`]}]`, repairs, tt.repairs)
			got, repairs = anthropicText(in, render.Options{})
			check(t, "Anthropic", got, `{"messages":[`+anUser(text("see"), tt.anthropic)+`]}`, repairs, tt.anRepairs)
			if strings.HasPrefix(tt.openAI, `{"type":"image_url"`) { // stays a list when it is alone
				got, repairs = openAIText(parse(`{"role":"user","content":[`+tt.block+`]}`), render.Options{})
				check(t, "OpenAI alone", got, `[{"role":"user","content":[`+tt.openAI+`]}]`, repairs, tt.repairs)
			}
		})
	}
}

func TestResultContent(t *testing.T) {
	t.Parallel()
	const (
		url    = `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}`
		source = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}`
	)
	follow := func(blocks string) string {
		return `,{"role":"user","content":[{"type":"text","text":"Images of the result of call c1:"},` + blocks + `]}`
	}
	tests := []struct {
		name, members, openAI, anthropic string
	}{
		{"no content", `"content":[]`, oaTool("c1", ""), `{"type":"tool_result","tool_use_id":"c1"}`},
		{"string", `"content":"out"`, oaTool("c1", "out"), anResult("c1", "out")},
		{
			"two texts", `"content":[` + text("a") + "," + text("b") + `]`, oaTool("c1", `a\nb`),
			`{"type":"tool_result","tool_use_id":"c1","content":[` + text("a") + "," + text("b") + `]}`,
		},
		{
			"error", `"isError":true,"content":"bad"`, oaTool("c1", "bad"),
			`{"type":"tool_result","tool_use_id":"c1","content":[` + text("bad") + `],"is_error":true}`,
		},
		{
			"error without content", `"isError":true,"content":[]`, oaTool("c1", ""),
			`{"type":"tool_result","tool_use_id":"c1","content":[` + text("(no output)") + `],"is_error":true}`,
		},
		{
			"image", `"content":[` + png + `]`, oaTool("c1", "(images follow)") + follow(url),
			`{"type":"tool_result","tool_use_id":"c1","content":[` + source + `]}`,
		},
		{
			"text and image", `"content":[` + png + "," + text("a") + `]`, oaTool("c1", "a") + follow(url),
			`{"type":"tool_result","tool_use_id":"c1","content":[` + text("a") + "," + source + `]}`,
		},
		{
			"error with image", `"isError":true,"content":[` + png + `]`, oaTool("c1", "(images follow)") + follow(url),
			`{"type":"tool_result","tool_use_id":"c1","content":[` + text("(no output)") + `],"is_error":true},` + source,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := parse(user("hi"), says(calls("c1")), `{"role":"toolResult","toolCallId":"c1","toolName":"read",`+tt.members+`}`)
			got, repairs := openAIText(in, render.Options{})
			check(t, "OpenAI", got, "["+oaUser("hi")+","+oaCalls(oaCall("c1"))+","+tt.openAI+"]", repairs, nil)
			if _, err := validOpenAI(got); err != nil {
				t.Error(err)
			}
			got, repairs = anthropicText(in, render.Options{})
			want := `{"messages":[` + anUser(text("hi")) + "," + anSays(anUse("c1")) + "," + anUser(tt.anthropic) + `]}`
			check(t, "Anthropic", got, want, repairs, nil)
			if _, err := validAnthropic(got); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestImagesFollowAllResults: nothing may stand between two tool messages of a
// turn, and in Anthropic's not between two results.
func TestImagesFollowAllResults(t *testing.T) {
	t.Parallel()
	in := parse(user("hi"), says(calls("c1"), calls("c2")),
		`{"role":"toolResult","toolCallId":"c1","isError":true,"content":[`+png+`]}`,
		`{"role":"toolResult","toolCallId":"c2","isError":true,"content":[`+png+`]}`)
	got, _ := openAIText(in, render.Options{})
	if messages, err := validOpenAI(got); err != nil || len(messages) != 5 {
		t.Errorf("%v: %s", err, got)
	}
	got, _ = anthropicText(in, render.Options{})
	if r, err := validAnthropic(got); err != nil || len(r.Messages[2].Content) != 4 {
		t.Errorf("%v: %s", err, got)
	}
}

func TestThinking(t *testing.T) {
	t.Parallel()
	const (
		signed = `{"type":"thinking","thinking":"hm","thinkingSignature":"s1g"}`
		kept   = `{"type":"thinking","thinking":"hm","signature":"s1g"},`
	)
	tests := []struct{ name, api, block, want string }{
		{"signed", "anthropic-messages", signed, kept},
		{"signed, API unknown", "", signed, kept},
		{"without text", "", `{"type":"thinking","thinking":"","thinkingSignature":"s1g"}`, strings.Replace(kept, "hm", "", 1)},
		{"signed by another", "openai-responses", signed, ""},
		{"unsigned", "", `{"type":"thinking","thinking":"hm"}`, ""},
		{"empty signature", "", `{"type":"thinking","thinking":"hm","thinkingSignature":""}`, ""},
		{"redacted by pi", "", `{"type":"thinking","thinking":"[x]","thinkingSignature":"enc","redacted":true}`, `{"type":"redacted_thinking","data":"enc"},`},
		{"redacted by oh-my-pi", "", `{"type":"redactedThinking","data":"enc"}`, `{"type":"redacted_thinking","data":"enc"},`},
		{"redacted without data", "", `{"type":"redactedThinking"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			message := `{"role":"assistant","api":"` + tt.api + `","content":[` + tt.block + "," + text("ho") + `,` + tt.block + `]}`
			in := parse(user("hi"), message, user("on"))
			got, repairs := anthropicText(in, render.Options{})
			want := `{"messages":[` + anUser(text("hi")) + `,{"role":"assistant","content":[` + tt.want + text("ho") + `]},` + anUser(text("on")) + `]}`
			check(t, "Anthropic", got, want, repairs, nil)
			got, repairs = openAIText(in, render.Options{})
			check(t, "OpenAI", got, "["+oaUser("hi")+`,{"role":"assistant","content":"ho"},`+oaUser("on")+"]", repairs, nil)
		})
	}
}

// TestThinkingOfOneModel: a signature belongs to the model that made it. What another model thought is left out, and said.
func TestThinkingOfOneModel(t *testing.T) {
	t.Parallel()
	thought := func(provider, model, words string) string {
		return `{"role":"assistant","api":"anthropic-messages","provider":"` + provider + `","model":"` + model + `","content":[{"type":"thinking","thinking":"` + words + `","thinkingSignature":"s"},` + text("said") + `]}`
	}
	in := parse(user("1"), thought("anthropic", "a", "old"), user("2"), thought("aws", "b", "elsewhere"), user("3"), thought("anthropic", "b", "new"), user("4"))
	got, repairs := anthropicText(in, render.Options{})
	if strings.Contains(got, "old") || strings.Contains(got, "elsewhere") || !strings.Contains(got, `"thinking":"new"`) || strings.Count(got, "said") != 3 {
		t.Errorf("%s", got)
	}
	if len(repairs) == 0 || !strings.Contains(strings.Join(repairs, " "), "thinking of another model left out") {
		t.Errorf("%q", repairs)
	}
}

func TestThinkingBeforeCall(t *testing.T) {
	t.Parallel()
	in := parse(user("hi"), says(`{"type":"thinking","thinking":"hm","thinkingSignature":"s"}`, calls("c1")), result("c1", "out"))
	got, repairs := anthropicText(in, render.Options{})
	want := anSays(`{"type":"thinking","thinking":"hm","signature":"s"}`, anUse("c1"))
	if !strings.Contains(got, want) || len(repairs) > 0 {
		t.Errorf("got %s, %q; want %s in it", got, repairs, want)
	}
}

func TestSystem(t *testing.T) {
	t.Parallel()
	in := parse(
		`{"role":"system","content":"be\ud800","sections":{"b":"two","a":"one"}}`,
		user("hi"), says(calls("c1")),
		`{"role":"system","content":"more","sections":{"b":"TWO","a":null,"n":1,"e":""}}`,
		result("c1", "out"))
	const folded = `"be` + "\uFFFD" + `\n\nmore\n\nTWO"`
	rest := oaUser("hi") + "," + oaCalls(oaCall("c1")) + "," + oaTool("c1", "out") + "]"
	anRest := `"messages":[` + anUser(text("hi")) + "," + anSays(anUse("c1")) + "," + anUser(anResult("c1", "out")) + "]}"

	got, repairs := openAIText(in, render.Options{})
	check(t, "OpenAI without", got, "["+rest, repairs, nil)
	got, repairs = openAIText(in, render.Options{System: true})
	check(t, "OpenAI", got, `[{"role":"system","content":`+folded+"},"+rest, repairs, nil)
	got, repairs = anthropicText(in, render.Options{})
	check(t, "Anthropic without", got, "{"+anRest, repairs, nil)
	got, repairs = anthropicText(in, render.Options{System: true})
	check(t, "Anthropic", got, `{"system":`+folded+","+anRest, repairs, nil)
}

func TestSystemThatSaysNothing(t *testing.T) {
	t.Parallel()
	in := parse(`{"role":"system","content":"","toolsAdded":[{"name":"read"}]}`)
	got, repairs := openAIText(in, render.Options{System: true})
	check(t, "OpenAI", got, "[]", repairs, nil)
	got, repairs = anthropicText(in, render.Options{System: true})
	check(t, "Anthropic", got, `{"messages":[]}`, repairs, nil)
}

func TestArguments(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", js.MaxDepth-20) + strings.Repeat("]", js.MaxDepth-20)
	many := strings.Repeat("[", 2*js.MaxDepth)
	noObject := []string{`message 2: arguments of call "c1" are no object: put into one`}
	tests := []struct {
		name, arguments, want string
		repairs               []string
	}{
		{"as stringify", `{ "a" : 1.50, "1": [ true ] }`, `{"1":[true],"a":1.5}`, nil},
		{"null", `null`, `{}`, nil},
		{"empty", `{}`, `{}`, nil},
		{"text of an object", `" {\"a\": 1} "`, `{"a":1}`, nil},
		{"text of no object", `"{\"a\": "`, `{"arguments":"{\"a\": "}`, noObject},
		{"list", `[1]`, `{"arguments":[1]}`, noObject},
		{"lone surrogates", `{"\ud800":"\\\udfff\n\u0001"}`, "{\"\uFFFD\":\"\\\\\uFFFD\\n\\u0001\"}", nil},
		{"text of an escape", `{"a":"\\ud800"}`, `{"a":"\\ud800"}`, nil},
		{"brackets in text", `{"a":"[[\"[["}`, `{"a":"[[\"[["}`, nil},
		{"many brackets in text", `{"a":"` + many + `\"` + many + `"}`, `{"a":"` + many + `\"` + many + `"}`, nil},
		{"deep", `{"a":` + deep + `}`, `{"a":` + deep + `}`, nil},
		{"too deep", `{"a":[[[[[[[[[[` + deep + `]]]]]]]]]]}`, `{}`, []string{`message 2: arguments of call "c1" nest too deep: left out`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := parse(user("hi"), says(`{"type":"toolCall","id":"c1","name":"read","arguments":`+tt.arguments+`}`), result("c1", "out"))
			got, repairs := anthropicText(in, render.Options{})
			check(t, "Anthropic", fmt.Sprint(strings.Contains(got, `"input":`+tt.want+`}`)), "true", repairs, tt.repairs)
			if !js.Valid([]byte(got)) {
				t.Error("not valid")
			}
			got, repairs = openAIText(in, render.Options{})
			check(t, "OpenAI", fmt.Sprint(strings.Contains(got, `"arguments":`+js.Quote(tt.want)+`}`)), "true", repairs, tt.repairs)
			if !js.Valid([]byte(got)) {
				t.Error("not valid")
			}
		})
	}
}

func TestAbsentArguments(t *testing.T) {
	t.Parallel()
	got, repairs := anthropicText(parse(user("hi"), says(`{"type":"toolCall","id":"c1","name":"read"}`), result("c1", "out")), render.Options{})
	if !strings.Contains(got, `"input":{}`) || len(repairs) > 0 {
		t.Errorf("got %s, %q", got, repairs)
	}
}
