package stream

import (
	"cmp"
	"slices"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
)

// isGeminiAPI reports whether a value is a response of Gemini's generateContent, or a piece
// of one: they look alike.
func isGeminiAPI(v js.Dict) bool {
	return v.Get("candidates").IsArray() || v.Get("usageMetadata").IsObject() || v.Get("promptFeedback").IsObject()
}

// A geminiAPIReader puts the pieces of a response together: their parts follow each other.
type geminiAPIReader struct {
	rec                   *recorder
	id, model             string
	pieces                pieces
	parts                 []js.Value
	candidate             js.Value // the last one, for why it ended
	usage, feedback       js.Value
	failure               string
	began, others, reason bool
}

func readGeminiAPI(rec *recorder) reader { return &geminiAPIReader{rec: rec} }

func (g *geminiAPIReader) value(v js.Dict, _ string) verdict {
	switch {
	case isGeminiAPI(v):
		if id := v.Get("responseId").Str(); id != g.id && id != "" && g.id != "" {
			return other
		}
		g.piece(v)
	case v.Get("error") == "":
		return other
	case !g.began:
		g.rec.refuse(v.Value)
		return over
	default:
		g.failure = errorText(v.Value)
		return over
	}
	return more
}

func (g *geminiAPIReader) piece(v js.Dict) {
	g.began = true
	g.id = cmp.Or(g.id, v.Get("responseId").Str())
	g.model = cmp.Or(g.model, v.Get("modelVersion").Str())
	g.usage = cmp.Or(v.Get("usageMetadata"), g.usage)
	g.feedback = cmp.Or(v.Get("promptFeedback"), g.feedback)
	candidate, more := api.GeminiCandidate(v.Value)
	g.others = g.others || more
	g.parts = g.pieces.keep(g.parts, slices.Collect(candidate.Get("content", "parts").Elements()))
	if candidate.Get("finishReason") != "" {
		g.candidate, g.reason = candidate.Without("content"), true
	}
}

func (g *geminiAPIReader) end() {
	if !g.began {
		return
	}
	candidate := cmp.Or(g.candidate, "{}")
	candidates := []js.Value{candidate.With("content", js.Value(js.Object(js.RawField("parts", api.Array(g.parts...)))))}
	if g.others {
		candidates = append(candidates, js.Value(js.Object(js.IntField("index", 1))))
	}
	whole := js.Object(js.RawField("candidates", api.Array(candidates...)), js.RawField("usageMetadata", g.usage),
		js.RawField("promptFeedback", g.feedback), js.StringField("modelVersion", g.model), js.StringField("responseId", g.id))
	blocked := g.feedback.Get("blockReason") != ""
	m := g.rec.mapping("gemini", g.id, endingOf(g.failure, g.reason || blocked))
	g.rec.respond(m.Gemini(js.Value(whole)), 0, g.pieces.size)
}
