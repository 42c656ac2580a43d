package secret

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
)

// Each rule for a form finds these, and not those.
func TestFormRules(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	of := func(n int, letters string) string { return random(rnd, n, letters) }
	an := func(n int) string { return of(n, alphanumeric) }
	hex := func(n int) string { return of(n, "0123456789abcdef") }
	low := func(n int) string { return of(n, "abcdefghijklmnopqrstuvwxyz0123456789") }
	digits := func(n int) string { return of(n, "123456789") }
	b64 := func(n int) string { return base64.StdEncoding.EncodeToString([]byte(an(n))) }
	pw := func() string { return "Tr0ub4dor" + an(6) }
	crypt := func(n int) string { return an(n) }
	body := an(64) + "\n" + an(64) + "\n" + an(20) + "=="
	const end = "-----END RSA "
	holds(t, formRules(), map[string][2][]string{
		"aws-session-token":    {{`"SessionToken": "` + an(300) + `"`, "aws_session_token = " + an(200)}, {`"SessionToken": "` + an(20) + `"`, "AWS_SESSION_TOKEN=$X", "session_token: " + strings.Repeat("a", 120)}},
		"azure-account-key":    {{"AccountName=x;AccountKey=" + an(86) + "==;EndpointSuffix=y", "SharedAccessKeyName=Root;SharedAccessKey=" + an(43) + "=", `"account_key": "` + an(86) + `=="`}, {"AccountKey=<key>", "AccountKey=" + an(10), "AccountKey=" + strings.Repeat("A", 86)}},
		"azure-sas":            {{"https://a.blob.core.windows.net/c?sv=2022&sig=" + an(43) + "%3D", "?sig=" + an(44)}, {"?sig=" + an(10), "sig=" + an(44), "&sig=<sig>"}},
		"azure-devops-pat":     {{"AZURE_DEVOPS_EXT_PAT=" + of(52, "abcdefghijklmnopqrstuvwxyz234567"), "the azure pat: " + of(52, "abcdefghijklmnopqrstuvwxyz234567")}, {of(52, "abcdefghijklmnopqrstuvwxyz234567"), "path: " + an(52), "pat: " + low(60)}},
		"azure-devops-token":   {{an(76) + "AZDO" + an(4), "x " + an(76) + "AZDO" + an(4) + "\n"}, {an(10) + "AZDO" + an(4), "AZDO"}},
		"google-oauth-secret":  {{"GOCSPX-" + an(28), `"client_secret":"GOCSPX-` + an(27) + `_"`}, {"GOCSPX-" + an(5), "GOCSPX-xxxxxxxxxxxxxxxxxxxxxxxxxxxx"}},
		"google-access-token":  {{"ya29." + an(60), "Bearer ya29." + an(40) + "-_" + an(20)}, {"ya29.", "ya29." + an(6), "ya29." + strings.Repeat("x", 40)}},
		"google-refresh-token": {{"1//0" + an(60), "refresh 1//0" + an(80) + " x"}, {"1//0", "http://1//0/x", "1//0" + strings.Repeat("a", 60)}},

		"stripe-webhook-secret":  {{"whsec_" + an(32), "x=whsec_" + an(38) + " y"}, {"whsec_" + an(4), "whsec_...", "whsec_" + strings.Repeat("x", 32)}},
		"replicate-api-token":    {{"r8_" + an(37), "'r8_" + an(37) + "'"}, {"r8_" + an(8), "r8_register", "r8_" + strings.Repeat("x", 37)}},
		"figma-token":            {{"figd_" + an(40), "figu_" + an(44)}, {"figd_" + an(8), "figd_", "figd_" + strings.Repeat("x", 40)}},
		"supabase-token":         {{"sbp_" + hex(40), "'sbp_" + hex(40) + "'"}, {"sbp_" + hex(8), "sbp_" + strings.Repeat("0", 40)}},
		"supabase-secret-key":    {{"sb_secret_" + an(31), "k=sb_secret_" + an(22) + "_" + an(8)}, {"sb_secret_key", "sb_secret_" + strings.Repeat("x", 31)}},
		"new-relic-key":          {{"NRAK-" + of(27, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"), "K=NRAK-" + of(27, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")}, {"NRAK-", "NRAK-" + strings.Repeat("A", 27)}},
		"new-relic-rest-key":     {{"NRRA-" + hex(42)}, {"NRRA-" + hex(4), "NRRA-" + strings.Repeat("0", 42)}},
		"new-relic-insights-key": {{"NRII-" + an(32), "NRIQ-" + an(32)}, {"NRII-" + an(4), "NRII-" + strings.Repeat("a", 32)}},
		"mailgun-key":            {{"key-" + hex(32), "api:key-" + hex(32) + " x"}, {"key-" + hex(8), "key-" + hex(40), "key-" + strings.Repeat("0", 32)}},
		"mailgun-api-key":        {{"MAILGUN=" + hex(32) + "-" + hex(8) + "-" + hex(8), "mailgun: '" + hex(32) + "-" + hex(8) + "-" + hex(8) + "'"}, {hex(32) + "-" + hex(8) + "-" + hex(8), "mailgun " + hex(32)}},
		"mailchimp-key":          {{hex(32) + "-us12", "k=" + hex(32) + "-us1 "}, {hex(32) + "-user", hex(8) + "-us12", strings.Repeat("0", 32) + "-us12"}},
		"sentry-dsn":             {{"https://" + hex(32) + "@o1.ingest.sentry.io/2", "https://" + hex(32) + ":" + hex(32) + "@sentry.example.com/2"}, {"https://sentry.io/x", "https://key@sentry.io/1", "https://" + strings.Repeat("0", 32) + "@sentry.io/1"}},
		"sentry-token":           {{"sntryu_" + hex(64), "sntrys_" + an(120)}, {"sntryu_" + hex(4), "sntrys_"}},
		"nuget-key":              {{"oy2" + low(43), "-k oy2" + low(43)}, {"oy2" + low(5), "oy2" + strings.Repeat("a", 43)}},
		"crates-token":           {{"cio" + an(32), "token = \"cio" + an(32) + "\""}, {"cio" + an(4), "cio" + hex(32), "ciolist", "cio" + strings.Repeat("a", 32)}},
		"telegram-token":         {{digits(10) + ":AA" + an(33), "bot" + digits(9) + ":AA" + an(33) + "/getMe"}, {digits(10) + ":AA", digits(3) + ":AA" + an(33), digits(10) + ":AA" + strings.Repeat("a", 33)}},
		"discord-token":          {{"DISCORD=MT" + an(24) + "." + an(6) + "." + an(38), "Bot MT" + an(22) + "." + an(6) + "." + an(27), `"token": "OD` + an(24) + "." + an(6) + "." + an(38) + `"`}, {"MT" + an(24) + "." + an(6) + "." + an(38), "discord.Message.Content", "discord MT" + an(10) + "." + an(6)}},
		"discord-webhook":        {{"https://discord.com/api/webhooks/" + digits(18) + "/" + an(68), "https://discordapp.com/api/v9/webhooks/" + digits(19) + "/" + an(68)}, {"https://discord.com/api/webhooks/ID/TOKEN", "https://discord.com/api/webhooks/" + digits(18), "https://example.com/api/webhooks/" + digits(18) + "/" + an(68)}},

		"api-key-header": {
			{"X-Api-Key: " + an(32), "x-api-key: '" + an(24) + "'", "-H 'Private-Token: " + an(20) + "'", `"X-Auth-Token": "` + an(32) + `"`, "Ocp-Apim-Subscription-Key: " + hex(32)},
			{"X-Api-Key: <key>", "X-Api-Key: $KEY", "X-Api-Key: " + an(6), "x-api-key: your-api-key-0001", "api-key: string", "X-Api-Key: xxxxxxxxxxxxxxxxxxxx", "auth-token: cfg.auth.token"},
		},
		"named-secret": {
			{`"api_key": "` + an(24) + `"`, "client_secret: " + an(32), "client_secret='" + an(24) + "'", "apiKey: \"" + an(20) + "\"", "app.consumer_secret=" + an(40), `"refreshToken":"` + an(40) + `"`, "WEBHOOK_SECRET: " + an(24)},
			{
				"api_key: string", "apiKey: process.env.API_KEY1", "client_secret: ${SECRET1}", "api_key=your_api_key_here_1", "accessToken: getAccessToken2()", "access_token: <token>", "apiKey = config2.apiKey.value", "secretKey: \"test-secret-key-0001\"",
				"client_secret = null", "id_token: 12345678901234567890", "apiKey: 'my-api-key-name-1'", "refresh_token: aaaaaaaaaaaaaaaaaaaa1",
			},
		},
		"docker-auth":        {{`{"auths":{"https://index.docker.io/v1/":{"auth": "` + b64(20) + `"}}}`, `"identitytoken": "` + an(40) + `"`, `auth="` + b64(20) + `"`}, {`"auth": "required"`, `"auth": "` + an(4) + `"`, `"auth": "needsAuthenticationFirst"`, `oauth: "x"`}},
		"npm-auth":           {{"//registry.npmjs.org/:_authToken=" + hex(8) + "-" + hex(4) + "-" + hex(12), "_auth=" + b64(20), "_password=\"" + b64(9) + "\""}, {":_authToken=${NPM_TOKEN}", ":_authToken=MYTOKEN1", "self._auth = request1auth", "_auth=required", "x_auth=" + an(20)}},
		"netrc-password":     {{"machine example.com login me password " + pw(), "machine h\n\tlogin me\n\tpassword " + pw() + "\n", "default login me password hunter2"}, {"login and password", "machine h login me", "machine h login me password $PW", "machine h login me password yourpassword"}},
		"password-hash":      {{"me:$apr1$" + crypt(8) + "$" + crypt(22), "root:$6$" + crypt(16) + "$" + crypt(86) + ":19000:0", "$2y$10$" + crypt(53), "u:$y$j9T$" + crypt(22) + "$" + crypt(43) + ":1", "$5$" + crypt(8) + "$" + crypt(43), "$argon2id$v=19$m=65536,t=3,p=4$" + crypt(22) + "$" + crypt(43), "$1$" + crypt(8) + "$" + crypt(22)}, {"$1$2", "s/$1$2/x/", "$6$rounds", "$2a$10$short", "$1$" + strings.Repeat("a", 8) + "$" + strings.Repeat("a", 22)}},
		"ldap-password-hash": {{"userPassword: {SSHA}" + b64(24), "me:{SHA}" + an(27) + "="}, {"{SHA}", "{SHA}" + an(4), "sha256}" + an(40)}},
		"wifi-password":      {{"psk=\"correct horse 7 battery\"", "psk=" + hex(64), "wpa_passphrase=" + pw(), "wifi-sec.psk " + pw()}, {"psk=secret", "psk = getPSK(x)", "psk: config.psk", "the psk is not shown", "PSK=WPA2_PSK_KEY"}},
		"wifi-code":          {{"WIFI:S:home;T:WPA;P:" + pw() + ";;", "WIFI:T:WPA;S:x;P:hunter22;"}, {"WIFI:S:home;;", "wifi: P: x"}},

		"sshpass-password":  {{"sshpass -p " + pw() + " ssh h", "sshpass -p'hunter2' ssh h"}, {"sshpass -e ssh h", "sshpass -p $PW ssh h", "sshpass -p <pw>"}},
		"login-password":    {{"docker login -u me -p " + pw(), "docker login -u me -phunter2 h", "podman login --password=" + pw() + " h", "az login --service-principal -u x -p " + pw()}, {"docker login --password-stdin", "docker login -u me", "docker login -p $PW", "the login page -p"}},
		"mysql-password":    {{"mysql -u root -p" + pw() + " db", "mysqldump -h h -u me -p'hunter2' x", "mariadb -phunter2"}, {"mysql -u root -p db", "mysql -p", "mysql --port 3306", "mysql -p$PW", "mysql x -print", "mysql -port 3"}},
		"redis-password":    {{"redis-cli -h h -a " + pw() + " ping", "redis-cli -a hunter2"}, {"redis-cli -h h ping", "redis-cli -a $PW"}},
		"ssh-passphrase":    {{"ssh-keygen -t ed25519 -N 'two words' -f k", "ssh-keygen -p -P hunter2 -N " + pw(), `ssh-keygen -N "a b c d"`}, {"ssh-keygen -t ed25519 -N '' -f k", "ssh-keygen -N \"$P\"", "ssh-keygen -l"}},
		"piped-password":    {{"echo " + pw() + " | sudo -S ls", "printf '%s\\n' " + pw() + " | docker login --password-stdin h", "echo 'hunter2' | SSH_ASKPASS=x ssh-add k", "echo -n " + pw() + " | gpg --batch --passphrase-fd 0"}, {"echo $PW | sudo -S ls", "echo hunter2 | grep x", "echo | sudo -S x", "cat f | ssh-add -"}},
		"quoted-passphrase": {{`passphrase: "correct horse battery 9"`, "ssh_passphrase='four words make 1'", `"password": "my dog has 3 legs"`}, {`passphrase: "the passphrase of 1 key"`, `password: "Enter 8 characters"`, `password = "` + an(9) + `"`, `passphrase: "only words here"`, `"password": "must be 8 long"`}},

		"aws-configured": {{"aws configure set aws_secret_access_key " + an(40), "aws configure set profile.x.aws_session_token '" + an(80) + "'", "aws configure set  aws_secret_access_key \"" + an(40) + "\""}, {"aws configure set aws_secret_access_key $KEY", "aws configure set region eu-central-1", "aws configure set aws_secret_access_key <key>"}},
		"shell-variable": {
			{"set -gx API_TOKEN " + an(32), "set -x -g DB_PASSWORD '7" + an(20) + "'", "if true; set --export GH_TOKEN " + an(40), "setenv API_KEY " + an(24), "ENV API_TOKEN " + an(32), "  ENV NPM_TOKEN \"" + an(32) + "\""},
			{"set -gx API_TOKEN $X", "set -gx PATH_TO " + an(32), "ENV API_TOKEN ${API_TOKEN}", "setenv API_KEY some-words-here", "set -e TOKEN /run/secrets/token1", "the ENV KEY is long", "reset -gx API_TOKEN"},
		},
		"make-variable": {
			{"API_TOKEN := " + an(32), "export DB_PASSWORD ?= " + an(20), "\tSECRET_KEY = '" + an(40) + "'", "x = 1\nAPI_KEY:=" + an(24) + "\n"},
			{"API_TOKEN := $(shell cat t1)", "API_TOKEN := some_words", "KEY = a.b1", "x API_TOKEN := " + an(32), "API_TOKEN = os.environ[1]", "api_token := " + an(8)},
		},
		"php-constant": {
			{"define('DB_PASSWORD', '" + an(20) + "');", `define("API_KEY","` + an(32) + `")`, "define( 'AUTH_SALT', '" + an(20) + " " + an(20) + "' );"},
			{"define('DB_PASSWORD', 'password_here');", "define('AUTH_KEY', 'put your unique phrase here 1');", "define('KEY', $x);", "define('MAX_LEN', '" + an(20) + "')"},
		},
		"bearer-token": {
			{"    token: " + an(40), `"bearer_token": "` + an(32) + `"`, "bearerToken: '" + an(24) + "'", "{token: " + an(36) + "}"},
			{"token: string", "token: " + an(12), "token: ${TOKEN1}", "token: process.env.TOKEN1", "token: some-long-word-of-a-name-1", "next_page_token: " + an(32), "token: getAccessTokenFromStore1", "token: aaaaaaaaaaaaaaaaaaaaaaaaaaa1"},
		},
		"yaml-block": {
			{"password: >-\n  " + an(20) + "\n", "a:\n  api_key: |\n    " + an(32), "- token: >\n    '" + an(24) + "'\nb: 1"},
			{"password: >-\n  ${PASSWORD1}\n", "password: |\n  some words 1\n", "script: |\n  " + an(20), "token: >-\n  /run/secrets/t1\n"},
		},
		"gh-secret": {
			{"gh secret set API_TOKEN --body " + an(32), "gh secret set X -R o/r -b '" + an(20) + "'", "gh secret set X --body=\"" + an(12) + "\""},
			{"gh secret set X --body \"$X\"", "gh secret set X < file", "gh secret set X --body -", "gh secret list --body " + an(20)},
		},
		"openssl-password":    {{"openssl enc -aes-256-cbc -pass pass:" + pw() + " -in f", "openssl rsa -in k -passin pass:hunter2", "openssl pkcs12 -export -passout 'pass:" + pw() + "'"}, {"openssl enc -pass env:PW", "openssl enc -pass pass:$PW", "openssl enc -pass stdin", "pass:" + pw()}},
		"zip-password":        {{"zip -P " + pw() + " a.zip f", "unzip -Phunter2 a.zip", "zip -r -P '" + pw() + "' a.zip d"}, {"zip -r a.zip d", "unzip -p a.zip f", "zip -P $PW a.zip", "unzip a.zip | grep -P x1"}},
		"curl-cookie":         {{"curl -b 'session_id=" + an(32) + "' https://h", "curl -s --cookie \"a=1; auth=" + hex(24) + "\" h", "curl h -b sid=" + hex(32)}, {"curl -b cookies.txt h", "curl -b 'theme=dark' h", "curl -b session=$S h", "curl -b 'token=aaaaaaaaaaaaaaaaaaaa' h"}},
		"powershell-variable": {{"$env:API_TOKEN = '" + an(32) + "'", "$Env:DB_PASSWORD=\"" + pw() + "\"", "$env:OPENAI_API_KEY = \"" + an(48) + "\""}, {"$env:PATH = 'C:\\tools1;x'", "$env:API_TOKEN = $token", "$env:API_TOKEN = 'your-token-1234'", "$env:API_TOKEN", "$env:API_KEY = 'placeholder'"}},
		"proxy-header":        {{"proxy_set_header Authorization \"Bearer " + an(32) + "\";", "RequestHeader set Authorization 'Basic " + b64(18) + "'", "add_header authorization \"Token " + hex(40) + "\""}, {"proxy_set_header Authorization $http_authorization;", "Authorization \"Bearer <token>\"", "Authorization \"Bearer your-own-token-goes-here\""}},
		"element-password":    {{"<password>" + pw() + "</password>", "<wsse:Password>" + pw() + "</wsse:Password>", "<apiKey> " + an(32) + " </apiKey>"}, {"<password>${env.PASSWORD1}</password>", "<password></password>", "<password>{" + an(20) + "=}</password>", "<token>identifier</token>", "<password>your-password-1</password>"}},
		"ansible-password":    {{"ansible_ssh_pass=" + pw(), "ansible_become_pass: '" + pw() + "'", "ansible_password=\"hunter22\""}, {"ansible_ssh_pass={{ vault_pass1 }}", "ansible_become_pass: \"{{ x }}\"", "ansible_user=root1234", "ansible_ssh_pass=example1"}},
		"aws-signed-token":    {{"https://b.s3.amazonaws.com/k?X-Amz-Security-Token=" + an(200) + "&X-Amz-Date=1", "X-Amz-Security-Token=" + an(40) + "%2F" + an(40)}, {"X-Amz-Security-Token=", "X-Amz-Security-Token=" + an(8), "X-Amz-Security-Token=" + strings.Repeat("a", 80)}},

		"private-key-end": {
			{body + "\n" + end + "PRIVATE KEY-----", an(9) + "\n" + body + "\n" + end + "PRIVATE KEY-----\nx", strings.ReplaceAll(body, "\n", "\\n") + "\\n" + end + "PRIVATE KEY-----", an(64) + "\r\n" + end + "PRIVATE KEY-----"},
			{end + "PRIVATE KEY-----", "at the end stands\n" + end + "PRIVATE KEY-----", body + "\n-----END CERTIFICATE-----", body + "\n" + end + "PUBLIC KEY-----"},
		},
	})
}

