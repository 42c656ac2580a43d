// Package runner knows the runners of CI that read the output of a job, and the commands that they find in it.
package runner

import "unicode"

// ReadsOutput reports whether the environment tells of a runner that reads the output: of GitHub Actions (and Gitea and
// Forgejo, which set the same variable), Azure Pipelines, GitLab CI or TeamCity.
func ReadsOutput(lookup func(string) (string, bool)) bool {
	for _, name := range []string{"GITHUB_ACTIONS", "TF_BUILD", "GITLAB_CI", "TEAMCITY_VERSION"} {
		if v, _ := lookup(name); v != "" && v != "false" {
			return true
		}
	}
	return false
}

// Commands finds in a text the commands of a runner: "::" as the first thing on a line, and
// "##[", "##vso[" and the like anywhere. It is the state behind the characters so far; the zero Commands is that at the
// beginning of a line.
//
// GitHub's runner looks for them as .NET compares texts by default, which passes over characters that are
// not seen; so those count as if they were not there.
type Commands int

const (
	lineBegins Commands = iota // nothing but blanks yet
	oneColon                   // which is the first thing on the line
	inLine
	oneHash
	twoHashes
	twoHashesAndWord
)

// Ends takes the next character, and reports whether it is the last of those by which a command is known.
func (c *Commands) Ends(r rune) bool {
	if *c == inLine && r != '#' && r != '\n' && r != '\r' { // most characters of most texts
		return false
	}
	was := *c
	*c = inLine
	switch {
	case r == '\n' || r == '\r':
		*c = lineBegins
	case was == lineBegins && unicode.IsSpace(r), was != inLine && unseen(r):
		*c = was
	case r == ':' && was == lineBegins:
		*c = oneColon
	case r == ':':
		return was == oneColon
	case r == '#' && (was == oneHash || was == twoHashes):
		*c = twoHashes
	case r == '#':
		*c = oneHash
	case r == '[':
		return was >= twoHashes
	case was >= twoHashes && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'):
		*c = twoHashesAndWord
	}
	return false
}

// Break goes on behind a character that is shown as another text: no command begins across it.
func (c *Commands) Break() { *c = inLine }

// unseen reports whether a character takes no room in a text.
func unseen(r rune) bool {
	return r < ' ' || r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
