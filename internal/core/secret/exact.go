package secret

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	ahocorasick "github.com/BobuSumisu/aho-corasick"

	"github.com/sess-tools/sess/pkg/js"
)

// MinExact is how long an exact value has to be, in bytes: shorter ones are words.
const MinExact = 8

// exact finds values that are known.
type exact struct {
	trie  *ahocorasick.Trie
	forms []form
}

// A form is one way to write a known value.
type form struct {
	text    string
	name    string // of the value
	base64  bool   // it is only a part of what holds the value
	hexed   bool
	decoded encodings
}

// compileExact returns what finds values by their names.
func compileExact(values []Value) (*exact, error) {
	x := &exact{}
	seen := map[string]bool{}
	add := func(f form) {
		if len(f.text) >= MinExact && !seen[f.text] {
			seen[f.text] = true
			x.forms = append(x.forms, f)
		}
	}
	for _, v := range values {
		if len(v.Text) < MinExact {
			return nil, fmt.Errorf("%s has %d bytes: a secret that is looked for has at least %d", v.Name, len(v.Text), MinExact)
		}
		add(form{text: v.Text, name: v.Name})
		for shift := range 3 {
			core := base64Core(v.Text, shift)
			add(form{text: core, name: v.Name, base64: true, decoded: inBase64})
			add(form{text: strings.NewReplacer("+", "-", "/", "_").Replace(core), name: v.Name, base64: true, decoded: inBase64})
		}
		digits := hex.EncodeToString([]byte(v.Text))
		add(form{text: digits, name: v.Name, hexed: true, decoded: inHex})
		add(form{text: strings.ToUpper(digits), name: v.Name, hexed: true, decoded: inHex})
		quoted := js.Quote(v.Text)
		for _, t := range []string{url.QueryEscape(v.Text), url.PathEscape(v.Text), allPercent(v.Text)} {
			add(form{text: t, name: v.Name, decoded: inPercent})
			add(form{text: strings.ToLower(t), name: v.Name, decoded: inPercent})
		}
		add(form{text: quoted[1 : len(quoted)-1], name: v.Name, decoded: inEscapes})
	}
	if len(x.forms) == 0 {
		return nil, nil
	}
	b := ahocorasick.NewTrieBuilder()
	for _, f := range x.forms {
		b.AddString(f.text)
	}
	x.trie = b.Build()
	return x, nil
}

// base64Core returns what the base64 of every text has in which the value stands at
// 3n+shift bytes: the characters that depend on nothing else.
func base64Core(value string, shift int) string {
	whole := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
	from := (shift*8 + 5) / 6
	to := (shift + len(value)) * 8 / 6
	return whole[from:to]
}

