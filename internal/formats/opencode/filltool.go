package opencode

import (
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// fillTool puts the arguments of a call and its result into a part.
func fillTool(p string, call session.Block, a *answer) string {
	if rawMember(get(p, "state"), "input") == "null" {
		p = within(p, "state", "input", objectOr(call.Get("arguments"), "{}"))
	}
	state := get(p, "state")
	status := str(state, "status")
	switch {
	case a == nil:
		return formats.With(p, "state", failedState(state, js.Quote(convo.NoResult)))
	case status == "completed" && !a.failed():
		state = fillOutput(state, a)
	case status == "error" && a.failed():
		if rawMember(state, "error") == "null" {
			state = formats.With(state, "error", a.text())
		} else if output, ok := interrupted(p); ok && js.Unquote(output) != js.Unquote(a.text()) {
			state = failedState(state, a.text())
		}
	case status != "completed" && status != "error" && a.failed() && js.Unquote(a.text()) == textInterrupted:
	case a.failed():
		state = failedState(state, a.text())
	default:
		state = fillOutput(formats.With(js.Object(
			js.RawField("status", `"completed"`), js.RawField("input", get(state, "input")),
			js.RawField("output", "null")), "time", get(state, "time")), a)
	}
	if rawMember(state, "metadata") == "null" {
		state = formats.With(state, "metadata", objectOr(a.message().Get("details"), "{}"))
	}
	return formats.With(p, "state", state)
}

// objectOr returns a JSON text if it is an object, else another.
func objectOr(raw, other string) string {
	if isObject(raw) {
		return raw
	}
	return other
}

// failedState returns the state of a call that failed, with an error that is JSON.
func failedState(state, text string) string {
	return js.Object(
		js.RawField("status", `"error"`), js.Field{Name: "input", Raw: objectOr(get(state, "input"), "{}")},
		js.RawField("error", text), js.RawField("time", get(state, "time")))
}

// fillOutput puts a result into the state of a call that was answered, and whether it was taken
// out of the context.
func fillOutput(state string, a *answer) string {
	if raw := rawMember(state, "output"); raw == "null" || raw == "" || js.Unquote(raw) != js.Unquote(a.text()) {
		state = formats.With(state, "output", a.text())
	}
	state = fillFiles(state, a.images())
	switch pruned := a.pruned(); {
	case pruned && get(state, "time", "compacted") == "":
		at, _ := a.entry.Timestamp()
		state = within(state, "time", "compacted", formats.Int(at))
	case !pruned && get(state, "time", "compacted") != "":
		state = within(state, "time", "compacted", "")
	}
	return state
}

// fillFiles puts the images of a result into the files that came with it.
func fillFiles(state string, images []session.Block) string {
	files := elements(get(state, "attachments"))
	n := 0
	for i, f := range files {
		if !isImage(f) {
			continue
		}
		if n < len(images) && rawMember(f, "url") == "null" {
			files[i] = fill(f, images[n])
		}
		n++
	}
	if n != len(images) {
		files = nil
		for _, b := range images {
			files = append(files, file(b))
		}
	}
	switch {
	case len(files) > 0:
		return formats.With(state, "attachments", formats.Array(files...))
	case get(state, "attachments") != "":
		return formats.With(state, "attachments", "")
	}
	return state
}

// file returns the file part of an image, which has no id yet.
func file(b session.Block) string {
	return js.Object(js.StringField("type", "file"), js.StringField("mime", b.Str("mimeType")),
		js.StringField("url", dataURL(b.Str("mimeType"), b.Str("data"))))
}
