// Package findings writes what a gate found in the forms that other programs show: annotations of GitHub, SARIF and
// JUnit.
package findings

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// A Finding is something that a gate found.
type Finding struct {
	Session string // what people call the session
	File    string // where its file is, which programs open
	Line    int    // in the file, from 1; 0 is not known
	Rule    string // what it breaks
	Message string // what it is and where, in a line
}

var (
	commandData  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandValue = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub returns a finding as an annotation: docs.github.com, workflow commands.
func GitHub(f Finding) string {
	return fmt.Sprintf("::error file=%s,line=%d,title=%s::%s\n", commandValue.Replace(f.Session), f.Line, commandValue.Replace(f.Rule), commandData.Replace(f.Message))
}

// A SARIF is one run of a tool, in SARIF 2.1.0.
type SARIF struct {
	Tool    string
	Version string // of what it looks with, "" for none
	Failed  string // why not all was looked at, "" if it was

	results []any
	rules   map[string]string
}

type object = map[string]any

// Add adds a finding. rule says what its rule is about.
func (s *SARIF) Add(f Finding, rule string) {
	if s.rules == nil {
		s.rules = map[string]string{}
	}
	s.rules[f.Rule] = rule
	s.results = append(s.results, object{
		"ruleId": f.Rule, "level": "error",
		"message": object{"text": f.Message},
		"locations": []any{object{"physicalLocation": object{
			"artifactLocation": object{"uri": (&url.URL{Path: f.File}).String()}, "region": object{"startLine": max(f.Line, 1)},
		}}},
	})
}

// String returns the run.
func (s *SARIF) String() string {
	rules := []any{}
	for _, id := range slices.Sorted(maps.Keys(s.rules)) {
		rules = append(rules, object{"id": id, "shortDescription": object{"text": s.rules[id]}})
	}
	driver := object{"name": s.Tool, "rules": rules}
	if s.Version != "" {
		driver["semanticVersion"] = s.Version
	}
	run := object{"tool": object{"driver": driver}, "results": append([]any{}, s.results...)}
	if s.Failed != "" {
		run["invocations"] = []any{object{"executionSuccessful": false, "toolExecutionNotifications": []any{
			object{"level": "error", "message": object{"text": s.Failed}},
		}}}
	}
	b, err := json.Marshal(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []any{run}})
	if err != nil {
		panic(err) // of strings and maps only
	}
	return string(b)
}

// A JUnit is what JUnit's Ant task writes, as CI systems read it: a case for each gate and session.
type JUnit struct {
	Tool  string
	cases []junitCase
}

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

// Add adds what became of a gate in a session. Without findings it holds.
func (j *JUnit) Add(session, gate string, findings []string) {
	c := junitCase{Session: session, Gate: gate}
	if len(findings) > 0 {
		c.Failure = &junitText{findings[0], strings.Join(findings, "\n")}
	}
	j.cases = append(j.cases, c)
}

// Fail adds a case that says why not all was looked at.
func (j *JUnit) Fail(why string) {
	j.cases = append(j.cases, junitCase{Session: j.Tool, Gate: "read all sessions", Error: &junitText{Message: why}})
}

// String returns the cases.
func (j *JUnit) String() string {
	type suite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	s := suite{Name: j.Tool, Tests: len(j.cases), Cases: j.cases}
	for _, c := range j.cases {
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
