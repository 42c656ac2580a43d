package jqmap

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/itchyny/gojq"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/jq"
	"github.com/sess-tools/sess/internal/core/lazy"
)

//go:embed prelude.jq
var preludeText string

// entry is the one query of a program: gojq compiles all functions for every query.
const entry = `if $call == "value" then value elif $call == "info" then info else detect end`

var prelude = sync.OnceValue(func() []*gojq.FuncDef {
	q, err := gojq.Parse(preludeText)
	if err != nil {
		panic(err) // a test parses it
	}
	return q.FuncDefs
})

// A program is a compiled map. It serves one reader at a time, whose tree and texts the
// functions in Go ask.
type program struct {
	code *gojq.Code

	tree    *formats.Tree // nil unless a session is read
	line    jq.Origins    // of the value at hand
	state   map[string]any
	members map[string]*jq.Origins // of the members of the state
}

// variables are what a program is given beside its input, in this order.
var variables = []string{"$call", "$kind", "$state", "$info", "$name"}

// compile compiles the text of a map.
func compile(file, text string) (*program, error) {
	q, err := gojq.Parse(text)
	if err != nil {
		return nil, syntaxError(file, text, jq.Offset(text, err), err.Error())
	}
	run, err := gojq.Parse(entry)
	if err != nil {
		return nil, err
	}
	if q.Term != nil || q.Left != nil || len(q.Imports) > 0 {
		return nil, syntaxError(file, text, -1, "a map is a header and functions, nothing else")
	}
	run.FuncDefs = append(append([]*gojq.FuncDef{}, prelude()...), q.FuncDefs...)
	p := &program{}
	p.code, err = gojq.Compile(run, gojq.WithVariables(variables),
		gojq.WithFunction("parsed", 0, 0, func(v any, _ []any) any { return p.parsed(v) }),
		gojq.WithFunction("str", 0, 0, func(v any, _ []any) any { return p.str(v) }),
		gojq.WithFunction("hash", 1, 1, func(v any, args []any) any { return hash(v, args[0]) }),
		gojq.WithFunction("known", 1, 1, func(_ any, args []any) any { return p.known(args[0]) }),
		gojq.WithIterFunction("dataurl", 0, 0, func(v any, _ []any) gojq.Iter { return dataURL(v) }))
	if err != nil {
		return nil, syntaxError(file, text, named(text, err), err.Error())
	}
	return p, nil
}

var notDefined = lazy.Regexp(`(?:function|variable) not defined: \$?([\w:]+)`)

// named returns where in a map a name stands that is not defined, -1 for any other error.
func named(text string, err error) int {
	m := notDefined().FindStringSubmatch(err.Error())
	if m == nil {
		return -1
	}
	at := regexp.MustCompile(`\b` + regexp.QuoteMeta(m[1]) + `\b`).FindStringIndex(text)
	if at == nil {
		return -1
	}
	return at[0]
}

// run gives each result of one of the functions of a map to yield.
func (p *program) run(ctx context.Context, call, kind string, input, info any, name string, yield func(any) error) error {
	state := p.state
	if state == nil {
		state = map[string]any{}
	}
	results := p.code.RunWithContext(ctx, input, call, kind, state, info, name)
	for {
		v, ok := results.Next()
		if !ok {
			return nil
		}
		if err, ok := v.(error); ok {
			return &mapError{err}
		}
		if err := yield(v); err != nil {
			return err
		}
	}
}

// A mapError is an error of a map, rather than one of reading or writing.
type mapError struct{ err error }

func (e *mapError) Error() string {
	if halt, ok := errors.AsType[*gojq.HaltError](e.err); ok {
		return fmt.Sprintf("it halted: %v", halt.Value())
	}
	return e.err.Error()
}

// set changes a member of the state, and removes it for null.
func (p *program) set(name string, v any) {
	texts := &jq.Origins{}
	texts.Take(v, p.origins()...)
	if list, ok := v.([]any); ok {
		v = list[:len(list):len(list)] // a value that is appended to one list does not appear in another
	}
	p.change(name, v, texts)
}

// push appends to a list of the state. gojq has seen no more of it than its length.
func (p *program) push(name string, v any) {
	list, _ := p.state[name].([]any)
	texts := p.members[name]
	if texts == nil {
		texts = &jq.Origins{}
	}
	texts.Take(v, p.origins()...)
	p.change(name, append(list, v), texts)
}

// change changes a copy of the state: a map may hold the old one.
func (p *program) change(name string, v any, texts *jq.Origins) {
	state := make(map[string]any, len(p.state)+1)
	for name, member := range p.state {
		state[name] = member
	}
	if p.state = state; v == nil {
		delete(state, name)
		delete(p.members, name)
		return
	}
	state[name] = v
	if p.members == nil {
		p.members = map[string]*jq.Origins{}
	}
	p.members[name] = texts
}

// origins returns the tables of texts, that of the value first.
func (p *program) origins() []*jq.Origins {
	out := append(make([]*jq.Origins, 0, 1+len(p.members)), &p.line)
	for _, texts := range p.members {
		out = append(out, texts)
	}
	return out
}

// text returns the text of an object or array that is as it was decoded.
func (p *program) text(v any) (string, bool) {
	if text, ok := p.line.Text(v); ok {
		return text, true
	}
	for _, texts := range p.members {
		if text, ok := texts.Text(v); ok {
			return text, true
		}
	}
	return "", false
}

// parsed returns the value of a text that is JSON, null for anything else.
func (p *program) parsed(v any) any {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	out, err := p.line.Decode(formats.OneLine(strings.TrimSpace(text)))
	if err != nil {
		return nil
	}
	return out
}

// str returns a text as it is, and of anything else its JSON text.
func (p *program) str(v any) any {
	if text, ok := v.(string); ok {
		return text
	}
	return string(p.encode(nil, v))
}

func (p *program) known(v any) any {
	name, ok := v.(string)
	out := map[string]any{"node": false, "call": false, "answered": false}
	if ok && p.tree != nil && name != "" {
		out["node"], out["call"], out["answered"] = p.tree.Known(name)
	}
	return out
}

// hash returns the hash of a text by a function of [formats.Hash], null for anything else.
func hash(v, function any) any {
	text, ok := v.(string)
	name, _ := function.(string)
	if of := formats.Hash(name, text); ok && of != "" {
		return of
	}
	return nil
}

// dataURL returns the image of a data URL, or nothing.
func dataURL(v any) gojq.Iter {
	text, _ := v.(string)
	media, data, ok := api.DataURL(text)
	if !ok || !strings.HasPrefix(media, "image/") {
		return gojq.NewIter[any]()
	}
	return gojq.NewIter[any](map[string]any{"type": "image", "data": data, "mimeType": media})
}
