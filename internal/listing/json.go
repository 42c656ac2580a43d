package listing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// JSON returns the JSON of a row.
func JSON(r Row) string {
	var b strings.Builder
	_ = Write(&b, r) // a Builder takes everything
	return b.String()
}

// Write writes the JSON of a row, without a line feed. Fields are only ever added.
// The messages, which may be huge, are quoted a piece at a time.
func Write(w io.Writer, r Row) error {
	head, err := json.Marshal(struct {
		Path          string `json:"path"`
		ID            string `json:"id"`
		CWD           string `json:"cwd"`
		Name          string `json:"name"`
		ParentSession string `json:"parentSession"`
		Version       int    `json:"version"`
		Created       string `json:"created"`
		Modified      string `json:"modified"`
		Size          int64  `json:"size"`
		Entries       int    `json:"entries"`
		Messages      int    `json:"messages"`
	}{
		r.Path, r.ID, r.CWD, r.Name, r.ParentSession, r.Version,
		js.FormatTime(r.Created.UnixMilli()), js.FormatTime(r.Modified.UnixMilli()),
		r.Size, r.Entries, r.Messages,
	})
	if err != nil {
		panic(err) // strings and numbers marshal
	}
	exact := "false" // entries and messages are lower bounds
	if r.Exact {
		exact = "true"
	}
	o := &writer{w: w}
	o.raw(string(head[:len(head)-1]) + `,"firstMessage":"`)
	o.quoted(js.ValidText(r.FirstMessage))
	o.raw(`","lastMessage":"`)
	o.quoted(js.ValidText(r.LastMessage))
	spent := fmt.Sprintf(`{"input":%d,"output":%d,"cacheRead":%d,"cacheWrite":%d,"cost":%s}`,
		r.Spent.Input, r.Spent.Output, r.Spent.CacheRead, r.Spent.CacheWrite, Cost(r.Spent))
	o.raw(`","usage":` + spent + `,"exact":` + exact + agent(r) + "}")
	return o.err
}

// agent returns the members of a row of another agent's store.
func agent(r Row) string {
	if r.Agent == "" {
		return ""
	}
	members := `,"agent":` + js.Quote(r.Agent)
	if !r.ModTime.IsZero() {
		members += `,"written":` + js.Quote(r.ModTime.UTC().Format(time.RFC3339Nano))
	}
	return members
}

// Cost returns what was spent as JSON, to a millionth.
func Cost(s session.Spent) string {
	if math.IsInf(s.Cost, 0) || math.IsNaN(s.Cost) {
		return "null"
	}
	return strconv.FormatFloat(math.Round(s.Cost*1e6)/1e6, 'f', -1, 64)
}

// A writer writes until something fails.
type writer struct {
	w   io.Writer
	err error
}

func (o *writer) raw(s string) {
	if o.err == nil {
		_, o.err = io.WriteString(o.w, s)
	}
}

// quoted writes valid text as it stands between the quotes of a JSON string.
func (o *writer) quoted(text string) {
	const most = 64 << 10
	var literal bytes.Buffer
	encoder := json.NewEncoder(&literal)
	for text != "" && o.err == nil {
		n := min(len(text), most)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		literal.Reset()
		if err := encoder.Encode(text[:n]); err != nil {
			panic(err) // strings marshal, and a Buffer takes everything
		}
		_, o.err = o.w.Write(literal.Bytes()[1 : literal.Len()-len("\"\n")])
		text = text[n:]
	}
}
