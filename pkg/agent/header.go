package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A header is what a map says of its agent: the members of a constant of jq, of which a map has more.
type header struct {
	Name, Program, Summary, Mark, Like  string
	Homes, Signs, Resume, Running, Zero texts
	Files                               texts
	Tools                               map[string]texts
	Grows                               *bool // true if it is not there
}

// members are the variables that the members of the constant are read into.
func (h *header) members() map[string]any {
	return map[string]any{
		"name": &h.Name, "program": &h.Program, "summary": &h.Summary, "mark": &h.Mark, "like": &h.Like, "homes": &h.Homes, "files": &h.Files, "signs": &h.Signs,
		"resume": &h.Resume, "running": &h.Running, "tools": &h.Tools, "zero": &h.Zero, "grows": &h.Grows,
	}
}

// HeaderMembers returns the names of the members that [ParseHeader] reads.
func HeaderMembers() []string { return slices.Sorted(maps.Keys(new(header).members())) }

// texts is a list of texts, or one text.
type texts []string

func (t *texts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = texts{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return errors.New("is not a list of strings")
	}
	*t = list
	return nil
}

// HeaderText returns the header of a map, with which its text begins: module {…}; up to the first line that begins
// with the closing brace. It is the whole text if there is no such line.
func HeaderText(text string) string {
	if at := strings.Index(text, "\n};"); at >= 0 {
		return text[:at+len("\n};")]
	}
	return text
}

// ParseHeader returns what the header of a map says of its agent. It takes a header that jq takes; of another it may
// see more than jq does.
func ParseHeader(text string) (Agent, error) {
	constant, ok := strings.CutPrefix(strings.TrimSpace(asJSON(HeaderText(text))), `"module"`)
	if !ok {
		return Agent{}, errors.New("a map begins with module {…};")
	}
	var members map[string]json.RawMessage
	if err := json.NewDecoder(strings.NewReader(constant)).Decode(&members); err != nil {
		return Agent{}, fmt.Errorf("the header: %w", err)
	}
	h := header{}
	for name, into := range h.members() {
		if value := members[name]; value != nil && json.Unmarshal(value, into) != nil {
			return Agent{}, fmt.Errorf("the member %s of the header is not %s", name, wanted(into))
		}
	}
	a := Agent{
		Name: h.Name, Program: h.Program, Summary: h.Summary, Homes: h.Homes, Signs: h.Signs, Resume: h.Resume, Running: h.Running, Mark: h.Mark,
		Zero: h.Zero, Like: h.Like, Map: true, Grows: h.Grows == nil || *h.Grows,
	}
	if slices.Contains(h.Homes, Wide) {
		a.Files = h.Files
	}
	for kind, names := range h.Tools {
		a.Tools = append(a.Tools, Tools{kind, names})
	}
	slices.SortFunc(a.Tools, func(a, b Tools) int { return strings.Compare(a.Kind, b.Kind) })
	return a, nil
}

// wanted says what a member has to be, by the variable that takes it.
func wanted(into any) string {
	switch into.(type) {
	case *string:
		return "a string"
	case **bool:
		return "true or false"
	case *map[string]texts:
		return "an object of lists of strings"
	}
	return "a list of strings"
}

// tokens are the strings, comments, commas, numbers and words of a constant of jq.
const tokens = `"(?:[^"\\]|\\.)*"|#[^\n]*|,|[0-9.][0-9.eE+-]*|[A-Za-z_][A-Za-z0-9_]*`

// asJSON returns a text of constants of jq as JSON: its words get quotes, unless they are values, numbers
// are 0, comments go, and so does the comma behind the last member.
func asJSON(text string) string {
	var b strings.Builder
	end := 0
	for _, at := range regexp.MustCompile(tokens).FindAllStringIndex(text, -1) {
		b.WriteString(text[end:at[0]])
		token, rest := text[at[0]:at[1]], trimComments(text[at[1]:])
		switch isValue := token == "true" || token == "false" || token == "null"; {
		case token[0] == '#', token[0] == ',' && strings.HasPrefix(rest, "}"):
		case token[0] == ',':
			b.WriteByte(',')
		case token[0] == '"': // jq takes control characters in it
			for _, r := range token {
				if r < ' ' {
					fmt.Fprintf(&b, `\u%04x`, r)
				} else {
					b.WriteRune(r)
				}
			}
		case isValue && !strings.HasPrefix(rest, ":"):
			b.WriteString(token)
		case token[0] <= '9': // jq has other forms of numbers, and no member of ours is one
			b.WriteByte('0')
		default:
			b.WriteString(`"` + token + `"`)
		}
		end = at[1]
	}
	return b.String() + text[end:]
}

// trimComments returns a text without the space and the comments that it begins with.
func trimComments(text string) string {
	for {
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "#") {
			return text
		}
		_, text, _ = strings.Cut(text, "\n")
	}
}
