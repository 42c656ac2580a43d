package command

import (
	"testing"
	"time"
)

// TestOutlook has the words of programs and providers, and words of the same kind
// that mean something else.
func TestOutlook(t *testing.T) {
	t.Parallel()
	const s = time.Second
	passing := func(after time.Duration) outlook { return outlook{passing: true, after: after} }
	lasting := outlook{lasting: true}
	for text, want := range map[string]outlook{
		"Rate limit exceeded":                                             passing(0),
		"API Error: 429 {\"type\":\"rate_limit_error\"}":                  passing(0),
		"ERROR: exceeded retry limit, last status: 429 Too Many Requests": passing(0),
		"API Error: 529 Overloaded":                                       passing(0),
		"API Error: 500 Internal server error":                            passing(0),
		"fetch failed: ECONNRESET":                                        passing(0),
		"Rate limit reached. Please try again in 6.5s.":                   passing(6500 * time.Millisecond),
		"Please try again in 350ms":                                       passing(350 * time.Millisecond),
		"You exceeded your current quota. Please retry in 20s.":           passing(20 * s),
		"retry-after: 12":                                                 passing(12 * s),
		`{"retry_after": "2 minutes"}`:                                    passing(2 * time.Minute),
		"401 invalid x-api-key":                                           lasting,
		"ERROR: unexpected status 401 Unauthorized":                       lasting,
		"Invalid API key":                                                 lasting,
		"Error: Incorrect API key provided":                               lasting,
		"sh: 1: nosuch: not found":                                        lasting,
		"bash: nosuch: command not found":                                 lasting,
		"model 'nosuch' not found":                                        lasting,
		"You exceeded your current quota, please check your plan":         lasting,
		"Your credit balance is too low":                                  lasting,
		"It loops: retry 3 times":                                         {},
		"boom":                                                            {},
		"":                                                                {},
	} {
		if got := outlookOf(text); got.after != want.after || got.passing != want.passing || got.lasting != want.lasting {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