func allPercent(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// find calls add for each value in a text, with the whole run where it is a part of one.
func (x *exact) find(text string, add func(s Span, name string, e encodings)) {
	x.trie.Walk([]byte(text), func(end, n, pattern int64) bool {
		f := x.forms[pattern]
		s := Span{int(end-n) + 1, int(end) + 1}
		kind := byte(0)
		switch {
		case f.base64:
			kind = isWord
		case f.hexed:
			kind = isHex
		}
		for kind != 0 && s.From > 0 && class[text[s.From-1]]&kind != 0 {
			s.From--
		}
		for kind != 0 && s.To < len(text) && class[text[s.To]]&kind != 0 {
			s.To++
		}
		if f.base64 {
			s.To = skipPadding(text, s.To)
		}
		add(s, f.name, f.decoded)
		return true
	})
}

// word is a value on a command line, and what ends it.
const (
	word   = `["']?(` + value + `{4,128}?)` + edge
	quoted = `(?:"([^"\n$<{]{8,128})"|'([^'\n$<{]{8,128})')`
)

// sample are parts of values that stand in examples.
var sample = []string{"example", "placeholder", "redacted", "your", "xxxx", "dummy", "changeme", "insert", "sample", "1234567890", "abcdefgh"}

// assigned are values of variables that are no secrets: words, numbers, places.
var assigned = []Allow{{Regexes: []string{`^[A-Za-z_./:-]+$`, `^[0-9.:-]+$`, `^(?:/|\.{1,2}/|~/|[A-Za-z]:\\|https?://|arn:|sha\d+:)`, `^[A-Za-z_]\w*\.[A-Za-z_]\w*$`}}}

// variable is the end of the name of a variable of make and what assigns to it, and variables are all texts that it matches.
const variable = `(?:KEY|TOKEN|SECRET|PASS|PASSWD|PASSWORD|CREDENTIALS|PASSPHRASE)(?: ?:=| ?\?=| =)`

var variables = func() (list []string) {
	for _, name := range []string{"key", "token", "secret", "pass", "passwd", "password", "credentials", "passphrase"} {
		for _, sign := range []string{":=", " :=", "?=", " ?=", " ="} {
			list = append(list, name+sign)
		}
	}
	return list
}()

// formRules are the rules for secrets that are named as such, or have a known form, and for which
// gitleaks has no rule.
var formRules = func() []Rule {
	return []Rule{
		// Clouds.
		{ID: "aws-session-token", Regex: `(?i)(?:aws_?)?session_?token` + assigns + `([a-z0-9/+=]{100,})`, Keywords: []string{"sessiontoken", "session_token"}, Entropy: 4},
		{ID: "azure-account-key", Regex: `(?i)\b(?:account|shared_?access|shared_?secret)_?key["']?[ \t]*[=:][ \t]*["']?([a-z0-9+/]{42,87}={0,2})`, Keywords: []string{"accountkey", "account_key", "sharedaccesskey", "shared_access", "sharedaccess_key", "shared_secret", "sharedsecret"}, Entropy: 4},
		{ID: "azure-sas", Regex: `(?i)[?&;]sig=([a-z0-9%+/_-]{40,120}={0,2})`, Keywords: []string{"sig="}, Entropy: 4},
		{ID: "azure-devops-pat", Regex: `(?i)(?:azure|devops|vsts|\bpat)[^\n]{0,60}?[^a-z0-9](?-i:([a-z2-7]{52}))(?:[^a-z0-9]|$)`, Keywords: []string{"azure", "devops", "vsts", "pat"}, Entropy: 3.8, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`}}}},
		{ID: "azure-devops-token", Regex: `\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b`, Keywords: []string{"azdo"}, Entropy: 3.5},
		{ID: "google-oauth-secret", Regex: `\b(GOCSPX-[A-Za-z0-9_-]{28})`, Keywords: []string{"gocspx-"}, Entropy: 3},
		{ID: "google-access-token", Regex: `\b(ya29\.[A-Za-z0-9._-]{20,})`, Keywords: []string{"ya29."}, Entropy: 3},
		{ID: "google-refresh-token", Regex: `\b(1//0[A-Za-z0-9_-]{40,200})`, Keywords: []string{"1//0"}, Entropy: 3.5},
		// Services.
		{ID: "stripe-webhook-secret", Regex: `\b(whsec_[A-Za-z0-9+/]{24,128}={0,2})`, Keywords: []string{"whsec_"}, Entropy: 3},
		{ID: "replicate-api-token", Regex: `\b(r8_[A-Za-z0-9]{37})\b`, Keywords: []string{"r8_"}, Entropy: 3},
		{ID: "figma-token", Regex: `\b(fig[dou]_[A-Za-z0-9_-]{40,64})`, Keywords: []string{"figd_", "figo_", "figu_"}, Entropy: 3},
		{ID: "supabase-token", Regex: `\b(sbp_[a-f0-9]{40})\b`, Keywords: []string{"sbp_"}, Entropy: 3},
		{ID: "supabase-secret-key", Regex: `\b(sb_secret_[A-Za-z0-9_-]{20,80})`, Keywords: []string{"sb_secret_"}, Entropy: 3},
		{ID: "new-relic-key", Regex: `\b(NRAK-[A-Z0-9]{27})\b`, Keywords: []string{"nrak-"}, Entropy: 3},
		{ID: "new-relic-rest-key", Regex: `\b(NRRA-[a-f0-9]{42})\b`, Keywords: []string{"nrra-"}, Entropy: 3},
		{ID: "new-relic-insights-key", Regex: `\b(NRI[IQ]-[A-Za-z0-9_-]{32})`, Keywords: []string{"nrii-", "nriq-"}, Entropy: 3},
		{ID: "mailgun-key", Regex: `\b(key-[a-f0-9]{32})\b`, Keywords: []string{"key-"}, Entropy: 3},
		{ID: "mailgun-api-key", Regex: `(?i)mailgun[^\n]{0,60}?[^a-z0-9]([a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8})(?:[^a-z0-9]|$)`, Keywords: []string{"mailgun"}, Entropy: 3},
		{ID: "mailchimp-key", Regex: `\b([a-f0-9]{32}-us[0-9]{1,2})\b`, Keywords: []string{"-us"}, Entropy: 3},
		{ID: "sentry-dsn", Regex: `https://([a-f0-9]{32}(?::[a-f0-9]{32})?)@[a-z0-9.-]{0,80}sentry`, Keywords: []string{"sentry"}, Entropy: 3},
		{ID: "sentry-token", Regex: `\b(sntry[us]_[A-Za-z0-9+/=_-]{40,})`, Keywords: []string{"sntryu_", "sntrys_"}, Entropy: 3},
		{ID: "nuget-key", Regex: `\b(oy2[a-z0-9]{43})\b`, Keywords: []string{"oy2"}, Entropy: 3},
		{ID: "crates-token", Regex: `\b(cio[A-Za-z0-9]{32})\b`, Keywords: []string{"cio"}, Entropy: 4, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`, `^[a-z0-9]+$`}}}},
		{ID: "telegram-token", Regex: `\b([0-9]{8,10}:AA[A-Za-z0-9_-]{33})`, Keywords: []string{":aa"}, Entropy: 3.5},
		{ID: "discord-token", Regex: `(?i:discord|\bbot|token)[^\n]{0,80}?(?:^|[^A-Za-z0-9_-])([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38})(?:[^A-Za-z0-9_-]|$)`, Keywords: []string{"discord", "bot", "token"}, Entropy: 4},
		{ID: "discord-webhook", Regex: `(?i)discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/([0-9]{16,20}/[a-z0-9_-]{60,80})`, Keywords: []string{"/webhooks/"}, Entropy: 4},
		// Headers, members and files.
		{
			ID:       "api-key-header",
			Regex:    `(?i)\b(?:x-)?(?:[a-z0-9]{1,20}-){0,2}(?:api-?key|access-key|auth-?token|access-?token|auth-key|subscription-key|functions-key|csrf-token|vault-token|private-token|job-token)["']?[ \t]*:[ \t]*["']?([a-z0-9._~+/=-]{16,})`,
			Keywords: []string{"apikey", "api-key", "access-key", "auth-token", "authtoken", "access-token", "accesstoken", "auth-key", "subscription-key", "functions-key", "csrf-token", "vault-token", "private-token", "job-token"},
			Entropy:  3, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`, `^[./]`, `\w\.\w+\.[A-Za-z]+$`}, Stopwords: sample}},
		},
		{
			ID:       "named-secret",
			Regex:    `(?i)(?:^|[^a-z0-9])(?:[a-z0-9]{1,24}[_.-]){0,3}(?:api_?key|client_?secret|secret_?key|access_?token|refresh_?token|auth_?token|signing_?(?:key|secret)|encryption_?key|consumer_?secret|app_?secret|webhook_?secret|bot_?token|secret_?access_?key|id_?token)` + assigns + `(` + value + `{16,}?)` + edge,
			Keywords: []string{"apikey", "api_key", "clientsecret", "client_secret", "secretkey", "secret_key", "accesstoken", "access_token", "refreshtoken", "refresh_token", "authtoken", "auth_token", "signingkey", "signing_key", "signingsecret", "signing_secret", "encryptionkey", "encryption_key", "consumersecret", "consumer_secret", "appsecret", "app_secret", "webhooksecret", "webhook_secret", "bottoken", "bot_token", "idtoken", "id_token", "secretaccess_key", "secret_access", "secretaccesskey"},
			Entropy:  3.2,
			Allow:    []Allow{{Regexes: []string{`^[^0-9]+$`, `^[^A-Za-z]+$`, `^[./~@#%-]`, `^[A-Za-z_]\w*\.[A-Za-z_]`, `^\w+[:=]`, `^[A-Z0-9_]+$`, `^[A-Za-z]+[0-9]{0,3}$`, `^[a-z]+(?:[-_][a-z]+)+[-_]?[0-9]{0,6}$`, `^[a-z]+(?:[A-Z][a-z]+)+[0-9]{0,5}$`, `^(?:https?|file|arn):`}, Stopwords: append([]string{"test", "mock", "fake", "secret", "token"}, sample...)}},
		},
		{ID: "docker-auth", Regex: `(?:"(?:auth|identitytoken|registrytoken)"[ \t\r\n]{0,20}:[ \t]{0,8}|\bauth=)"([A-Za-z0-9+/]{16,}={0,2})"`, Keywords: []string{`auth="`, `"auth"`, `"identitytoken"`, `"registrytoken"`}, Entropy: 3, Allow: []Allow{{Regexes: []string{`^[a-z]+$`, `^[A-Z_]+$`, `^[a-z]+(?:[A-Z][a-z]+)+$`}}}},
		{ID: "npm-auth", Regex: `(?m)(?:^|[\s"':/])_(?i:authToken|auth|password)[ \t]*=[ \t]*["']?(` + value + `{8,512}?)` + edge, Keywords: []string{"_authtoken", "_auth", "_password"}, Entropy: 2.5, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`, `^(?:self|this)\b`, `^[A-Z0-9_]+$`}}}},
		{ID: "netrc-password", Regex: `(?i)\b(?:machine[ \t]{1,8}\S{1,200}|default)[ \t\r\n]{1,8}login[ \t\r\n]{1,8}\S{1,200}[ \t\r\n]{1,8}(?:account[ \t\r\n]{1,8}\S{1,200}[ \t\r\n]{1,8})?password[ \t\r\n]{1,8}` + word, Keywords: []string{"login"}, Allow: []Allow{{Regexes: []string{`^(?i:string)$`}, Stopwords: sample}}},
		{
			ID:       "password-hash",
			Regex:    `\$(?:(?:apr)?1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|5\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}|6\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}|g?y\$[./A-Za-z0-9]{1,12}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}|2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}|argon2i?d?\$v=[0-9]{1,3}\$m=[0-9]{1,9},t=[0-9]{1,4},p=[0-9]{1,4}\$[A-Za-z0-9+/]{8,86}\$[A-Za-z0-9+/]{16,172})`,
			Keywords: []string{"$apr1$", "$1$", "$5$", "$6$", "$y$", "$gy$", "$2a$", "$2b$", "$2x$", "$2y$", "$argon2"}, Entropy: 3.5,
		},
		{ID: "ldap-password-hash", Regex: `\{S?SHA(?:256|512)?\}([A-Za-z0-9+/]{27,172}={0,2})`, Keywords: []string{"sha}", "sha256}", "sha512}"}, Entropy: 3.5},
		{ID: "wifi-password", Regex: `(?i)\b(?:psk|wpa_?passphrase)["']?[ \t]*[=: \t][ \t]*(?:` + quoted + `|([0-9a-f]{64})(?:[^0-9a-f]|$)|(` + value + `{8,63}?)` + edge + `)`, Keywords: []string{"psk", "wpapassphrase", "wpa_passphrase"}, Entropy: 2.5, Allow: []Allow{{Regexes: []string{`^[^0-9 ]+$`, `^[-./]`, `^[A-Z0-9_-]+$`, `^\w+\.\w+$`}, Stopwords: sample}}},
		{ID: "wifi-code", Regex: `\bWIFI:[^\n]{0,120}?P:([^;\n]{8,63});`, Keywords: []string{"wifi:"}},
		// Command lines.
		{ID: "sshpass-password", Regex: `\bsshpass[ \t]+-p[ \t]*` + word, Keywords: []string{"sshpass"}},
		{ID: "login-password", Regex: `\b(?:docker|podman|buildah|nerdctl|oras|crane|helm|az|cf|oc|skopeo)\b[^\n]{0,40}?[ \t]login\b[^\n]{0,200}?[ \t](?:-p[ \t]*|--password(?:=|[ \t]+))` + word, Keywords: []string{"login"}, Allow: []Allow{{Regexes: []string{`^-`}}}},
		{ID: "mysql-password", Regex: `\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mariadb-admin|mycli)[ \t][^\n|;]{0,200}?-p` + word, Keywords: []string{"mysql", "mariadb", "mycli"}, Allow: []Allow{{Regexes: []string{`^(?:ort|assword|rotocol|rint|lugin|ipe|ager|ath|roject|rofile|ods?|ublish|rog|refix|er)(?:[-_=.]|$)`, `^[a-z]+-`}}}},
		{ID: "redis-password", Regex: `\bredis-cli[ \t][^\n|;]{0,200}?-a[ \t]+` + word, Keywords: []string{"redis-cli"}},
		{ID: "ssh-passphrase", Regex: `\bssh-keygen[ \t][^\n|;]{0,200}?-[NP][ \t]*(?:"([^"\n$]{4,128})"|'([^'\n$]{4,128})'|(` + value + `{4,128}?)` + edge + `)`, Keywords: []string{"ssh-keygen"}, Allow: []Allow{{Regexes: []string{`^-`}}}},
		{ID: "piped-password", Regex: `\b(?:echo|printf)[ \t]+(?:-[ne]+[ \t]+)?(?:'%s(?:\\n)?'[ \t]+)?["']?(` + value + `{6,128}?)(?:\\n)?["']?[ \t]*\|[ \t]*[^\n|]{0,60}?(?:ssh-add|sudo[ \t]+-S|--passphrase-fd|--password-stdin|--pinentry-mode|cryptsetup|chpasswd|gh secret set)`, Keywords: []string{"ssh-add", "sudo", "--passphrase-fd", "--password-stdin", "--pinentry-mode", "cryptsetup", "chpasswd", "gh secret set"}, Entropy: 2},
		{ID: "quoted-passphrase", Regex: `(?i)(?:^|[^a-z0-9])(?:[a-z0-9]{1,24}[_.-]){0,2}(?:passphrase|password|passwd)["']?[ \t]*(?:=>|:=|=|:)[ \t]*` + quoted, Keywords: []string{"passphrase", "password", "passwd"}, Entropy: 2.5, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`, `^[^A-Za-z]+$`, `^\S+$`, `[.,:;()]`, `(?i)\b(?:the|a|an|is|must|of|to|for|at|characters|least|or|please|enter)\b`}, Stopwords: sample}}},
		{ID: "aws-configured", Regex: `\baws configure set[ \t]+(?:[\w.-]{1,80}\.)?aws_(?:secret_access_key|session_token)[ \t]+` + word, Keywords: []string{"aws configure"}, Entropy: 3},
		{ID: "openssl-password", Regex: `\bopenssl\b[^\n|;]{0,200}?[ \t]-(?:pass|passin|passout)[ \t]+["']?pass:` + word, Keywords: []string{"openssl"}},
		{ID: "zip-password", Regex: `\b(?:un)?zip (?:[^\n|;]{0,120}?[ \t])?-P[ \t]*` + word, Keywords: []string{"zip "}, Allow: []Allow{{Regexes: []string{`^-`}}}},
		{ID: "curl-cookie", Regex: `(?i)\bcurl [^\n|]{0,300}?(?:-b|--cookie)(?:=|[ \t]+)["']?(?:[^"'\n]{0,120}?[^a-z0-9"'\n])?[a-z0-9_.-]{0,32}?(?:sess(?:ion)?(?:_?id)?|sid|auth|token)=([a-z0-9._~%+/-]{16,})`, Keywords: []string{"curl "}, Entropy: 3, Allow: []Allow{{Regexes: []string{`(?i)^[a-z_./-]+$`}}}},
		// Files of settings, and other languages.
		{ID: "powershell-variable", Regex: `(?i)\$env:[a-z0-9_]{0,40}(?:key|token|secret|passw(?:or)?d|pass)[a-z0-9_]{0,20}[ \t]*=[ \t]*` + quoted, Keywords: []string{"$env:"}, Entropy: 3, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`}, Stopwords: sample}}},
		{ID: "proxy-header", Regex: `(?i)\bauthorization ["'](?:bearer|token|basic)[ \t]+([a-z0-9._~+/=-]{16,})`, Keywords: []string{`authorization "`, "authorization '"}, Entropy: 3, Allow: []Allow{{Regexes: []string{`(?i)^[a-z_./-]+$`}}}},
		{ID: "element-password", Regex: `(?i)<(?:[a-z0-9]{1,20}:)?(?:password|passwd|passphrase|secret|api_?key|(?:server)?token)>[ \t]*([^<>\s$]{8,256})[ \t]*</`, Keywords: []string{"<password", "<passwd", "<passphrase", "<secret", "<apikey", "<api_key", "<token", ":password", ":secret", ":token", "<servertoken"}, Entropy: 2.5, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`, `^[{%@*]`}, Stopwords: sample}}},
		{ID: "ansible-password", Regex: `\bansible_(?:ssh_|become_|sudo_|su_|winrm_)?pass(?:word)?` + assigns + word, Keywords: []string{"ansible_"}, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`}, Stopwords: sample}}},
		{ID: "aws-signed-token", Regex: `(?i)\bX-Amz-Security-Token=([a-z0-9%/+=_-]{60,})`, Keywords: []string{"x-amz-security-token"}, Entropy: 3.5},
		// Assignments of other languages.
		{ID: "shell-variable", Regex: `(?:^|[\s;&|"'` + "`" + `(])(?:set (?:-{1,2}[A-Za-z]{1,12}[ \t]+){1,4}|setenv |ENV )[ \t]{0,16}(?i:[a-z0-9_]{0,64}(?:key|token|secret|pass|passwd|password|credentials?|passphrase))[ \t]+["']?(` + value + `{12,512}?)` + edge, Keywords: []string{"set -", "setenv ", "env "}, Entropy: 3, Allow: assigned, Source: "the manuals of fish (set) and csh (setenv); Dockerfile reference, ENV"},
		{ID: "make-variable", Regex: `(?m)^[ \t]*(?:(?:export|override)[ \t]+){0,2}[A-Z0-9_]{0,64}` + variable + `[ \t]*["']?(` + value + `{12,512}?)` + edge, Keywords: variables, Entropy: 3, Allow: assigned, Source: "GNU make's manual, The Two Flavors of Variables"},
		{ID: "php-constant", Regex: `(?i)\bdefine\([ \t]*["'][a-z0-9_]{0,64}(?:key|salt|token|secret|pass|passwd|password|credentials?)["'][ \t]*,[ \t]*(?:"([^"\n$]{8,256})"|'([^'\n]{8,256})')`, Keywords: []string{"define("}, Entropy: 2.5, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`, `^[./]`, `^https?:`}, Stopwords: sample}}, Source: "PHP's manual, define"},
		{ID: "bearer-token", Regex: `(?i)(?:^|[^a-z0-9_.$-])(?:bearer_?)?token["']?:[ \t]*["']?(` + value + `{20,}?)` + edge, Keywords: []string{"token:", `token":`, "token':"}, Entropy: 3.5, Allow: []Allow{{Regexes: []string{`^[^0-9]+$`, `^[^A-Za-z]+$`, `^[./~@#%-]`, `^\w+[:=]`, `^[A-Z0-9_]+$`, `^[A-Za-z_]\w*\.[A-Za-z_]\w*$`, `^[a-z]+(?:[-_/.][a-z0-9]+)+$`, `^[A-Za-z]+(?:[A-Z][a-z]+)+[0-9]{0,3}$`}, Stopwords: append([]string{"test", "mock", "fake"}, sample...)}}, Source: "Kubernetes' reference of kubeconfig, AuthInfo"},
		{ID: "yaml-block", Regex: `(?im)^[ \t-]*["']?[a-z0-9_.-]{0,64}(?:passw(?:or)?d|passphrase|secret|token|api_?key): ?[>|][-+0-9]{0,2}[ \t]*\r?\n[ \t]+["']?(` + value + `{8,512}?)["']?[ \t]*(?:\r?\n|\z)`, Keywords: []string{"passwd:", "password:", "passphrase:", "secret:", "token:", "apikey:", "api_key:"}, Entropy: 2.5, Allow: append([]Allow{{Regexes: []string{`^-`}, Stopwords: sample}}, assigned...), Source: "YAML 1.2.2, 8.1 Block Scalar Styles"},
		{ID: "gh-secret", Regex: `\bgh secret set[ \t][^\n|;]{0,200}?[ \t]?(?:--body|-b)(?:=|[ \t]+)?["']?(` + value + `{4,512}?)` + edge, Keywords: []string{"gh secret set"}, Allow: []Allow{{Regexes: []string{`^-`, `^@`}}}, Source: "gh's manual, gh secret set"},
		// What has lost its beginning.
		{ID: "private-key-end", Regex: `(?:^[A-Za-z0-9+/=]{1,15}(?:\\[nr]|\s)+)?(?:[A-Za-z0-9+/=]{16,}(?:\\[nr]|\s)+)+(?:[A-Za-z0-9+/=]{1,76}(?:\\[nr]|\s)+)?-----END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`, Keywords: []string{"-----end"}},
	}
}

// What the rules want around a secret is what source code has there. In a transcript a
// letter, an underscore or an asterisk may stand beside it. So a rule is also tried in a
// looser form: it begins anywhere, and ends before whatever cannot be a part of it.
const (
	strictEnd = `(?:[\x60'"\s;]|\\[nr]|$)`
	looseEnd  = `(?:[^A-Za-z0-9]|$)`
	namedEnd  = `(?:[\x60'"\s;&*<|~]|\\[nr]|$)` // code goes on behind a name and its value
	named     = `[\w.-]{0,50}?`
)

// names are words of code that look like keys of some rules: a method of a receiver s in place of a token of Vault.
var names = map[string]Allow{
	"vault-service-token": {Regexes: []string{`^s\.[a-z]*(?:[A-Z]{1,4}[a-z]{3,}[0-9]{0,2})+(?:[A-Z]{1,5}[0-9]{0,2})?$`}},
}

// maxGlued is up to how many bytes may stand in front of a secret that begins in the middle of
// a word: more of them are random themselves.
const maxGlued = 24

// alone are how keys of some rules begin that look like words or like base64: no key begins so in
// the middle of a word.
var alone = map[string]string{"vault-service-token": "s.", "square-access-token": "EAAA", "voyage-api-key": "pa-"}

// loosened returns the looser form of an expression, "" if there is none. With glued it begins
// in the middle of words where the expression does not. If it is open, anything may follow.
func loosened(expr string, open bool) (loose string, glued bool) {
	flags, body := "", expr
	if rest, ok := strings.CutPrefix(body, "(?i)"); ok {
		flags, body = "(?i)", rest
	}
	if strings.Contains(body, named) {
		if rest, ok := strings.CutSuffix(body, strictEnd); ok {
			return flags + rest + namedEnd, false
		}
		return "", false
	}
	after := looseEnd
	if open {
		after = ""
	}
	before := body
	body, glued = strings.CutPrefix(body, `\b`)
	for _, end := range []string{strictEnd, `\b)`, `\b`} {
		rest, ok := strings.CutSuffix(body, end)
		if !ok {
			continue
		}
		if end == `\b)` {
			rest += ")"
		}
		body = rest + after
		if !strings.Contains(strings.ReplaceAll(rest, "(?", ""), "(") {
			body = "(" + rest + ")" + after
		}
		break
	}
	if body == before {
		return "", false
	}
	return flags + body, glued
}

// inWord reports whether a place of a text is in the middle of a word, with little of it in front.
func inWord(text string, at int) bool {
	n := 0
	for n <= maxGlued && n < at && class[text[at-1-n]]&isWord != 0 {
		n++
	}
	return n > 0 && n <= maxGlued
}
