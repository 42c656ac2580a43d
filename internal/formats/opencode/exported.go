package opencode

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
)

// An exported session is what "opencode export" would print of it.
type exported struct {
	info     string
	messages []written
}

// WriteTo writes the session as opencode does, indented by two.
func (x exported) WriteTo(w io.Writer) (n int64, err error) {
	p := &printer{w: w}
	p.text("{\n  \"info\": ")
	p.indented(x.info, "  ")
	p.text(",\n  \"messages\": [")
	for i, m := range x.messages {
		if i > 0 {
			p.text(",")
		}
		p.text("\n    ")
		p.indented(js.Object(js.RawField("info", m.info), js.RawField("parts", formats.Array(m.parts...))), "    ")
	}
	if len(x.messages) > 0 {
		p.text("\n  ")
	}
	p.text("]\n}\n")
	return p.n, p.err
}

// A printer writes until an error.
type printer struct {
	w   io.Writer
	n   int64
	err error
	buf bytes.Buffer
}

func (p *printer) text(s string) {
	if p.err == nil {
		var n int
		n, p.err = io.WriteString(p.w, s)
		p.n += int64(n)
	}
}

func (p *printer) indented(raw, prefix string) {
	p.buf.Reset()
	if err := json.Indent(&p.buf, []byte(raw), prefix, "  "); err != nil && p.err == nil {
		p.err = err
	}
	p.text(p.buf.String())
}

// float returns the JSON text of a number.
func float(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
