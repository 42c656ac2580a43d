package secret

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// encodings are those that a text was in, a bit each.
type encodings uint8

const (
	inBase64 encodings = 1 << iota
	inHex
	inPercent
	inEscapes // of JSON and of languages that escape alike
	inEntities
	inQuoted // quoted-printable
	inUnseen // beside characters that are not seen
)

// names returns the names of the encodings.
func (e encodings) names() (out []string) {
	for i, name := range []string{"base64", "hex", "percent", "escapes", "entities", "quoted-printable", "unseen"} {
		if e&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// The shortest runs that are tried: shorter ones hold no secret.
const (
	minBase64 = 16
	minHex    = 32
)

// classes of bytes.
const (
	isWord = 1 << iota // of base64, both alphabets
	isHex
)

var class = func() (c [256]byte) {
	for _, b := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_" {
		c[b] |= isWord
	}
	for _, b := range "0123456789abcdefABCDEF" {
		c[b] |= isHex
	}
	return c
}()

// runs calls found for the encoded parts of a text, in their order, with their places and their
// decoded texts. Only parts that decode to text count.
func runs(text string, found func(s Span, plain string, e encodings)) {
	d := &decoder{text: text, found: found}
	percent := -1 // where percent-encoded bytes ended last
	for i := 0; i < len(text); {
		c := text[i]
		n, plain, e := 0, "", encodings(0)
		switch {
		case class[c]&isWord != 0:
			end := classEnd(text, i, isWord)
			if c == 'U' && i+1 < len(text) && text[i+1] == '+' {
				if n, plain := codePoints(text[i:]); n > 0 {
					found(Span{i, i + n}, plain, inEscapes)
					i += n
					continue
				}
			}
			// What percent-encoding tore apart is for the next layer.
			if next, _ := percents(text[end:]); end-i >= minBase64 && percent != i && (next == 0 || skipPadding(text, end) > end) {
				end = d.word(i, end)
			}
			i = end
			continue
		case c == '%':
			n, plain = percents(text[i:])
			e, percent = inPercent, i+n
		case c == '\\':
			n, plain = escape(text[i:])
			e = inEscapes
		case c == '&':
			n, plain = entities(text[i:])
			e = inEntities
		case c == '=':
			n, plain = quotedPrintable(text[i:])
			e = inQuoted
		}
		if n > 0 {
			found(Span{i, i + n}, plain, e)
		}
		i += max(n, 1)
	}
}

// classEnd returns where the bytes of a class end that begin at a place.
func classEnd(text string, at int, kind byte) int {
	for at < len(text) && class[text[at]]&kind != 0 {
		at++
	}
	return at
}

func decodeHex(run string) (string, bool) {
	if len(run)%2 != 0 || !strings.ContainsAny(run, "0123456789") {
		return "", false
	}
	out := make([]byte, len(run)/2)
	for i := range out {
		out[i] = nibble(run[2*i])<<4 | nibble(run[2*i+1])
		if i == 8 && !isText(out[:4]) {
			return "", false
		}
	}
	return string(out), isText(out)
}

func nibble(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}

// isText reports whether bytes are text: UTF-8 without control characters but white space.
func isText(b []byte) bool {
	for _, c := range b {
		if c < 9 || c == 0x7f || c >= 14 && c < ' ' {
			return false
		}
	}
	return utf8.Valid(b)
}

// percents decodes the percent-encoded bytes at the beginning of a text, of length n.
func percents(text string) (n int, plain string) {
	var out []byte
	for n+2 < len(text) && text[n] == '%' && class[text[n+1]]&isHex != 0 && class[text[n+2]]&isHex != 0 {
		out = append(out, nibble(text[n+1])<<4|nibble(text[n+2]))
		n += 3
	}
	if n == 0 || !isText(out) {
		return 0, ""
	}
	return n, string(out)
}

// escape decodes the escape at the beginning of a text, of length n.
func escape(text string) (n int, plain string) {
	if len(text) < 2 {
		return 0, ""
	}
	switch c := text[1]; c {
	case '"', '\\', '/', '\'':
		return 2, text[1:2]
	case 'n', 'r', 't', 'b', 'f':
		return 2, js.Unquote(`"` + text[:2] + `"`)
	case 'u', 'U':
		if n = unicodeLen(text); n == 0 {
			return 0, ""
		}
		if second := unicodeLen(text[n:]); second > 0 && strings.ContainsRune("dD", rune(text[2])) {
			n += second
		}
		return n, js.ValidText(js.Unquote(`"` + strings.ReplaceAll(text[:n], `\U`, `\u`) + `"`))
	case '0': // ESC, as shells write it
		if strings.HasPrefix(text, `\033`) {
			return 4, "\x1b"
		}
	case 'x':
		if len(text) >= 4 && class[text[2]]&class[text[3]]&isHex != 0 {
			if b := nibble(text[2])<<4 | nibble(text[3]); b < 0x80 {
				return 4, string(rune(b))
			}
		}
	}
	return 0, ""
}

// unicodeLen returns the length of the \uXXXX that a text begins with, 0 if with none.
func unicodeLen(text string) int {
	if len(text) < 6 || text[0] != '\\' || text[1]|0x20 != 'u' {
		return 0
	}
	for _, c := range []byte(text[2:6]) {
		if class[c]&isHex == 0 {
			return 0
		}
	}
	return 6
}

// codePoints decodes the row of U+XXXX, with a blank after each, that a text begins with.
func codePoints(text string) (n int, plain string) {
	var b strings.Builder
	for {
		rest := text[n:]
		if len(rest) < 6 || rest[0] != 'U' || rest[1] != '+' {
			break
		}
		r, err := strconv.ParseUint(rest[2:6], 16, 32)
		if err != nil || len(rest) > 6 && !strings.ContainsRune(" \t\n\r\f\v", rune(rest[6])) {
			break
		}
		b.WriteRune(rune(r))
		n += min(7, len(rest))
	}
	return n, b.String()
}

// maxEntity is how long a character of HTML that is written as an entity may be, in bytes.
const maxEntity = 10

// entities decodes the entities of HTML that a text begins with, of length n.
func entities(text string) (n int, plain string) {
	var b strings.Builder
	for n < len(text) && text[n] == '&' {
		end := strings.IndexByte(text[n:min(len(text), n+maxEntity)], ';')
		if end < 0 {
			break
		}
		one := text[n : n+end+1]
		c := html.UnescapeString(one)
		if c == one {
			break
		}
		b.WriteString(c)
		n += len(one)
	}
	return n, b.String()
}

// quotedPrintable decodes one element of quoted-printable at the beginning of a text, of length n:
// an equals sign, a blank, or bytes in a row.
func quotedPrintable(rest string) (n int, plain string) {
	var out []byte
	for n+2 < len(rest) && rest[n] == '=' && class[rest[n+1]]&class[rest[n+2]]&isHex != 0 {
		out = append(out, nibble(rest[n+1])<<4|nibble(rest[n+2]))
		n += 3
	}
	switch {
	case len(out) > 0 && (out[0] == '=' || out[0] == ' ' || out[0] == '\t'): // as writers do who spare the rest
		return 3, string(out[:1])
	case len(out) < 4 || !isText(out):
		return 0, ""
	}
	return n, string(out)
}
