package secret

import (
	"cmp"
	"encoding/base64"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// A decoder finds the parts of a text that are encoded.
type decoder struct {
	text  string
	found func(s Span, plain string, e encodings)
	// Up to here lines were joined, to no avail: who tries again at each takes quadratic time.
	tried, triedHex int
}

// word looks at a run of the characters of base64, and returns where to go on.
func (d *decoder) word(from, to int) int {
	text := d.text
	if hex := classEnd(text, from, isHex); hex-from >= minHex {
		if end := d.hex(from, hex); end > 0 {
			return end
		}
	}
	promises := promising(text[from:to])
	lines := []Span{{from, to}}
	if from >= d.tried {
		lines = folded(text, from, to, isWord)
	}
	end := lines[len(lines)-1].To
	run := joined(text, lines)
	if promises {
		if plain, ok := decodeBase64(run); ok {
			end = skipPadding(text, end)
			d.found(Span{from, end}, plain, inBase64)
			return end
		}
		if n := len(lines) - 1; n > 0 { // the last may be a word below
			if plain, ok := decodeBase64(joined(text, lines[:n])); ok {
				end = skipPadding(text, lines[n-1].To)
				d.found(Span{from, end}, plain, inBase64)
				return end
			}
		}
	}
	d.tried = max(d.tried, end)
	return d.inside(lines, run)
}

// hex looks at hexadecimal digits, also of several lines, and returns where they end, 0 if
// they say no text.
func (d *decoder) hex(from, to int) int {
	if from >= d.triedHex {
		lines := folded(d.text, from, to, isHex)
		end := lines[len(lines)-1].To
		if plain, ok := decodeHex(joined(d.text, lines)); ok {
			d.found(Span{from, end}, plain, inHex)
			return end
		}
		d.triedHex = end
	}
	if plain, ok := decodeHex(d.text[from:to]); ok {
		d.found(Span{from, to}, plain, inHex)
		return to
	}
	return 0
}

// joined returns the lines of a run as one.
func joined(text string, lines []Span) string {
	if len(lines) == 1 {
		return text[lines[0].From:lines[0].To]
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(text[l.From:l.To])
	}
	return b.String()
}

// inside looks for base64 that is only a part of a run, or of one of its lines, and returns
// where the run ends.
func (d *decoder) inside(lines []Span, run string) int {
	parts := texts64(run)
	ends := make([]int, len(lines)) // of the lines in the run
	n := 0
	for i, l := range lines {
		n += l.To - l.From
		ends[i] = n
	}
	for i, p := range parts {
		first, _ := slices.BinarySearch(ends, p.From+1)
		last, _ := slices.BinarySearch(ends, p.To)
		parts[i].Span = Span{lines[first].To - ends[first] + p.From, lines[last].To - ends[last] + p.To}
		if p.To == ends[last] {
			parts[i].To = skipPadding(d.text, parts[i].To)
		}
	}
	var more []part
	for at, l := range lines { // a shorter run that fills its line counts, too
		one := d.text[l.From:l.To]
		i := sort.Search(len(parts), func(i int) bool { return parts[i].To > l.From })
		if len(one) < minBase64 || i < len(parts) && parts[i].From < l.To || !promising(one) {
			continue
		}
		if plain, ok := decodeBase64(one); ok {
			to := skipPadding(d.text, l.To)
			more = append(more, part{Span{l.From, to}, plain})
			lines[at].To = to
		}
	}
	if parts = append(parts, more...); len(more) > 0 {
		slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.From, b.From) })
	}
	end := lines[len(lines)-1].To
	for _, p := range parts {
		if p.From > 0 && wordByte(d.text[p.From-1]) {
			p.plain = "\n" + p.plain // it begins there, whatever it was glued to
		}
		if p.To < len(d.text) && wordByte(d.text[p.To]) {
			p.plain += "\n"
		}
		d.found(p.Span, p.plain, inBase64)
		end = max(end, p.To)
	}
	return end
}

// skipPadding returns the index after the padding of base64, which may be percent-encoded.
func skipPadding(text string, at int) int {
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

// folded returns the lines of a run that goes on to the end of its line: itself, those of the
// same length below it, and one that is not longer, which a quote or a blank may end.
func folded(text string, from, to int, kind byte) []Span {
	lines := []Span{{from, to}}
	for width := 0; ; {
		at := lines[len(lines)-1].To
		if at < len(text) && text[at] == '\r' {
			at++
		}
		if at == len(text) || text[at] != '\n' {
			return lines
		}
		at++
		for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
			at++
		}
		next := classEnd(text, at, kind)
		n := next - at
		if n == 0 || width > 0 && n > width {
			return lines
		}
		if next < len(text) && !strings.ContainsRune("\r\n", rune(text[next])) {
			if !strings.ContainsRune("= \t\"'`)<,;|", rune(text[next])) {
				return lines
			}
			return append(lines, Span{at, next})
		}
		lines = append(lines, Span{at, next})
		if width > 0 && n < width {
			return lines // the last
		}
		width = n
	}
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
	if strings.ContainsAny(run, "-_") {
		run = toStandard.Replace(run)
	}
	out, err := base64.RawStdEncoding.DecodeString(run)
	return out, err == nil
}