// What stands in front of the end of a key, and behind its beginning, is not taken with it.
func TestTornKey(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	key := random(rnd, 64, alphanumeric) + "\n" + random(rnd, 64, alphanumeric) + "\n"
	s := newSet(t, Options{})
	for _, text := range []string{
		"the rest of the key is\n" + key + "-----END " + "PRIVATE KEY----- and so on",
		"it begins\n-----BEGIN " + "PRIVATE KEY-----\n" + key + "and goes on like that for a while",
	} {
		found := s.Find(text)
		if len(found) != 1 || strings.Contains(text[found[0].From:found[0].To], " on") || strings.Contains(text[found[0].From:found[0].To], "rest") || !strings.Contains(text[found[0].From:found[0].To], key[:len(key)-1]) {
			t.Errorf("%q: %v", text, found)
		}
	}
}

// The looser forms of the rules do not find these in code, in keys that are public, and in
// random characters.
func TestLooseForms(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	an := func(n int) string { return random(rnd, n, alphanumeric) }
	s := newSet(t, Options{})
	for _, text := range []string{
		"exports.HashedRekordLogEntryV002 = {",
		"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAB" + an(340) + " me@h",
		an(40) + "AKIA" + random(rnd, 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), // in the middle of other characters
		"discord, " + random(rnd, 32, "abcdefghijklmnopqrstuvwxyz0123456789") + "(x)",
		"a ** b ** c", "x = \"\"\n  y", "**bold** and ~~struck~~",
	} {
		if found := s.Find(text); len(found) > 0 {
			t.Errorf("%v in %q", found, text)
		}
	}
}
