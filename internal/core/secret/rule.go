package secret

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/lazy"
)

// A Rule says what one kind of secret looks like. It means what the same fields mean to
// gitleaks, of which most rules are.
type Rule struct {
	ID       string
	Regex    string   // RE2
	Keywords []string // in lower case; a text without any of them is not looked at
	Group    int      // of Regex: the secret; 0 is the first group that is not empty
	Entropy  float64  // in bits per character, which the secret has to exceed
	Allow    []Allow  // values that are no secrets
	As       string   // its replacement; "": a marker
	Source   string   // where its shape is documented, or the scanner that has it; "" for those of gitleaks and for forms

	builtIn bool // its secrets go on as far as their characters do
}

// An Allow says what looks like a secret and is none. One of its patterns is enough, or
// with All it takes one of Regexes and one of Stopwords.
type Allow struct {
	All       bool
	Target    string   // what Regexes are tried on: "match", "line", or the secret
	Regexes   []string // RE2
	Stopwords []string // in the secret, in any case
}

// A rule is a Rule that can be used. Its expression is compiled when a text has one of
// its keywords: to compile all takes longer than to read a session.
type rule struct {
	id      string
	regex   func() *regexp.Regexp
	loose   func() (re *regexp.Regexp, glued bool) // see loosened; nil: none
	group   int
	entropy float64
	allow   []*allow
	rank    int         // the smaller is the more specific
	whole   func() bool // the secret is all that matches
	as      string
	shape   func() shape
	tail    func() bitset // what the secret may go on with behind its match

	shapeless bool // any value beside a name is its secret
}

type allow struct {
	Allow
	regexes func() []*regexp.Regexp
	stop    []string
}

func (r Rule) compile(rank int) *rule {
	at := sync.OnceValue(func() shape { return shapeOf(r.Regex, r.Keywords) })
	return &rule{
		id: r.ID, group: r.Group, entropy: r.Entropy, rank: rank, allow: compileAllows(r.Allow), as: r.As,
		regex: lazy.Regexp(r.Regex),
		loose: sync.OnceValues(func() (*regexp.Regexp, bool) { return r.loose(at().near) }),
		shape: at,
		tail: sync.OnceValue(func() bitset {
			if !r.builtIn {
				return bitset{}
			}
			return r.tail()
		}),
		whole: sync.OnceValue(func() bool { return r.Group == 0 && partial(r.Regex) }),

		shapeless: strings.Contains(r.Regex, value),
	}
}

// loose returns the looser form of the expression. A rule has none that is not tried near its
// keywords only, or whose groups are parts of a secret.
func (r Rule) loose(near bool) (*regexp.Regexp, bool) {
	if !near || r.Group == 0 && partial(r.Regex) {
		return nil, false
	}
	expr, glued := loosened(r.Regex, r.builtIn && r.isOpen())
	if expr == "" {
		return nil, false
	}
	return regexp.MustCompile(expr), glued
}

func compileAllows(list []Allow) (out []*allow) {
	for _, a := range list {
		c := &allow{Allow: a}
		for _, word := range a.Stopwords {
			c.stop = append(c.stop, strings.ToLower(word))
		}
		c.regexes = sync.OnceValue(func() (out []*regexp.Regexp) {
			for _, r := range a.Regexes {
				out = append(out, regexp.MustCompile(r))
			}
			return out
		})
		out = append(out, c)
	}
	return out
}

// partial reports whether the groups of an expression are parts of a secret, and not what
// holds it: one that has a name or is repeated.
func partial(expr string) bool {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return false
	}
	var look func(re *syntax.Regexp, repeated bool) bool
	look = func(re *syntax.Regexp, repeated bool) bool {
		switch re.Op {
		case syntax.OpCapture:
			if repeated || re.Name != "" {
				return true
			}
		case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
			repeated = true
		}
		return slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return look(sub, repeated) })
	}
	return look(re, false)
}

