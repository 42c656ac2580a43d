package secret

import (
	"encoding/base64"
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
	inEscapes // of JSON and of what is like it
)

// names returns the names of the encodings.
func (e encodings) names() (out []string) {
	for i, name := range []string{"base64", "hex", "percent", "escapes"} {
		if e&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// The shortest runs that are tried: what is shorter holds no secret.
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

// runs calls found for the parts of a text that are encoded, in their order: with where
// they stand and what they say. Only what says text counts.
func runs(text string, found func(s Span, plain string, e encodings)) {
	percent := -1 // where percent-encoded bytes ended last
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case class[c]&isWord != 0:
			end := i + 1
			for end < len(text) && class[text[end]]&isWord != 0 {
				end++
			}
			if c == 'U' && i+1 < len(text) && text[i+1] == '+' {
				if n, plain := codePoints(text[i:]); n > 0 {
					found(Span{i, i + n}, plain, inEscapes)
					i += n
					continue
				}
			}
			// What percent-encoding tore apart is for the next layer.
			if next, _ := percents(text[end:]); end-i >= minBase64 && percent != i && (next == 0 || padded(text, end) > end) {
				end = word(text, i, end, found)
			}
			i = end
		case c == '%':
			n, plain := percents(text[i:])
			if n > 0 {
				found(Span{i, i + n}, plain, inPercent)
				percent = i + n
			}
			i += max(n, 1)
		case c == '\\':
			n, plain := escape(text[i:])
			if n > 0 {
				found(Span{i, i + n}, plain, inEscapes)
			}
			i += max(n, 1)
		default:
			i++
		}
	}
}

// word looks at a run of the characters of base64, and returns where to go on.
func word(text string, from, to int, found func(s Span, plain string, e encodings)) int {
	hex := from
	for hex < to && class[text[hex]]&isHex != 0 {
		hex++
	}
	if hex-from >= minHex {
		end, digits := folded(text, from, hex, isHex)
		if plain, ok := decodeHex(digits); ok {
			found(Span{from, end}, plain, inHex)
			return end
		}
		if plain, ok := decodeHex(text[from:hex]); ok {
			found(Span{from, hex}, plain, inHex)
			return hex
		}
	}
	if !promising(text[from:to]) {
		return to
	}
	end, run := folded(text, from, to, isWord)
	if plain, ok := decodeBase64(run); ok {
		end = padded(text, end)
		found(Span{from, end}, plain, inBase64)
		return end
	}
	if plain, ok := decodeBase64(text[from:to]); ok {
		to = padded(text, to)
		found(Span{from, to}, plain, inBase64)
	}
	return to
}

// padded returns the index after the padding of base64, which may be percent-encoded.
func padded(text string, at int) int {
	for range 2 {
		switch rest := text[at:]; {
		case strings.HasPrefix(rest, "="):
			at++
		case len(rest) >= 3 && strings.EqualFold(rest[:3], "%3d"):
			at += 3
		}
	}
	return at
}

// folded joins the lines of a run that goes on to the end of its line: those of the same
// length below it, and one that is not longer. It returns where they end.
func folded(text string, from, to int, kind byte) (end int, run string) {
	end, run = to, text[from:to]
	var b strings.Builder
	width := 0
	for {
		at := end
		if at < len(text) && text[at] == '\r' {
			at++
		}
		if at == len(text) || text[at] != '\n' {
			break
		}
		at++
		for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
			at++
		}
		next := at
		for next < len(text) && class[text[next]]&kind != 0 {
			next++
		}
		n := next - at
		if n == 0 || width > 0 && n > width || next < len(text) && !strings.ContainsRune("\r\n=", rune(text[next])) {
			break
		}
		if b.Len() == 0 {
			b.WriteString(run)
		}
		b.WriteString(text[at:next])
		end = next
		if width > 0 && n < width {
			break // the last
		}
		width = n
	}
	if b.Len() > 0 {
		run = b.String()
	}
	return end, run
}

// promising reports whether the first bytes of base64 are text: for words and paths, which
// look like base64, they hardly ever are.
func promising(run string) bool {
	head, ok := decodeQuanta(run[:8])
	if !ok {
		return false
	}
	for _, c := range head[:2] {
		if c < 9 || c == 0x7f || c >= 14 && c < ' ' {
			return false
		}
	}
	return true
}

func decodeQuanta(run string) ([]byte, bool) {
	out, err := base64.RawStdEncoding.DecodeString(standard(run))
	return out, err == nil
}

var toStandard = strings.NewReplacer("-", "+", "_", "/")

// standard returns base64 in the standard alphabet.
func standard(run string) string {
	if strings.ContainsAny(run, "-_") {
		return toStandard.Replace(run)
	}
	return run
}

func decodeBase64(run string) (string, bool) {
	out, ok := decodeQuanta(run)
	if !ok || !isText(out) {
		return "", false
	}
	return string(out), true
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