var toStandard = strings.NewReplacer("-", "+", "_", "/")

func decodeBase64(run string) (string, bool) {
	out, ok := decodeQuanta(run)
	if !ok || !isText(out) {
		return "", false
	}
	return string(out), true
}

// A part is a part of a run, and its decoded text.
type part struct {
	Span
	plain string
}

// minInside is how much text a part of a run has to say, in bytes: to words and random
// characters so much text does not happen.
const minInside = 16

// texts64 returns the parts of a run that say text if decoding begins at one of the first four
// characters, in their order. Where two overlap it is the longer one.
func texts64(run string) (out []part) {
	if len(run) < minInside*4/3 {
		return nil
	}
	buf := make([]byte, 0, len(run)/4*3+3)
	var all []part
	for shift := range 4 {
		buf = decodeAll(buf[:0], run[shift:])
		for s := range stretches(buf) {
			first := (s.From + 2) / 3
			from, begin := 3*first, shift+4*first
			if s.From%3 != 0 && !strings.ContainsAny(run[begin-4:begin], "/-_") {
				from, begin = s.From, begin-4 // in the middle of four characters
			}
			to, end := s.To/3*3, shift+s.To/3*4
			switch next := end + 4; {
			case s.To == len(buf):
				to, end = s.To, len(run)
			case s.To > to && !strings.ContainsAny(run[end:min(next, len(run))], "/-_"):
				to, end = s.To, min(next, len(run))
			}
			if plain, ok := plainText(buf[min(from, to):to]); ok && len(plain) >= minInside-4 {
				all = append(all, part{Span{begin, end}, plain})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b part) int { return cmp.Or(a.From-b.From, len(b.plain)-len(a.plain)) })
	for _, p := range all {
		n := len(out)
		switch {
		case n == 0 || out[n-1].To <= p.From:
			out = append(out, p)
		case len(p.plain) > len(out[n-1].plain):
			out[n-1] = p
		}
	}
	return out
}

// sextet is what a character of base64 stands for, in both alphabets.
var sextet = func() (v [256]byte) {
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		v[c] = byte(i)
	}
	v['-'], v['_'] = 62, 63
	return v
}()

// decodeAll adds the bytes that base64 says, with those of an incomplete end.
func decodeAll(out []byte, run string) []byte {
	for ; len(run) >= 4; run = run[4:] {
		a, b, c, d := sextet[run[0]], sextet[run[1]], sextet[run[2]], sextet[run[3]]
		out = append(out, a<<2|b>>4, b<<4|c>>2, c<<6|d)
	}
	if len(run) >= 2 {
		out = append(out, sextet[run[0]]<<2|sextet[run[1]]>>4)
	}
	if len(run) == 3 {
		out = append(out, sextet[run[1]]<<4|sextet[run[2]]>>2)
	}
	return out
}

// stretches yields the parts of some bytes that are text, of minInside bytes or more, in UTF-8
// or in UTF-16 of characters of ASCII.
func stretches(b []byte) func(yield func(Span) bool) {
	return func(yield func(Span) bool) {
		for i := 0; i < len(b); {
			end := textEnd(b, i)
			if wide := wideEnd(b, i); wide-i >= 2*minInside && wide > end {
				end = wide
			}
			if end-i >= minInside && !yield(Span{i, end}) {
				return
			}
			i = max(end, i+1)
		}
	}
}

// textEnd returns where text in UTF-8 ends that begins at a place.
func textEnd(b []byte, at int) int {
	for at < len(b) {
		switch c := b[at]; {
		case isASCIIText(c):
			at++
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(b[at:])
			if r == utf8.RuneError || r < 0xa0 {
				return at
			}
			at += size
		default:
			return at
		}
	}
	return at
}

// wideEnd returns where text in UTF-16 ends that begins at a place.
func wideEnd(b []byte, at int) int {
	low, high := 0, 1
	if at+1 < len(b) && b[at] == 0 {
		low, high = 1, 0
	}
	for at+1 < len(b) && b[at+high] == 0 && isASCIIText(b[at+low]) {
		at += 2
	}
	return at
}

func isASCIIText(c byte) bool { return c >= ' ' && c < 0x7f || c >= 9 && c < 14 }

// plainText returns what bytes say in UTF-8 or in UTF-16.
func plainText(b []byte) (string, bool) {
	wide := 0
	for _, c := range b {
		if c == 0 {
			wide++
		}
	}
	if wide == 0 {
		return strings.ToValidUTF8(string(b), ""), true
	}
	out := make([]byte, 0, len(b)-wide)
	for _, c := range b {
		if c != 0 {
			out = append(out, c)
		}
	}
	return string(out), wide*2 >= len(b)-2
}
