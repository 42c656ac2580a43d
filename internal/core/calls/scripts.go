package calls

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
)

// The tools of codex' code mode: one that runs a program in JavaScript, which can do nothing but call tools, and one that
// waits for it.
const (
	toolScript = "exec"
	toolWait   = "wait"
)

// program returns the program that a call runs in code mode, "" for any other call.
func (c *Call) program() (text string) {
	if _, own := Own(c.Name); own != toolScript {
		return ""
	}
	for name, v := range js.Value(c.Arguments).Members() {
		if name != "input" {
			return ""
		}
		text = v.Str()
	}
	return text
}

// Script reports whether a call runs a program in code mode, whose calls are beside it, see [Call.In].
func (c *Call) Script() bool { return c.program() != "" }

// How a program calls tools: by a member of an object, or in a way that does not say which.
var (
	calledTools = lazy.Regexp(`\btools\s*\.\s*([A-Za-z_$][\w$]*)\s*\(`)
	otherwise   = lazy.Regexp(`(?i)tools|\\u|\b(?:this|globalThis|eval|Function|constructor|import)\b`)
)

// called returns the tools that a program calls. More reports whether it may call others.
func called(program string) (tools []string, more bool) {
	rest := calledTools().ReplaceAllStringFunc(program, func(call string) string {
		if name := calledTools().FindStringSubmatch(call)[1]; !slices.Contains(tools, name) {
			tools = append(tools, name)
		}
		return "("
	})
	return tools, otherwise().MatchString(rest)
}

// unprefixed returns the name of a tool without the part that says whose it is: a program and the events of its
// calls may spell that otherwise.
func unprefixed(name string) string {
	_, own := Own(name)
	return own[strings.LastIndex(own, "__")+1:]
}

// named adds to the calls of each program those of tools that it calls and that nothing names: what these did is not recorded.
func named(all []Call) []Call {
	for i := 0; i < len(all); i++ {
		program := all[i].program()
		if program == "" || all[i].Outcome == Denied || all[i].In != "" {
			continue
		}
		within := map[string]bool{}
		last := i
		for j := i + 1; j < len(all); j++ {
			if all[j].In == all[i].ID {
				within[unprefixed(all[j].Name)] = true
				if j == last+1 {
					last = j
				}
			}
		}
		tools, more := called(program)
		var left []Call
		for _, name := range tools {
			if !within[unprefixed(name)] {
				c := Call{Kind: KindOf(name)}
				c.Name = name
				left = append(left, c)
			}
		}
		if more {
			left = append(left, Call{Kind: Other, Target: notRecorded})
		}
		for n := range left {
			left[n].Entry, left[n].Result, left[n].In = all[i].Entry, -1, all[i].ID
			left[n].Outcome, left[n].Unread, left[n].cwd = Open, true, all[i].cwd
		}
		all = slices.Insert(all, last+1, left...)
		i = last + len(left)
	}
	return all
}

// scriptEnds is how the tools of code mode tell how a program ended.
var scriptEnds = lazy.Regexp(`^Script (completed|failed|terminated)\n`)
