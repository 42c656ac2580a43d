package e2e

import (
	"strings"
	"testing"
)

// What the tools write at the beginning of a session is gone from the context
// after two compactions, and comes back when sess-path is told to.
func TestReinjectInitialContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "system", "you are a builder\n")
	write(t, dir, "summary", "## Goal\n- what was said\n")
	script(t, dir, `
sess-new --system system --task 'build it' > s.jsonl
sess-append -r custom --custom-type initial-context -t 'sign your commits' s.jsonl > ids
sess-append -r custom --custom-type rules --set-json 'details={"initialContext":true}' -t 'no tabs' s.jsonl >> ids
sess-append -r custom --custom-type rules -t 'of no account' s.jsonl >> ids
for round in 1 2; do
	for n in 1 2 3 4 5 6 7 8; do
		sess-append -t "round $round question $n: $(printf '%0200d' 0)" s.jsonl >> ids
		sess-append -r assistant -t "round $round answer $n: $(printf '%0200d' 0)" s.jsonl >> ids
	done
	sess-compact --keep 60 --summary summary s.jsonl >> ids
done
sess-append -t 'go on' s.jsonl >> ids
`)
	before := readFile(t, dir+"/s.jsonl")
	roles := `map(.role + " " + (if .content | type == "string" then .content else .content[0].text end) | split("\n")[0][:25]) | join(", ")`
	rest := "user round 2 question 8: , assistant round 2 answer "
	brought := "user build it, user sign your commits, user no tabs"
	for _, c := range []struct{ flags, want string }{
		{"", "SUMMARY, REST, user go on"},
		{"--with-system", "system you are a builder, SUMMARY, REST, user go on"},
		{"--reinject after-summary", "SUMMARY, BROUGHT, REST, user go on"},
		{"--reinject before-last-user --with-system", "system you are a builder, SUMMARY, REST, BROUGHT, user go on"},
	} {
		got := strings.TrimSpace(script(t, dir, "sess-path --as openai --jq '"+roles+"' "+c.flags+" s.jsonl"))
		want := `"` + strings.NewReplacer("REST", rest, "BROUGHT", brought, "SUMMARY", "user The conversation his").Replace(c.want) + `"`
		if got != want {
			t.Errorf("%s:\n%s, want\n%s", c.flags, got, want)
		}
	}
	if readFile(t, dir+"/s.jsonl") != before {
		t.Error("the session changed")
	}
}
