package shell

import "slices"

// A Why says why a piece of a line may run what does not stand in it.
type Why string

// The reasons. Those up to [Bash] are of the shell itself: what such a piece does may change what a status says. Those behind it are of programs, which
// end with a status of their own.
const (
	NoLiteral   Why = "the program is no literal word"
	NoName      Why = "the program is no plain name"
	NoPlain     Why = "no plain command"
	Flag        Why = "a flag that is not known"
	Before      Why = "a word in front of a program is not known"
	Function    Why = "a function in the place of a program"
	Renamed     Why = "what a name means is changed"
	Options     Why = "options that are not known"
	Evaluated   Why = "a name that is evaluated"
	Arithmetic  Why = "arithmetic of a value that is not known"
	Again       Why = "a text that is read again"
	NoLine      Why = "a command line that is not literal"
	Reads       Why = "a shell that reads what it runs"
	Document    Why = "a here-document that shells may end elsewhere"
	Variable    Why = "a variable by which programs run others"
	Environment Why = "a value of the environment may be a command"
	Written     Why = "a script that the line writes"
	ManyWords   Why = "more words than are counted"
	OtherShell  Why = "a shell that is not read here"
	Typed       Why = "what is typed is edited by the shell"
	PowerWords  Why = "more than words of PowerShell"
	Bash        Why = "no command line that bash would read"

	Runs      Why = "a program that runs others"
	Language  Why = "a program of another language"
	Text      Why = "an argument of a program that is not known may be a command line"
	Word      Why = "a word of a program that is not known is not literal"
	Fed       Why = "a program that is not known reads what the line gives it"
	Given     Why = "a program that is not known is given the one that is meant"
	Unsure    Why = "a word of a program with flags that run others is not known"
	RunFlag   Why = "a flag that runs a program"
	Setting   Why = "a setting of git"
	GitWord   Why = "no command of git that is known"
	Address   Why = "an address that runs a program"
	Added     Why = "words that are read may be a command"
	Script    Why = "the script is not known"
	LaterFile Why = "a file that another program runs"
	Sed       Why = "a program of sed that is not read"
	Awk       Why = "a program of awk that is not read"
)

// ofPrograms are the reasons that say nothing of the shell.
var ofPrograms = []Why{Runs, Language, Text, Word, Fed, Given, Unsure, RunFlag, Setting, GitWord, Address, Added, Script, LaterFile, Sed, Awk}

// A Piece is a part of a line that may run what does not stand in it.
type Piece struct {
	Why  Why
	Text string
}

// maxPieces is how many pieces of a line are told.
const maxPieces = 20

// hide notes a piece. It returns true, as a hidden piece is no error.
func (r *reader) hide(why Why, text string) bool {
	r.Hide(why, text)
	return true
}

// Hide notes a piece that may run more than the commands. A line without any is plain.
func (s *Simple) Hide(why Why, text string) {
	s.Opaque, s.Unsure = true, s.Unsure || !slices.Contains(ofPrograms, why)
	if len(s.Hidden) < maxPieces {
		s.Hidden = append(s.Hidden, Piece{why, text})
	}
}
