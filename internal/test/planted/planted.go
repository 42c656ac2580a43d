// Package planted makes sessions with secrets in every place where one is found, for tests.
// The secrets are made at run time, so that no file of the project holds what looks like one.
package planted

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	letters  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits   = "0123456789"
	alphabet = letters + digits
)

// A Maker makes secrets, the same ones for a seed.
type Maker struct{ rnd *rand.Rand }

// New returns a maker.
func New(seed uint64) *Maker { return &Maker{rand.New(rand.NewPCG(seed, 7))} }

// Random returns n characters of an alphabet.
func (m *Maker) Random(n int, of string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = of[m.rnd.IntN(len(of))]
	}
	return string(b)
}

// GitHub returns a personal access token.
func (m *Maker) GitHub() string { return "ghp" + "_" + m.Random(36, alphabet) }

// AWS returns an access key id.
func (m *Maker) AWS() string { return "AK" + "IA" + m.Random(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") }

// Anthropic returns an API key.
func (m *Maker) Anthropic() string {
	return "sk-" + "ant-api03-" + m.Random(93, alphabet+"_-") + "AA"
}

// Slack returns a bot's token.
func (m *Maker) Slack() string {
	return "xox" + "b-" + m.Random(12, digits) + "-" + m.Random(12, digits) + "-" + m.Random(24, alphabet)
}

// Stripe returns a live key.
func (m *Maker) Stripe() string { return "sk_" + "live_" + m.Random(24, alphabet) }

// PEM returns a private key of several lines.
func (m *Maker) PEM() string {
	lines := []string{"-----BEGIN RSA " + "PRIVATE KEY-----"}
	for range 12 {
		lines = append(lines, m.Random(64, alphabet+"+/"))
	}
	return strings.Join(append(lines, "-----END RSA "+"PRIVATE KEY-----"), "\n")
}

// JWT returns a signed token.
func (m *Maker) JWT() string {
	part := func(v any) string { return base64.RawURLEncoding.EncodeToString([]byte(must(v))) }
	return part(map[string]string{"alg": "HS256", "typ": "JWT"}) + "." +
		part(map[string]any{"sub": "1234567890", "name": m.Random(12, letters), "iat": 1516239022}) + "." + m.Random(43, alphabet)
}

// Password returns a password.
func (m *Maker) Password() string { return m.Random(8, letters) + m.Random(8, digits) }

func must(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A Session is a session with secrets.
type Session struct {
	Lines   []string
	Secrets []string          // that must be in nothing that is written
	Kept    map[string]string // by their names, what looks like a secret and must stay
	Kinds   int               // how many findings there are
}

// Text returns the session as a file.
func (s Session) Text() string { return strings.Join(s.Lines, "\n") + "\n" }

// Make makes a session of fourteen findings.
func Make(seed uint64) Session {
	m := New(seed)
	ghp, aws, stripe, sk := m.GitHub(), m.AWS(), m.Stripe(), m.Anthropic()
	pem, slack, jwt, weak, dsn := m.PEM(), m.Slack(), m.JWT(), m.Password(), m.Password()
	encoded := base64.StdEncoding.EncodeToString([]byte(`{"token":"` + ghp + `"}`))
	signature := base64.StdEncoding.EncodeToString([]byte(m.Random(400, alphabet+"\x01\xfe\xff")))
	plain := "commit 9fceb02d0ae598e95dc970b74767f19372d61af8, uuid 01a1fc13-c396-73f6-9dd0-5b0c224b3890, sha256 " +
		m.Random(64, "0123456789abcdef") + ", AKIAIOSFODNN7EXAMPLE, ghp_" + strings.Repeat("x", 36) + ", token = getAuthenticationTokenFromEnvironment()"
	s := Session{
		Secrets: []string{ghp, aws, stripe, sk, sk[:40], sk[40:], slack, jwt, weak, dsn, encoded, pem[40:90], pem},
		Kept:    map[string]string{"signature": signature, "prose": plain},
		Kinds:   14,
	}
	s.Lines = []string{must(object{"type": "session", "version": 3, "id": "01a1fc13-c396-73f6-9dd0-5b0c224b3891", "timestamp": "2026-11-20T10:00:00.000Z", "cwd": "/srv/p", "title": "uses " + ghp})}
	s.say("user", text("my token is "+ghp+" ok"))
	s.say("toolResult", text("$ env\nPATH=/bin\nAWS_ACCESS_KEY_ID="+aws+"\nexport STRIPE_KEY=\""+stripe+"\"\n"))
	s.say("toolResult", text("cat id_rsa\n"+pem+"\n"))
	s.say("assistant", object{"type": "toolCall", "id": "c3", "name": "bash", "arguments": object{"command": "curl -d '" + must(object{"token": slack, "x": `a"b`}) + "' https://x"}})
	s.say("toolResult", text("auth: "+encoded))
	s.say("assistant", text("the key begins "+sk[:40]), text(sk[40:]+" and ends"))
	s.add(object{"type": "message", "meta": object{ghp: 1}, "message": object{"role": "user", "content": []any{text("x")}}})
	s.say("user", text("Authorization: Bearer "+jwt))
	s.add(object{"type": "compaction", "summary": "The user gave " + ghp, "firstKeptEntryId": "a0000001", "tokensBefore": 10})
	s.say("assistant", object{"type": "thinking", "thinking": "hm", "thinkingSignature": signature})
	s.say("user", text(plain))
	s.say("user", text("password: "+weak))
	s.say("user", text("postgres://admin:"+dsn+"@db.example.com:5432/x"))
	var escaped strings.Builder
	for _, c := range []byte(ghp) {
		fmt.Fprintf(&escaped, `\u%04x`, c)
	}
	s.add(object{"type": "message", "message": object{"role": "user", "content": "ESCAPED"}})
	last := &s.Lines[len(s.Lines)-1]
	*last = strings.Replace(*last, "ESCAPED", escaped.String(), 1)
	s.Secrets = append(s.Secrets, escaped.String())
	return s
}

type object = map[string]any

func text(s string) object { return object{"type": "text", "text": s} }

// say adds a message.
func (s *Session) say(role string, blocks ...object) {
	s.add(object{"type": "message", "message": object{"role": role, "content": blocks}})
}

// add adds an entry behind the last.
func (s *Session) add(e object) {
	n := len(s.Lines)
	e["id"], e["timestamp"], e["parentId"] = fmt.Sprintf("a%07d", n), "2026-11-20T10:00:00.000Z", nil
	if n > 1 {
		e["parentId"] = fmt.Sprintf("a%07d", n-1)
	}
	s.Lines = append(s.Lines, must(e))
}
