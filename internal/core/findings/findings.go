// Package findings prints what a gate found: as text, as rows, and in the forms that other programs show: annotations of
// GitHub, SARIF and JUnit.
package findings

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/tty"
)

// A Finding is something that a gate found, for other programs.
type Finding struct {
	Session string // what people call the session
	File    string // where its file is, which programs open
	Line    int    // in the file, from 1; 0 is not known
	Rule    string // the rule that it breaks
	About   string // what the rule is about
	Message string // the finding and its place, in a line
}

// A Form is how findings are printed.
type Form int

// The forms.
const (
	Lines Form = iota // for people
	Rows              // of JSON
	GitHub
	Sarif
	Junit
)

// A Shown is a finding as a gate prints it.
type Shown interface {
	Line() string // for people, without a line feed
	Row() string
}

// A Reported finding is printed for other programs as well.
type Reported interface {
	Shown
	Report() Finding
}

// A Printer prints the findings of a gate in one form.
type Printer struct {
	Form
	Out     io.Writer
	Tool    string
	Version string // of the rules, "" for none

	sarif sarif
	junit junit
}

// Print prints a finding, or keeps it for the end. For GitHub and SARIF it has to be a [Reported] one.
func (p *Printer) Print(f Shown) (err error) {
	switch p.Form {
	case Lines:
		_, err = fmt.Fprintln(p.Out, f.Line())
	case Rows:
		_, err = fmt.Fprintln(p.Out, f.Row())
	case GitHub:
		_, err = fmt.Fprintln(p.Out, report(f).Annotation())
	case Sarif:
		f := report(f)
		if p.sarif.rules == nil {
			p.sarif.rules = map[string]string{}
		}
		p.sarif.rules[f.Rule] = f.About
		p.sarif.results = append(p.sarif.results, object{
			"ruleId": f.Rule, "level": "error",
			"message": object{"text": f.Message},
			"locations": []any{object{"physicalLocation": object{
				"artifactLocation": object{"uri": (&url.URL{Path: f.File}).String()}, "region": object{"startLine": max(f.Line, 1)},
			}}},
		})
	}
	return err
}

// report returns a finding in which no text acts on a terminal. Its file keeps its name, which is an address in SARIF.
func report(shown Shown) Finding {
	return shown.(Reported).Report().clean()
}

func (f Finding) clean() Finding {
	for _, text := range []*string{&f.Session, &f.Rule, &f.About, &f.Message} {
		*text = tty.CleanLines(*text)
	}
	return f
}

// Annotation is the finding as a line of a job of GitHub Actions that annotates the run: docs.github.com, workflow commands.
func (f Finding) Annotation() string {
	f, place := f.clean(), ""
	if f.Session != "" {
		place = fmt.Sprintf("file=%s,line=%d,", commandValue.Replace(f.Session), f.Line)
	}
	return "::error " + place + "title=" + commandValue.Replace(f.Rule) + "::" + commandData.Replace(f.Message)
}

// Case takes note of what a gate found in a session, for JUnit, which has those that hold as well.
func (p *Printer) Case(session, gate string, found []string) {
	if p.Form != Junit {
		return
	}
	c := junitCase{Session: tty.Clean(session), Gate: tty.Clean(gate)}
	if len(found) > 0 {
		c.Failure = &junitText{tty.Clean(found[0]), tty.CleanLines(strings.Join(found, "\n"))}
	}
	p.junit = append(p.junit, c)
}

// End prints the end of a report, behind all findings. total is the row of all, and failed the reason why not all was
// looked at.
func (p *Printer) End(total func() string, failed error) (err error) {
	switch p.Form {
	case Rows:
		_, err = fmt.Fprintln(p.Out, total())
	case Sarif:
		_, err = fmt.Fprintln(p.Out, p.sarif.text(p.Tool, p.Version, failed))
	case Junit:
		_, err = fmt.Fprintln(p.Out, p.junit.text(p.Tool, failed))
	}
	return err
}

var (
	commandData  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandValue = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// A sarif is one run of a tool, in SARIF 2.1.0.
type sarif struct {
	results []any
	rules   map[string]string
}

type object = map[string]any

func (s *sarif) text(tool, version string, failed error) string {
	rules := []any{}
	for _, id := range slices.Sorted(maps.Keys(s.rules)) {
		rules = append(rules, object{"id": id, "shortDescription": object{"text": s.rules[id]}})
	}
	driver := object{"name": tool, "rules": rules}
	if version != "" {
		driver["semanticVersion"] = version
	}
	run := object{"tool": object{"driver": driver}, "results": append([]any{}, s.results...)}
	if failed != nil {
		run["invocations"] = []any{object{"executionSuccessful": false, "toolExecutionNotifications": []any{
			object{"level": "error", "message": object{"text": tty.CleanLines(failed.Error())}},
		}}}
	}
	b, err := json.Marshal(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []any{run}})
	if err != nil {
		panic(err) // of strings and maps only
	}
	return string(b)
}

// A junit is what JUnit's Ant task writes, as CI systems read it: a case for each gate and session.
type junit []junitCase

type junitCase struct {
	Session string     `xml:"classname,attr"`
	Gate    string     `xml:"name,attr"`
	Failure *junitText `xml:"failure"`
	Error   *junitText `xml:"error"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// text returns the cases. If not all was looked at, one more case says so.
func (j *junit) text(tool string, failed error) string {
	if failed != nil {
		*j = append(*j, junitCase{Session: tool, Gate: "read all sessions", Error: &junitText{Message: tty.CleanLines(failed.Error())}})
	}
	s := struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}{Name: tool, Tests: len(*j), Cases: *j}
	for _, c := range *j {
		if c.Failure != nil {
			s.Failures++
		}
		if c.Error != nil {
			s.Errors++
		}
	}
	b, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // of strings and numbers only
	}
	return xml.Header + string(b)
}
