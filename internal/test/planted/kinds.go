package planted

import (
	"encoding/base64"
	"strings"
)

// A Kind is a secret of one kind in a text that people paste.
type Kind struct {
	Name   string
	Text   string // with the secret in it
	Secret string
	Bare   bool // the secret is known by itself, without what stands around it
}

// Kinds returns a secret of each of many kinds.
func (m *Maker) Kinds() []Kind {
	l := &kinds{Maker: m}
	l.keys()
	l.more()
	l.named()
	return l.list
}

// kinds is a list that is made.
type kinds struct {
	*Maker
	list []Kind
}

func (l *kinds) bare(name, secret string) {
	l.list = append(l.list, Kind{name, "use " + secret + " now", secret, true})
}

func (l *kinds) in(name, front, secret, behind string) {
	l.list = append(l.list, Kind{name, front + secret + behind, secret, false})
}

func (l *kinds) an(n int) string  { return l.Random(n, alphabet) }
func (l *kinds) hex(n int) string { return l.Random(n, "0123456789abcdef") }
func (l *kinds) low(n int) string { return l.Random(n, strings.ToLower(letters[26:])+digits) }
func (l *kinds) up(n int) string  { return l.Random(n, letters[:26]+digits) }
func (l *kinds) b64(n int) string { return base64.StdEncoding.EncodeToString([]byte(l.an(n))) }

// keys adds keys that are known by themselves.
func (l *kinds) keys() {
	l.bare("github", l.GitHub())
	l.bare("github fine-grained", "github"+"_pat_"+l.an(82))
	l.bare("gitlab", "glpat"+"-"+l.an(20))
	l.bare("aws id", l.AWS())
	l.bare("anthropic", l.Anthropic())
	l.bare("slack", l.Slack())
	l.bare("stripe", l.Stripe())
	l.bare("jwt", l.JWT())
	l.bare("npm", "npm"+"_"+strings.ToLower(l.an(36)))
	l.bare("pypi", "pypi-"+"AgEIcHlwaS5vcmc"+l.an(80))
	l.bare("openai", "sk-"+"proj-"+l.an(74)+"T3BlbkFJ"+l.an(74))
	l.bare("google api", "AI"+"za"+l.an(35))
	l.bare("google secret", "GOC"+"SPX-"+l.an(28))
	l.bare("google access", "ya"+"29."+l.an(60))
	l.bare("hugging face", "hf"+"_"+l.Random(34, letters))
	l.bare("digitalocean", "dop"+"_v1_"+l.hex(64))
	l.bare("doppler", "dp"+".pt."+l.low(43))
	l.bare("databricks", "dapi"+l.hex(32))
	l.bare("grafana", "glc"+"_"+l.an(60))
	l.bare("linear", "lin"+"_api_"+l.an(40))
	l.bare("sendgrid", "SG"+"."+l.an(66))
	l.bare("twilio", "SK"+l.hex(32))
	l.bare("shopify", "shpat"+"_"+l.hex(32))
	l.bare("planetscale", "pscale"+"_tkn_"+l.an(40))
	l.bare("postman", "PMAK"+"-"+l.hex(24)+"-"+l.hex(34))
	l.bare("pulumi", "pul"+"-"+l.hex(40))
	l.bare("rubygems", "rubygems"+"_"+l.hex(48))
	l.bare("notion", "ntn"+"_"+l.Random(11, digits)+l.an(32)+l.an(3))
}

// more adds more of them.
func (l *kinds) more() {
	l.bare("age", "AGE-SECRET"+"-KEY-1"+l.Random(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"))
	l.bare("vault", "hvs"+"."+l.an(95))
	l.bare("xai", "xai"+"-"+l.an(80))
	l.bare("groq", "gsk"+"_"+l.an(52))
	l.bare("openrouter", "sk-or"+"-v1-"+l.hex(64))
	l.bare("stripe webhook", "whsec"+"_"+l.an(32))
	l.bare("netlify", "nfp"+"_"+l.an(40))
	l.bare("vercel", "vcp"+"_"+l.an(56))
	l.bare("langfuse", "sk-lf"+"-"+l.hex(8)+"-"+l.hex(4)+"-"+l.hex(4)+"-"+l.hex(4)+"-"+l.hex(12))
	l.bare("replicate", "r8"+"_"+l.an(37))
	l.bare("figma", "figd"+"_"+l.an(40))
	l.bare("supabase", "sbp"+"_"+l.hex(40))
	l.bare("new relic", "NRAK"+"-"+l.up(27))
	l.bare("mailgun", "key"+"-"+l.hex(32))
	l.bare("mailchimp", l.hex(32)+"-us"+"12")
	l.bare("sentry", "sntryu"+"_"+l.hex(64))
	l.bare("nuget", "oy2"+l.low(43))
	l.bare("crates", "cio"+l.an(32))
	l.bare("telegram", l.Random(10, "123456789")+":AA"+l.an(33))
	l.bare("azure devops", l.an(76)+"AZDO"+l.an(4))
	l.bare("htpasswd", "$apr1"+"$"+l.an(8)+"$"+l.an(22))
	l.bare("shadow", "$6"+"$"+l.an(16)+"$"+l.an(86))
}

// named adds what is known by the name in front of it.
func (l *kinds) named() {
	l.in("aws secret", "aws_secret_access_key = ", l.an(40), "")
	l.in("aws secret json", `"SecretAccessKey": "`, l.an(40), `"`)
	l.in("azure storage", "AccountName=x;AccountKey=", l.an(86)+"==", ";EndpointSuffix=y")
	l.in("azure service bus", "SharedAccessKeyName=Root;SharedAccessKey=", l.an(43)+"=", "")
	l.in("azure sas", "https://x.blob.core.windows.net/c?sv=2022&sig=", l.an(42)+"%3D", "")
	l.in("discord", "DISCORD_BOT=", "MT"+l.an(24)+"."+l.an(6)+"."+l.an(38), "")
	l.in("discord webhook", "https://discord.com/api/webhooks/"+l.Random(18, "123456789")+"/", l.an(68), "")
	l.in("dsn", "postgres://u:", l.Password(), "@h/db")
	l.in("env", "export DEPLOY_TOKEN=", l.an(24), "")
	l.in("password", "password: ", l.Password(), "")
	l.in("bearer", "Authorization: Bearer ", l.an(40), "")
	l.in("header", "X-Api-Key: ", l.an(32), "")
	l.in("json api_key", `"api_key": "`, l.an(24), `"`)
	l.in("yaml client_secret", "client_secret: ", l.an(32), "")
	l.in("docker config", `"auth": "`, l.b64(24), `"`)
	l.in("npmrc uuid", "//registry.npmjs.org/:_authToken=", l.hex(8)+"-"+l.hex(4)+"-4"+l.hex(3)+"-"+l.hex(4)+"-"+l.hex(12), "")
	l.in("sshpass", "sshpass -p ", l.Password(), " ssh h")
	l.in("docker login", "docker login -u me -p ", l.Password(), " h")
	l.in("mysql", "mysql -u root -p", l.Password(), " db")
	l.in("netrc", "machine h.example.com login me password ", l.Password(), "")
	l.in("flag", "x --password ", l.Password(), " y")
	l.in("wifi psk", `psk="`, l.Password(), `"`)
	l.in("ssh passphrase", "ssh-keygen -N '", l.Password(), "' -f k")
	l.in("ldap", "userPassword: {SSHA}", l.b64(24), "")
}
