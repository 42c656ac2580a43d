package main

import (
	"maps"
	"slices"

	"github.com/sess-tools/sess/internal/tool/row"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
)

func (r *renderer) state() string {
	st := convo.StateOf(r.path)
	size := convo.MeasureProjection(r.projection, r.path, convo.Estimate)
	var labels, models []js.Field
	for _, l := range r.labels {
		labels = append(labels, js.StringField(js.ValidText(l.Target), js.ValidText(l.Name)))
	}
	for _, role := range slices.Sorted(maps.Keys(st.Models)) {
		models = append(models, js.StringField(js.ValidText(role), js.ValidText(st.Models[role])))
	}
	model := row.Null("model")
	if st.Model != nil {
		model = js.RawField("model", js.Object(row.Text("provider", st.Model.Provider), row.Text("modelId", st.Model.ID)))
	}
	return row.Object("state",
		row.Text("session", r.header.ID), row.Text("cwd", r.header.CWD), row.Text("title", r.title), row.Text("leaf", r.leaf),
		row.Texts("heads", r.heads), js.RawField("labels", js.Object(labels...)), js.IntField("entries", int64(r.count)),
		js.IntField("messages", int64(len(convo.MessagesOf(r.projection)))), model, js.RawField("models", js.Object(models...)),
		orNull("thinkingLevel", st.ThinkingLevel), row.Text("mode", st.Mode), orNull("modeData", st.ModeData),
		row.Texts("injectedRules", st.InjectedRules), orNull("serviceTier", st.ServiceTier),
		js.IntField("contextTokens", size.Tokens), js.IntField("usageTokens", size.Usage), js.IntField("trailingTokens", size.Trailing),
		js.IntField("problems", int64(len(r.problems))))
}

// orNull returns a member with the JSON of an entry, null if no entry has it.
func orNull(name, json string) js.Field {
	if json == "" {
		return row.Null(name)
	}
	return js.RawField(name, json)
}
