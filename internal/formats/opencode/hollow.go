package opencode

import (
	"github.com/sess-tools/sess/internal/formats"
)

// hollow returns the parts of the message with null in place of what the entries have
// that are made of it. Of a summary, its text is in the compaction, if it is one part.
func (e *emission) hollow(compaction bool) []string {
	out := append([]string(nil), e.parts...)
	if compaction {
		if i, ok := e.onlyText(); ok {
			out[i] = formats.With(out[i], "text", "null")
		}
		return out
	}
	for _, s := range e.layout() {
		for _, b := range s.blocks {
			p := out[b.part]
			switch {
			case b.fixed != "":
			case b.kind == blockImage:
				p = hollowFile(p)
			case b.kind == blockCall:
				p = hollowTool(p)
			case get(p, "text") != "" && get(p, "metadata", "anthropic", "redactedData") == "":
				p = formats.With(p, "text", "null")
			}
			out[b.part] = p
		}
	}
	return out
}

// onlyText returns the part that is the text of an assistant's message, if there is
// but one.
func (m message) onlyText() (part int, ok bool) {
	part = -1
	for i, p := range m.parts {
		if m.role() == "assistant" && str(p, "type") == "text" {
			if part >= 0 {
				return 0, false
			}
			part = i
		}
	}
	return part, part >= 0
}

// hollowFile leaves out the data of an image, if its address is but that.
func hollowFile(file string) string {
	media, data, ok := formats.DataURL(str(file, "url"))
	if ok && isImage(file) && dataURL(media, data) == str(file, "url") {
		return formats.With(file, "url", "null")
	}
	return file
}

func dataURL(media, data string) string { return "data:" + media + ";base64," + data }

// hollowTool leaves out the arguments and the result of a call.
func hollowTool(tool string) string {
	if isObject(get(tool, "state", "input")) {
		tool = within(tool, "state", "input", "null")
	}
	if detailed(tool) {
		tool = within(tool, "state", "metadata", "null")
	}
	switch str(tool, "state", "status") {
	case "completed":
		tool = hollowOutput(tool)
	case "error":
		if _, spoke := interrupted(tool); !spoke && get(tool, "state", "error") != "" {
			tool = within(tool, "state", "error", "null")
		}
	}
	return tool
}

func hollowOutput(tool string) string {
	if get(tool, "state", "output") != "" {
		tool = within(tool, "state", "output", "null")
	}
	files := attached(tool)
	if len(files) == 0 {
		return tool
	}
	for i := range files {
		files[i] = hollowFile(files[i])
	}
	return within(tool, "state", "attachments", formats.Array(files...))
}
