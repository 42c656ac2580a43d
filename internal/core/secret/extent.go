package secret

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// A rule says how a secret is known, and not where it ends: makers lengthen their tokens and add parts to them, and what a scanner
// reports need not be all of it. So of a token that a built-in rule finds the whole run of its characters is the secret, and
// a token whose prefix nothing else has may have any length from that of the rule on.

// fixed are the rules whose secrets end where the expression does: keys of one length, of which a longer text is none, and private keys,
// which end in a line of their own. The id of a key of AWS stands in front of a slash in each signed request.
var fixed = map[string]bool{
	"aws-access-token": true, "gcp-api-key": true,
	"private-key": true, "private-key-part": true, "private-key-end": true, "ppk-private-key": true, "kubernetes-secret-yaml": true,
	GenericRule: true, EntropyRule: true, EmailRule: true,
}

// open are the rules whose tokens may be longer though no underscore stands in their prefix, and closed those whose prefix has one that
// names of variables have as well.
var (
	open = map[string]bool{
		"sendgrid-api-token": true, "pulumi-api-token": true, "xai-api-key": true, "nvidia-api-key": true, "openrouter-api-key": true,
		"perplexity-api-key": true, "context7-api-key": true, "tavily-api-key": true, "langfuse-secret-key": true, "sendinblue-api-token": true,
	}
	closed = map[string]bool{
		"short-prefix-key": true, "cursor-api-key": true, "hex-service-key": true, "authress-service-client-access-key": true,
	}
)

// parts are characters of tokens that their rules do not know of: what GitLab and GitHub append to a token behind a dot, and the base64
// behind the constant beginning of Bedrock's short-lived keys.
var parts = map[string]string{
	"gitlab-pat": ".", "gitlab-pat-routable": ".", "gitlab-ptt": ".", "gitlab-rrt": ".", "gitlab-cicd-job-token": ".", "gitlab-deploy-token": ".",
	"gitlab-feature-flag-client-token": ".", "gitlab-feed-token": ".", "gitlab-incoming-mail-token": ".", "gitlab-kubernetes-agent-token": ".",
	"gitlab-oauth-app-secret": ".", "gitlab-runner-authentication-token": ".", "gitlab-runner-authentication-token-routable": ".", "gitlab-scim-token": ".",
	"github-app-token":                       ".",
	"aws-amazon-bedrock-api-key-short-lived": "+/=",
}

// ofTokens are the characters of tokens of any kind.
const ofTokens = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// tail returns the characters that a secret of the rule may go on with: those of any token, and those that the expression has in a
// class. It is empty for a rule whose secrets end where the expression does.
func (r Rule) tail() (set bitset) {
	if fixed[r.ID] {
		return set
	}
	for _, c := range []byte(ofTokens + parts[r.ID]) {
		set.add(c)
	}
	if re, err := syntax.Parse(r.Regex, syntax.Perl); err == nil {
		addRepeated(re, &set)
	}
	return set
}

// addRepeated adds the signs that are characters of tokens and stand in a repeated class of an expression, if no white space is in it.
func addRepeated(re *syntax.Regexp, set *bitset) {
	switch re.Op {
	case syntax.OpRepeat, syntax.OpPlus, syntax.OpStar:
		if sub := re.Sub[0]; sub.Op == syntax.OpCharClass && !hasSpace(sub) {
			has := bytesOf(sub)
			for _, c := range []byte(".+/=~%") {
				if has.has(c) {
					set.add(c)
				}
			}
		}
	}
	for _, sub := range re.Sub {
		addRepeated(sub, set)
	}
}

// extended returns where a secret ends that a rule found up to a place of the layer: behind the characters of set that follow. A dot ends a
// sentence where none of them is behind it. Where something was taken out, another text may begin.
func (l *layer) extended(end int, set *bitset) int {
	if end == 0 || !set.has(l.text[end-1]) {
		return end
	}
	for end < len(l.text) && set.has(l.text[end]) && !l.seam(end) {
		if l.text[end] == '.' && (end+1 == len(l.text) || !set.has(l.text[end+1]) || l.text[end+1] == '.' || l.seam(end+1)) {
			break
		}
		end++
	}
	return end
}

// seam reports whether two texts meet at a place of the layer.
func (l *layer) seam(at int) bool {
	if len(l.seams) > 0 {
		if _, ok := slices.BinarySearch(l.seams, l.origin(Span{at - 1, at}).To); ok {
			return true
		}
	}
	n, ok := slices.BinarySearchFunc(l.segments, at, func(g segment, at int) int { return g.From - at })
	return ok && l.segments[n].To == at
}

// isOpen reports whether a token of the rule may have any length from that of its expression on.
func (r Rule) isOpen() bool {
	if open[r.ID] || closed[r.ID] {
		return open[r.ID]
	}
	re, err := syntax.Parse(r.Regex, syntax.Perl)
	if err != nil {
		return false
	}
	list := prefixes(re)
	return len(list) > 0 && !slices.ContainsFunc(list, func(s string) bool { return len(s) < 3 || !strings.Contains(s, "_") })
}

// prefixes returns the texts that all matches of an expression begin with, in lower case.
func prefixes(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpCapture:
		return prefixes(re.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			list := prefixes(sub)
			if len(list) == 0 {
				return nil
			}
			all = append(all, list...)
		}
		return all
	case syntax.OpConcat:
		list := []string{""}
		for _, sub := range re.Sub {
			more, ok := texts(sub)
			longer := product(list, more)
			if !ok || longer == nil {
				if len(list) == 1 && list[0] == "" {
					return prefixes(sub)
				}
				return list
			}
			list = longer
		}
		return list
	}
	list, _ := texts(re)
	return list
}
