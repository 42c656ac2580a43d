package secret

// notHere begins no value: a variable, a placeholder, a call, what is redacted already.
const (
	value   = `[^\s"'` + "`" + `$<>(){}\[\],;\\|&*…]`
	edge    = `(?:[\s"'` + "`" + `,;)}\]\\|&]|$)`
	assigns = `["']?[ \t]*(?:=>|:=|=|:)[ \t]*["']?`
)

// ownRules are the rules that are not gitleaks': for what stands in transcripts of shells, and
// for keys that are newer than its rules.
var ownRules = []Rule{
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
			{Regexes: []string{`^[^0-9]+$`, `^[^A-Za-z]+$`, `^[./~@#%-]`, `(?i)^(?:string|str|int|uint|byte|bytes|utf)[0-9]`, `\w\.\w+\.\w`, `(?i)^sha\d`, `^\w+[:=]`}, Stopwords: []string{"example", "placeholder", "redacted", "your", "xxxx"}},
		},
	},
	{
		ID:       "bearer-header",
		Regex:    `(?i)\bauthorization["']?[ \t]*[:=][ \t]*["']?(?:bearer|token|basic|apikey)[ \t]+([a-z0-9._~+/=-]{16,})`,
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
}

// replaced is what stands where a secret was.
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
