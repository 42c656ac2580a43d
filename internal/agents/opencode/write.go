package opencode

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
)

// An exported session is what "opencode export" would print of it.
type exported struct {
	info     js.Value
	messages []written
}

// WriteTo writes the session as opencode does, indented by two.
func (x exported) WriteTo(w io.Writer) (n int64, err error) {
	c := &disk.Counter{W: w}
	p := bufio.NewWriter(c)
	p.WriteString("{\n  \"info\": ")
	indent(p, string(x.info), "  ")
	p.WriteString(",\n  \"messages\": [")
	for i, m := range x.messages {
		if i > 0 {
			p.WriteString(",")
		}
		p.WriteString("\n    ")
		indent(p, js.Object(js.RawField("info", m.info), js.RawField("parts", api.Array(m.parts...))), "    ")
	}
	if len(x.messages) > 0 {
		p.WriteString("\n  ")
	}
	p.WriteString("]\n}\n")
	err = p.Flush() // which is the first error of p
	return c.N, err
}

func indent(p *bufio.Writer, raw, prefix string) {
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(raw), prefix, "  ") // it is JSON
	p.Write(b.Bytes())
}

// float returns a number.
func float(f float64) js.Value { return js.Value(js.Stringify(strconv.FormatFloat(f, 'g', -1, 64))) }
