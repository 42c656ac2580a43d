package seg

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// members splits a JSON object into the raw values of the members called names.
// Unknown and repeated members are errors, as they are for pi.
func members(text string, names, values []string) error {
	if !utf8.ValidString(text) || !js.Valid([]byte(text)) {
		return errors.New("not JSON")
	}
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r"), "{") {
		return errors.New("not a JSON object")
	}
	next := 0 // members mostly stand in their order
	for key, value := range js.Members(text) {
		name := js.Unquote(key)
		i := next
		if i >= len(names) || names[i] != name {
			if i = slices.Index(names, name); i < 0 {
				i = len(names)
			}
		}
		if i == len(names) {
			return fmt.Errorf("unknown member %.40q", name)
		}
		if values[i] != "" {
			return fmt.Errorf("member %q stands twice", name)
		}
		values[i], next = value, i+1
	}
	return nil
}

// A fieldParser reads raw values and keeps the first error.
type fieldParser struct{ err error }

func (p *fieldParser) fail(name, raw, want string) {
	if p.err == nil {
		p.err = fmt.Errorf("member %s is %.40q, not %s", name, raw, want)
	}
}

// count reads an integer without sign, fraction or exponent.
func (p *fieldParser) count(raw, name string) int64 {
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil || raw[0] < '0' || raw[0] > '9' {
		p.fail(name, raw, "a count")
		return 0
	}
	return n
}

func (p *fieldParser) text(raw, name string) string {
	if raw == "" || raw[0] != '"' {
		p.fail(name, raw, "a string")
		return ""
	}
	return js.Unquote(raw)
}

// schema reports whether the schema id is the extended one.
func (p *fieldParser) schema(raw, plain, extended string) bool {
	s := p.text(raw, "schema")
	if s != plain && s != extended {
		p.fail("schema", raw, plain)
	}
	return s == extended
}
