package redact

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/guard/secret"
)

// nothing is a replacement that is empty.
const nothing = "\x00"

// maxMask is how many characters of a secret may stay, at most.
const maxMask = 8

// A Style says what stands in place of a secret.
type Style struct {
	Hash bool   // with the first digits of a digest: what was the same stays the same
	Mask int    // with so many of the first characters, of at most a quarter of the secret
	Text string // this and nothing else
	Key  []byte // of the digest
}

// ParseStyle reads kind, hash, mask:N or a text.
func ParseStyle(word string) (s Style, err error) {
	number, mask := strings.CutPrefix(word, "mask:")
	switch {
	case word == "kind" || word == "":
	case word == "hash":
		s.Hash = true
	case mask:
		s.Mask, err = strconv.Atoi(number)
		if err != nil || s.Mask < 1 || s.Mask > maxMask {
			return s, fmt.Errorf("mask:%s: want 1 to %d characters", number, maxMask)
		}
	default:
		for _, c := range word {
			if c < ' ' || c == '"' || c == '\\' || c == '\'' || c == 0x7f {
				return s, fmt.Errorf("a replacement has no quotes, backslashes and control characters, for it stands in all kinds of text")
			}
		}
		s.Text = word
	}
	return s, nil
}

// marker returns what replaces a finding. It may stand in JSON, in a shell and in a URL as it
// does in text.
func (s Style) marker(f secret.Finding) string {
	switch {
	case f.As == nothing:
		return ""
	case f.As != "":
		return f.As
	case s.Text != "":
		return s.Text
	case s.Mask > 0:
		return head(f, s.Mask) + "***"
	case s.Hash:
		return "[redacted:" + f.Rule + ":" + hex.EncodeToString(f.Sum(s.Key))[:8] + "]"
	}
	return "[redacted:" + f.Rule + "]"
}

// head returns the first characters of a secret as far as they are harmless anywhere.
func head(f secret.Finding, n int) string {
	text := f.Head(min(n, f.Len()/4))
	for i, c := range []byte(text) {
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return text[:i]
		}
	}
	return text
}
