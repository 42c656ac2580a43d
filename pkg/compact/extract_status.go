package compact

import (
	"regexp"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

var (
	exitStatus = regexp.MustCompile(`(?i)\bexit(?:ed)?(?: with)?(?: code| status)?:? (-?\d{1,6})\b`)
	// statusLine is a line that has the status and nothing else.
	statusLine = regexp.MustCompile(`(?i)^\W{0,3}(?:(?:the )?(?:command|process) )?(?:exit(?:ed)?(?: with)?(?: code| status)?[:=]? (-?\d{1,6})|(aborted|timed out[\w ]{0,40}))\W{0,3}$`)
	noOutput   = regexp.MustCompile(`(?i)^\W{0,3}no output\W{0,3}$`)
)

// resultStatus says how a command ended.
func resultStatus(text string, failed bool) string {
	status, _ := outcome(text, failed)
	return status
}

// withoutStatus stands for the status of a failure that has none.
const withoutStatus = "failed"

// outcome says how a command ended, and whether that is bad. Results have no
// field for the exit status: agents write it at an end of the text, some without
// saying that anything failed.
func outcome(text string, failed bool) (status string, bad bool) {
	const near = 200 // bytes
	tail, head := text[max(0, len(text)-near):], text[:min(near, len(text))]
	for _, line := range []string{lastLine(tail), firstLine(head)} {
		if found := statusLine.FindStringSubmatch(clean(line)); found != nil {
			if found[2] != "" {
				return strings.ToLower(found[2]), true
			}
			return "exit status " + found[1], failed || found[1] != "0"
		}
	}
	if !failed {
		return "exit status 0", false
	}
	for _, end := range []string{tail, head} {
		if found := exitStatus.FindAllStringSubmatch(end, -1); len(found) > 0 {
			return "exit status " + found[len(found)-1][1], true
		}
	}
	return withoutStatus, true
}

// lastLine returns the last line of a text that is not blank.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

var (
	// errorWords mark a line as the one that tells what went wrong.
	errorWords = regexp.MustCompile(`(?i)error|fail|panic|fatal|exception|denied|not found|no such|cannot|unable to|` +
		`fehler|nicht gefunden|erreur|échec|introuvable|errore|\berro\b|fallo|ошибка|не найден|не удалось|错误|失败|エラー|失敗|오류|실패`)
	noErrors = regexp.MustCompile(`(?i)\b(?:no|0) (?:errors?|fail)|(?:error|fail)\w*[:=] ?0\b`)
	location = regexp.MustCompile(`[\w/]\.\w+[:(]\d+`) // a place in a file
)

// errorLine returns the first line that tells of an error, else the first with
// a place in a file, else the last. It returns "" if there is none but the
// status.
func errorLine(text string) string {
	place, last := "", ""
	for line := range strings.Lines(text) {
		if len(line) > 4*extractUnits {
			line = js.Head(line, 4*extractUnits)
		}
		if line = clean(line); line == "" || noOutput.MatchString(line) || statusLine.MatchString(line) {
			continue
		}
		last = line
		if errorWords.MatchString(line) && !noErrors.MatchString(line) {
			return line
		}
		if place == "" && location.MatchString(line) {
			place = line
		}
	}
	if place != "" {
		return place
	}
	return last
}
