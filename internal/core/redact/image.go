package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"github.com/sess-tools/sess/internal/core/secret"
)

// minImage is how long base64 has to be to be looked at as an image, in bytes.
const minImage = 64

// magics are how the base64 of the raster formats begins whose end is known.
var magics = []struct {
	head string
	end  func(data []byte) int // the length of the image, 0 if it is none
}{
	{"iVBORw0KGgo", pngEnd},
	{"/9j/", jpegEnd},
	{"R0lGOD", gifEnd},
	{"UklGR", webpEnd},
}

// images returns where in a text the base64 of whole images stands: the bytes of one may
// look like anything. What follows an image in its base64 is no image: it is looked at, and
// if it holds a secret it is cut off; and so is what only begins like an image.
func images(text string, find func(string) []secret.Finding) (list []secret.Span, tails []secret.Finding) {
	if len(text) < minImage {
		return nil, nil
	}
	for _, m := range magics {
		for at := 0; ; {
			i := strings.Index(text[at:], m.head)
			if i < 0 {
				break
			}
			from := at + i
			to := from
			for to < len(text) && isBase64(text[to]) {
				to++
			}
			at = to
			if from > 0 && isBase64(text[from-1]) || to-from < minImage {
				continue
			}
			data, err := base64.RawStdEncoding.DecodeString(text[from:to])
			if err != nil {
				continue
			}
			n := m.end(data)
			if n <= 0 || n > len(data) { // it only begins like one
				if found := find(string(data)); len(found) > 0 {
					tails = append(tails, encodedFinding(found[0], secret.Span{From: from, To: skipPadding(text, to)}, ""))
				}
				continue
			}
			last := from + (n+2)/3*4 // the image, padded
			list = append(list, secret.Span{From: from, To: min(last, to)})
			if n < len(data) {
				tails = append(tails, tailOf(data, n, secret.Span{From: from + n/3*4, To: skipPadding(text, to)}, find)...)
			}
		}
	}
	return list, tails
}

// tailOf returns the finding that cuts off what follows the n bytes of an image.
func tailOf(data []byte, n int, at secret.Span, find func(string) []secret.Finding) []secret.Finding {
	found := find(string(data[n:]))
	if len(found) == 0 {
		return nil
	}
	as := base64.StdEncoding.EncodeToString(data[n/3*3 : n])
	if as == "" {
		as = nothing
	}
	return []secret.Finding{encodedFinding(found[0], at, as)}
}

// encodedFinding returns a finding in what base64 says as one in the base64.
func encodedFinding(f secret.Finding, at secret.Span, as string) secret.Finding {
	f.Span, f.As = at, as
	f.Encodings = append([]string{"base64"}, f.Encodings...)
	return f
}

func isBase64(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/'
}

// skipPadding returns the index after the "=" that stand at an index.
func skipPadding(text string, at int) int {
	for at < len(text) && text[at] == '=' {
		at++
	}
	return at
}

// pngEnd walks the chunks up to IEND: a length, four letters, the data, a checksum.
func pngEnd(data []byte) int {
	for at := 8; at+12 <= len(data); {
		n := int(binary.BigEndian.Uint32(data[at:]))
		end := at + 12 + n
		if n < 0 || end > len(data) {
			return 0
		}
		if string(data[at+4:at+8]) == "IEND" {
			return end
		}
		at = end
	}
	return 0
}

// jpegEnd walks the segments up to the scan, and looks for the marker of the end.
func jpegEnd(data []byte) int {
	at := 2
	for at+4 <= len(data) {
		if data[at] != 0xff {
			return 0
		}
		marker := data[at+1]
		at += 2
		switch {
		case marker == 0xd9:
			return at
		case marker == 0xff:
			at--
			continue
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd7:
			continue
		}
		at += int(binary.BigEndian.Uint16(data[at:]))
		if marker != 0xda {
			continue
		}
		for at < len(data) { // the scan: 0xff is followed by 0, or by a marker
			i := bytes.IndexByte(data[at:], 0xff)
			if i < 0 || at+i+1 >= len(data) {
				return 0
			}
			at += i
			if next := data[at+1]; next != 0 && (next < 0xd0 || next > 0xd7) {
				break
			}
			at += 2
		}
	}
	if at+2 <= len(data) && data[at] == 0xff && data[at+1] == 0xd9 {
		return at + 2
	}
	return 0
}

// gifEnd walks the blocks up to the trailer.
func gifEnd(data []byte) int {
	if len(data) < 13 {
		return 0
	}
	table := func(flags byte) int {
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	at := 13 + table(data[10])
	for at < len(data) {
		switch data[at] {
		case 0x3b:
			return at + 1
		case 0x21:
			at += 2
		case 0x2c:
			if at+10 > len(data) {
				return 0
			}
			at += 11 + table(data[at+9])
		default:
			return 0
		}
		for at < len(data) && data[at] != 0 {
			at += 1 + int(data[at])
		}
		at++
	}
	return 0
}

// webpEnd reads the length of the container, which is even.
func webpEnd(data []byte) int {
	if len(data) < 12 || string(data[8:12]) != "WEBP" {
		return 0
	}
	n := int(binary.LittleEndian.Uint32(data[4:])) + 8
	return n + n%2
}