// Check returns the error of a rule that cannot be used.
func (r Rule) Check() error {
	if r.ID == "" {
		return fmt.Errorf("a rule has no id")
	}
	re, err := regexp.Compile(r.Regex)
	switch {
	case err != nil:
		return fmt.Errorf("rule %s: %s", r.ID, fault(err))
	case r.Regex == "" || re.MatchString(""):
		return fmt.Errorf("rule %s: it matches the empty text", r.ID)
	case r.Group < 0 || r.Group > re.NumSubexp():
		return fmt.Errorf("rule %s: its expression has no group %d", r.ID, r.Group)
	}
	for _, a := range r.Allow {
		if err := a.Check(); err != nil {
			return fmt.Errorf("rule %s: %w", r.ID, err)
		}
	}
	return nil
}

// fault returns the reason why an expression cannot be used, without the expression, which may be a
// secret.
func fault(err error) string {
	var at *syntax.Error
	if errors.As(err, &at) {
		return "error parsing regexp: " + at.Code.String()
	}
	return "no regular expression"
}

// Check returns the error of an allowlist that cannot be used.
func (a Allow) Check() error {
	for _, r := range a.Regexes {
		if _, err := regexp.Compile(r); err != nil {
			return fmt.Errorf("allowlist: %s", fault(err))
		}
	}
	return nil
}

// find calls add for the secrets that the rule finds in a part of a text, with what matched.
func (r *rule) find(text string, in Span, global []*allow, add func(secret, match Span)) {
	r.findBy(r.regex(), text, in, global, func(Span) bool { return true }, add)
	if re, glued := r.loose(); re != nil {
		r.findBy(re, text, in, global, func(match Span) bool {
			first, _ := utf8.DecodeRuneInString(text[match.From:])
			if !glued || match.From == 0 || !wordRune(first) || !wordByte(text[match.From-1]) {
				return true
			}
			begin, ok := alone[r.id]
			return inWord(text, match.From) && (!ok || !strings.HasPrefix(text[match.From:match.To], begin))
		}, add)
	}
}

func wordByte(c byte) bool { return c < utf8.RuneSelf && wordRune(rune(c)) }

func wordRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
}

// findBy is find by one form of the expression, as far as a match is wanted.
func (r *rule) findBy(re *regexp.Regexp, text string, in Span, global []*allow, wanted func(match Span) bool, add func(secret, match Span)) {
	var around line
	for _, at := range re.FindAllStringIndex(text[in.From:in.To], -1) {
		from, to := in.From+at[0], in.From+at[1]
		for from < to && text[from] == '\n' {
			from++
		}
		for from < to && text[to-1] == '\n' {
			to--
		}
		match := text[from:to]
		a, b := r.secret(re, match)
		secret := match[a:b]
		if secret == "" || r.entropy != 0 && entropy(secret) <= r.entropy || !wanted(Span{from, to}) {
			continue
		}
		line := func() string { return around.of(text, from, to) }
		if allowed(global, secret, match, line) || allowed(r.allow, secret, match, line) {
			continue
		}
		if r.whole() {
			a, b = 0, len(match)
		}
		add(Span{from + a, from + b}, Span{from, to})
	}
}

// secret returns where in a match the secret stands. As with gitleaks the expression is
// tried again on the match alone.
func (r *rule) secret(re *regexp.Regexp, match string) (from, to int) {
	groups := re.FindStringSubmatchIndex(match)
	if r.group > 0 && 2*r.group < len(groups) && groups[2*r.group] >= 0 {
		return groups[2*r.group], groups[2*r.group+1]
	}
	for i := 2; r.group == 0 && i < len(groups); i += 2 {
		if groups[i] >= 0 && groups[i] < groups[i+1] {
			return groups[i], groups[i+1]
		}
	}
	return 0, len(match)
}

func allowed(list []*allow, secret, match string, line func() string) bool {
	return slices.ContainsFunc(list, func(a *allow) bool { return a.allows(secret, match, line) })
}

func (a *allow) allows(secret, match string, line func() string) bool {
	target := secret
	switch a.Target {
	case "match":
		target = match
	case "line":
		target = line()
	}
	byRegex := false
	for _, re := range a.regexes() {
		if re.MatchString(target) {
			byRegex = true
			break
		}
	}
	if byRegex && (!a.All || len(a.stop) == 0) {
		return true
	}
	if a.All && !byRegex && len(a.Regexes) > 0 || len(a.stop) == 0 {
		return false
	}
	lower := strings.ToLower(secret)
	return slices.ContainsFunc(a.stop, func(word string) bool { return strings.Contains(lower, word) })
}

