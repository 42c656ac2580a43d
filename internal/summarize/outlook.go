package summarize

import (
	"regexp"
	"strconv"
	"time"
)

// An outlook is what the words of a failed command say about another try.
type outlook struct {
	passing bool          // waiting helps: too many requests, an overloaded server
	lasting bool          // it does not: no key, no money, no such program
	after   time.Duration // how long to wait, if that was said
}

// Programs and providers have no common way to say it.
var (
	passingWords = regexp.MustCompile(`(?i)rate[\s_-]?limit|too many requests|\b(429|500|502|503|504|529)\b|overloaded|throttl` +
		`|internal server error|bad gateway|service unavailable|temporar|at capacity|try again later|please wait` +
		`|connection (reset|refused|error)|\bE(CONN|TIMEDOUT|AI_AGAIN)`)
	lastingWords = regexp.MustCompile(`(?im)\b(401|402|403)\b|unauthori[sz]ed|forbidden|authentication|not (logged|signed) in|please (log|sign) in` +
		`|(invalid|incorrect|missing|no) (\S+ )?(api[\s_-]?)?key|insufficient[\s_](quota|funds|credit)|current quota|credit balance|payment required` +
		`|command not found|: not found$|no such file or directory|model\b.{0,60}(not found|does not exist)|unknown (option|flag|model)`)
	afterWords = regexp.MustCompile(`(?i)(?:retry|try again|wait)[\s_-](?:after|in|for)["':\s]{1,4}([0-9]+(?:\.[0-9]+)?)\s?(ms|milliseconds?|s|seconds?|m|minutes?)?\b`)
)

func outlookOf(text string) outlook {
	var o outlook
	if m := afterWords.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseFloat(m[1], 64)
		unit := time.Second
		switch {
		case len(m[2]) > 1 && m[2][:2] == "ms", len(m[2]) > 2 && m[2][:3] == "mil":
			unit = time.Millisecond
		case m[2] != "" && (m[2][0] == 'm' || m[2][0] == 'M'):
			unit = time.Minute
		}
		o.after = time.Duration(min(n, 1e6) * float64(unit))
	}
	o.passing = o.after > 0 || passingWords.MatchString(text)
	o.lasting = o.after == 0 && lastingWords.MatchString(text)
	return o
}
