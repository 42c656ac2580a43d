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
			s.To = padded(text, s.To)
		}
		add(s, f.name, f.decoded)
		return true
	})
}
