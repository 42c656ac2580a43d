package tty

import "unicode"

// OnRunner reports whether the environment tells of a runner that reads the output: of GitHub Actions (and Gitea and
// Forgejo, which set the same variable), Azure Pipelines, GitLab CI or TeamCity.
func OnRunner(lookup func(string) (string, bool)) bool {
	for _, name := range []string{"GITHUB_ACTIONS", "TF_BUILD", "GITLAB_CI", "TEAMCITY_VERSION"} {
		if v, _ := lookup(name); v != "" && v != "false" {
			return true
		}
	}
	return false
}

// A commands finds in a text the commands of a runner: "::" as the first thing on a line, and
// "##[", "##vso[" and the like anywhere. The zero commands stands at the beginning of a line.
//
// GitHub's runner looks for them as .NET compares texts by default, which passes over characters that are
// not seen; so those count as if they were not there.
type commands int

const (
	lineBegins commands = iota // nothing but blanks yet
	oneColon                   // which is the first thing on the line
	inLine
	oneHash
	twoHashes
	twoHashesAndWord
)

// ends goes on to a character, and reports whether a command begins with it.
func (c *commands) ends(r rune) bool {
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

// unseen reports whether a character takes no room in a text.
func unseen(r rune) bool {
	return r < ' ' || r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