// A line is what was found last of the lines that a match stands on: several may stand on a
// long one.
type line struct{ Span }

// of returns the lines that a match stands on.
func (l *line) of(text string, from, to int) string {
	if l.To == 0 || from < l.From || to > l.To {
		l.From, l.To = strings.LastIndexByte(text[:from], '\n')+1, len(text)
		if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
			l.To = to + end
		}
	}
	return text[l.From:l.To]
}

// entropy returns how much a character of a text says, in bits: Shannon's measure, over
// the length in bytes, as gitleaks takes it.
func entropy(text string) (bits float64) {
	if text == "" {
		return 0
	}
	count := map[rune]int{}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		count[r]++
		i += size
	}
	for _, n := range count {
		f := float64(n) / float64(len(text))
		bits -= f * math.Log2(f)
	}
	return bits
}

// notHere begins no value: a variable, a placeholder, a call, a marker of a redaction.
const (
	value   = `[^\s"'` + "`" + `$<>(){}\[\],;\\|&*…]`
	edge    = `(?:[\s"'` + "`" + `,;)}\]\\|&]|$)`
	assigns = `["']?[ \t]*(?:=>|:=|=|:)[ \t]*["']?`
)

// ownRules are the rules that gitleaks does not have: for transcripts of shells, and for keys that
// are newer than its rules.
var ownRules = func() []Rule {
	return []Rule{
		{
			ID:       "dsn-password",
			Regex:    `(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:@/"'<>]{0,64}:(` + value + `{3,256}?)@[a-z0-9_\[]`,
			Keywords: []string{"://"},
			Allow:    []Allow{{Regexes: []string{`(?i)^(?:pass(?:word)?|pwd|secret|token|xxx+|x-oauth-basic|\.\.\.|%[sv]|user|redacted)$`, `^[:/]`, `^[0-9]{1,5}/`}}},
		},
		{
			ID:       "env-secret",
			Regex:    `(?m)(?:^|[^A-Za-z0-9_])(?:export[ \t]+|set[ \t]+|declare -x[ \t]+|ENV[ \t]+)?[A-Z0-9_]*(?:(?:KEY|TOKEN|SECRET|PASS|PASSWD|PASSWORD|CREDENTIALS?|PASSPHRASE)|_(?:KEY|TOKEN|SECRET|PASSWORD)_[A-Z0-9]+)=["']?(` + value + `{12,512}?)` + edge,
			Keywords: []string{"key=", "token=", "secret=", "pass=", "passwd=", "password=", "credential=", "credentials=", "passphrase=", "_key_", "_token_", "_secret_", "_password_"},
			Entropy:  3,
			Allow:    []Allow{{Regexes: []string{`^[A-Za-z_./:-]+$`, `^[0-9.:-]+$`, `^(?:/|\.{1,2}/|~/|[A-Za-z]:\\|https?://|arn:|sha\d+:)`}}},
		},
		{
			ID:       "password-assignment",
			Regex:    `(?i)(?:^|[^a-z0-9])(?:[a-z0-9]{1,24}[_.-]|pg|db|root|admin|user|mysql)?(?:passw(?:or)?d|passphrase|pwd)` + assigns + `(` + value + `{8,128}?)` + edge,
			Keywords: []string{"passwd", "password", "passphrase", "pwd"},
			Entropy:  2.5,
			Allow: []Allow{
				{Regexes: []string{`^[^0-9]+$`, `^[^A-Za-z]+$`, `^[./~@#%-]`, `(?i)^(?:string|str|int|uint|byte|bytes|utf)[0-9]`, `\w\.\w+\.\w`, `(?i)^sha\d`, `^\w+[:=]`, `(?i)^(?:(?:my|test|new|old|user|admin|db|root|super)[_-]?)?(?:passw(?:or)?d|passphrase|pwd|pass)[0-9]{0,4}!?$`}, Stopwords: []string{"example", "placeholder", "redacted", "your", "xxxx"}},
			},
		},
		{
			ID:       "bearer-header",
			Regex:    `(?i)\bauthorization["']?[ \t]*[:=][ \t]*(?:[bfru]{0,2}["'])?(?:bearer|token|basic|apikey)[ \t]+([a-z0-9._~+/=-]{16,})`,
			Keywords: []string{"authorization"},
			Entropy:  3,
			Allow:    []Allow{{Regexes: []string{`(?i)^[a-z_./-]+$`}}},
		},
		{
			ID:       "cookie-session",
			Regex:    `(?i)\b(?:set-)?cookie["']?[ \t]*:[^\n]*?\b[a-z0-9_.-]{0,32}(?:sess(?:ion)?(?:_?id)?|sid|auth|token)=([a-z0-9._~%+/-]{16,})`,
			Keywords: []string{"cookie"},
			Entropy:  3,
			Allow:    []Allow{{Regexes: []string{`(?i)^[a-z_./-]+$`}}},
		},
		{
			ID:       "secret-flag",
			Regex:    `(?:^|\s)--?(?:passphrase|password|passwd|secret|token|api-key|apikey|access-key|secret-key|auth-token)(?:=|[ \t]+)["']?(` + value + `{8,512}?)` + edge,
			Keywords: []string{"-pass", "-secret", "-token", "-api", "-access", "-auth"},
			Entropy:  2.5,
			Allow:    []Allow{{Regexes: []string{`^[^0-9]+$`, `^[-./~@]`, `^[A-Z0-9_]+$`}}},
		},
		{
			ID:       "private-key-part", // its end is missing
			Regex:    `-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*(?:[A-Za-z-]{4,24}: [^\n]{0,200}\s+)*[A-Za-z0-9+/=]{32,}(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{20,})*(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{1,76}\s*$)?`,
			Keywords: []string{"-----begin"},
		},
		{ID: "aws-secret-access-key", Regex: `(?i)(?:aws_?secret_?(?:access_?)?key(?:_?id)?|secret_?access_?key)` + assigns + `([a-z0-9/+]{40})(?:[^a-z0-9/+=]|$)`, Keywords: []string{"aws", "secretaccess", "secret_access"}, Entropy: 3.5, Allow: []Allow{{Regexes: []string{`EXAMPLEKEY$`}}}},
		{ID: "xai-api-key", Regex: `\bxai-[A-Za-z0-9]{70,90}\b`, Keywords: []string{"xai-"}, Entropy: 3},
		{ID: "groq-api-key", Regex: `\bgsk_[A-Za-z0-9]{48,60}\b`, Keywords: []string{"gsk_"}, Entropy: 3},
		{ID: "openrouter-api-key", Regex: `\bsk-or-v1-[0-9a-f]{64}\b`, Keywords: []string{"sk-or-v1-"}, Entropy: 3},
		{ID: "anthropic-key", Regex: `\bsk-ant-[a-z0-9]{3,12}-[A-Za-z0-9_-]{80,120}`, Keywords: []string{"sk-ant-"}, Entropy: 3},
		{ID: "openai-key", Regex: `\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,200}`, Keywords: []string{"sk-proj-", "sk-svcacct-", "sk-admin-"}, Entropy: 3},
		// Keys of services that agents use, by the shapes that their makers document. Two hex shapes are common enough
		// elsewhere to need their length.
		{ID: "hex-service-key", Regex: `\b(?:sk-[0-9a-f]{32}|sk_[0-9a-f]{48}|fc-[0-9a-f]{32})\b`, Keywords: []string{"sk-", "sk_", "fc-"}, Entropy: 3},
		{ID: "moonshot-api-key", Regex: `\bsk-[A-Za-z0-9]{48}\b`, Keywords: []string{"sk-"}, Entropy: 4},
		{ID: "nvidia-api-key", Regex: `\bnvapi-[A-Za-z0-9_-]{60,70}`, Keywords: []string{"nvapi-"}, Entropy: 3},
		{ID: "tavily-api-key", Regex: `\btvly-(?:dev-|prod-)?[A-Za-z0-9]{24,40}\b`, Keywords: []string{"tvly-"}, Entropy: 3},
		{ID: "langsmith-api-key", Regex: `\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}\b`, Keywords: []string{"lsv2_"}, Entropy: 3},
		{ID: "docker-token", Regex: `\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{27,40}`, Keywords: []string{"dckr_"}, Entropy: 3},
		{ID: "cerebras-api-key", Regex: `\bcsk-[a-z0-9]{48}\b`, Keywords: []string{"csk-"}, Entropy: 3},
		{ID: "context7-api-key", Regex: `\bctx7sk-[0-9a-f-]{36}\b`, Keywords: []string{"ctx7sk-"}, Entropy: 3},
		{ID: "short-prefix-key", Regex: `\b(?:rnd_[A-Za-z0-9]{32}|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}|phx_[A-Za-z0-9]{40,50}|napi_[a-z0-9]{60,70}|fw_[A-Za-z0-9]{20,30})\b`, Keywords: []string{"rnd_", "re_", "phx_", "napi_", "fw_"}, Entropy: 3.5},
		{ID: "tailscale-key", Regex: `\btskey-(?:api|auth|client|scim|webhook)-[A-Za-z0-9]{6,24}CNTRL-[A-Za-z0-9]{16,48}\b`, Keywords: []string{"tskey-"}, Entropy: 3, Source: "tailscale.com/docs/reference/key-prefixes"},
		{ID: "cloudflare-token", Regex: `\bcf(?:ut|at|k)_[A-Za-z0-9]{48}`, Keywords: []string{"cfut_", "cfat_", "cfk_"}, Entropy: 3.5, Source: "developers.cloudflare.com/fundamentals/api/get-started/token-formats"},
		{ID: "jina-api-key", Regex: `\bjina_[A-Za-z0-9]{60}\b`, Keywords: []string{"jina_"}, Entropy: 3, Source: "Kingfisher, kingfisher.jina.1"},
		{ID: "buildkite-token", Regex: `\bbkua_[a-z0-9]{40}\b`, Keywords: []string{"bkua_"}, Entropy: 3, Source: "Kingfisher, kingfisher.buildkite.1; TruffleHog, buildkite"},
		{ID: "netlify-token", Regex: `\bnfp_[A-Za-z0-9]{36,48}\b`, Keywords: []string{"nfp_"}, Entropy: 3.3, Source: "Kingfisher, kingfisher.netlify.3"},
		{ID: "voyage-api-key", Regex: `\bpa-[A-Za-z0-9_-]{43}\b`, Keywords: []string{"pa-"}, Entropy: 4, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`, `^[^A-Z]+$`}}}, Source: "Kingfisher, kingfisher.voyageai.api_key"},
		{ID: "vercel-token", Regex: `\bvc[piark]_[A-Za-z0-9_-]{50}[A-Za-z0-9]{6}\b`, Keywords: []string{"vcp_", "vci_", "vca_", "vcr_", "vck_"}, Entropy: 3.5, Source: "vercel.com/changelog/new-token-formats-and-secret-scanning; Kingfisher, kingfisher.vercel.2"},
		{ID: "cursor-api-key", Regex: `\bkey_[a-z0-9]{64}\b`, Keywords: []string{"key_"}, Entropy: 3.5, Source: "Kingfisher, kingfisher.cursor.1"},
		{ID: "langfuse-secret-key", Regex: `\bsk-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`, Keywords: []string{"sk-lf-"}, Entropy: 3, Source: "Langfuse's generator of keys; Kingfisher, kingfisher.langfuse.1"},
		{ID: "slack-session", Regex: `\b(?:xoxd-[A-Za-z0-9%/\\+_-]{100,}={0,2}|xoxc-[0-9]{9,15}(?:-[0-9]{9,15}){2}-[0-9a-f]{64}\b)`, Keywords: []string{"xoxd-", "xoxc-"}, Entropy: 3.5, Source: "Kingfisher, kingfisher.slack.5 and 6"},
		{ID: "pgpass-password", Regex: `(?:^|[\s"'>|])(?:[A-Za-z0-9._*/-]|\\:){1,200}:(?:[0-9]{2,5}|\*):(?:[^\s:\\]|\\.){1,63}:(?:[^\s:\\]|\\.){1,63}:((?:\\[:\\]|` + value + `){4,128}?)` + edge, Keywords: []string{":5432:", ":5433:", ":5434:", ":6432:", ":6543:", ":*:"}, Allow: []Allow{{Regexes: []string{`(?i)^(?:pass(?:word)?|pwd|secret|x+)$`, `^:`}, Stopwords: sample}}, Source: "PostgreSQL's manual, The Password File"},
		{ID: "ppk-private-key", Regex: `Private-Lines:[ \t]*[0-9]{1,3}(?:\s|\\[nr])+((?:[A-Za-z0-9+/]{64}(?:\s|\\[nr])+)*(?:[A-Za-z0-9+/=]{1,64}(?:\s|\\[nr])+)?Private-MAC:[ \t]*[0-9a-f]{40,64}|[A-Za-z0-9+/=]{16,64}(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{16,64})*)`, Keywords: []string{"private-lines:"}, Source: "PuTTY's manual, appendix C"},
		{ID: "terraform-default", Regex: `(?i)\bvariable[ \t]+"[a-z0-9_-]{0,40}(?:passw(?:or)?d|passphrase|secret|token|api_?key|access_?key|private_?key)[a-z0-9_-]{0,16}"[ \t]*\{[^{}]{0,300}?\bdefault[ \t]*=[ \t]*"([^"\n$]{6,256})"`, Keywords: []string{`variable "`}, Entropy: 2.5, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`, `\s`}, Stopwords: sample}}, Source: "Terraform's manual, the block variable"},
		{ID: "mapbox-secret-token", Regex: `\bsk\.eyJ[A-Za-z0-9_-]{20,200}\.[A-Za-z0-9_-]{20,40}`, Keywords: []string{"sk.eyj"}, Entropy: 3},
		{ID: "copilot-token", Regex: `\btid=[0-9a-f]{32};[A-Za-z0-9_.;:=/-]{20,900}8kp=[^\s"']{1,100}`, Keywords: []string{"tid="}, Entropy: 3},
		{
			ID:       "connection-string",
			Regex:    `(?i);[ \t]*(?:password|pwd)[ \t]*=[ \t]*(?:\{((?:[^{}]|\}\})+)\}|([^\s;"'{]{6,128}))`,
			Keywords: []string{"password", "pwd"},
			Entropy:  2.5,
			Allow:    []Allow{{Regexes: []string{`^[^0-9]+$`, `^\$[({A-Za-z_]`, `^[*%<]`}, Stopwords: []string{"example", "placeholder", "redacted", "your", "xxxx"}}},
		},
		{
			ID:       "named-value", // {"key":"password","value":"…"}, the names on either side
			Regex:    `(?i)"(?:key|name)"[ \t]*:[ \t]*"[a-z0-9_.-]{0,32}(?:passw(?:or)?d|passphrase|secret|token|api_?key)"[ \t]*,[ \t]*"value"[ \t]*:[ \t]*"((?:[^"\\]|\\.){8,512})"`,
			Keywords: []string{"passwd", "password", "passphrase", "secret", "token", "apikey", "api_key"},
			Entropy:  2.5,
			Allow:    []Allow{{Regexes: []string{`^[^0-9]+$`, `^[$<{*%]`}, Stopwords: []string{"example", "placeholder", "redacted", "your", "xxxx"}}},
		},
		{ID: "otpauth-secret", Regex: `(?i)otpauth://[^\s"'<>]{1,300}?[?&]secret=([A-Z2-7]{16,128})`, Keywords: []string{"otpauth://"}, Entropy: 3},
	}
}

// replaced matches the markers that stand in the place of secrets.
var replaced = Allow{Regexes: []string{`^\[redacted:[a-z0-9:._-]{1,80}\](?:-[0-9]+)?$`, `^[A-Za-z0-9_-]{0,8}\*{3}$`}}

// Rules that are off unless they are asked for: they find too much.
const (
	GenericRule = "generic-api-key"
	EntropyRule = "high-entropy"
	EmailRule   = "email"
)

var (
	entropyRule = Rule{ID: EntropyRule, Regex: `(?:^|[^A-Za-z0-9+/=_-])([A-Za-z0-9+/_-]{24,}={0,2})`, Entropy: 4.5, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`, `^[0-9a-fA-F-]+$`, `^[/.~]`}}}}
	emailRule   = Rule{ID: EmailRule, Regex: `(?i)\b[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9](?:[a-z0-9-]{0,62}\.){1,8}[a-z]{2,24}\b`, Keywords: []string{"@"}}
)
