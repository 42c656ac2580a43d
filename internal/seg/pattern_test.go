package seg

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The hand-written patterns are the regular expressions of the contract.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern string
		is      func(string) bool
	}{
		{`^[A-Za-z0-9_-]{1,128}$`, isEntryID},
		{`^[A-Za-z0-9._:-]{8,128}$`, isCorrelation},
		{`^[0-9a-f]{64}$`, hex64},
		{`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`, isUUID},
	} {
		pattern, is := tt.pattern, tt.is
		re := regexp.MustCompile(pattern)
		same := func(t rapid.TB, s string) {
			if is(s) != re.MatchString(s) {
				t.Errorf("%q: %v, and %s says %v", s, is(s), pattern, re.MatchString(s))
			}
		}
		for _, n := range []int{0, 1, 7, 8, 63, 64, 65, 127, 128, 129} {
			same(t, strings.Repeat("a", n))
		}
		for c := range 256 {
			same(t, "f4c03c8c-cf0a-4c90-9535-e95f2d02b39"+string([]byte{byte(c)}))
			same(t, strings.Repeat("0", 63)+string([]byte{byte(c)}))
		}
		rapid.Check(t, func(t *rapid.T) { same(t, rapid.StringMatching(strings.Trim(pattern, "^$")).Draw(t, "good")) })
		rapid.Check(t, func(t *rapid.T) {
			s := []byte(rapid.StringMatching(strings.Trim(pattern, "^$")).Draw(t, "good"))
			s[rapid.IntRange(0, len(s)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
			same(t, string(s))
		})
	}
}
