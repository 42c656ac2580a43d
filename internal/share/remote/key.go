package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/pkg/js"
)

// maxKey is the longest key in bytes. With a number behind it, it fits into a file name.
const maxKey = 200

// hashed begins the key of a session whose id is too long.
const hashed = "h-"

// KeyOf returns the name of a session in the remote, made of its id: bytes other than
// letters, digits, _ and - are %XX. An id that is too long becomes its SHA-256. Two
// ids never have one key, and a key is never empty, "." or "..", nor does it hold a
// slash.
func KeyOf(id string) string {
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		if plain(c) && (i > 0 || !strings.HasPrefix(id, hashed)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() == 0 || b.Len() > maxKey {
		sum := sha256.Sum256([]byte(id))
		return hashed + hex.EncodeToString(sum[:])
	}
	return b.String()
}

func plain(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// IDOf returns the id whose key it is. It reports false for a key that holds only
// the SHA-256 of an id, and for a name that KeyOf never returns.
func IDOf(key string) (string, bool) {
	b := make([]byte, 0, len(key))
	for i := 0; i < len(key); i++ {
		if key[i] != '%' {
			b = append(b, key[i])
			continue
		}
		c, err := strconv.ParseUint(key[i+1:min(i+3, len(key))], 16, 8)
		if err != nil {
			return "", false
		}
		b = append(b, byte(c))
		i += 2
	}
	id := string(b)
	return id, KeyOf(id) == key
}

// ValidKey reports whether KeyOf may have returned a name.
func ValidKey(name string) bool {
	if _, ok := IDOf(name); ok {
		return true
	}
	rest, ok := strings.CutPrefix(name, hashed)
	sum, err := hex.DecodeString(rest)
	return ok && err == nil && len(sum) == sha256.Size && strings.ToLower(rest) == rest
}

// Shard returns the two hex digits that spread keys over directories and prefixes: ids
// that begin with a time would all meet at one place.
func Shard(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:1])
}

// FirstMonth returns the month of the oldest cards that a listing since a time has, "" for the zero time: then it has all.
func FirstMonth(since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return Month(js.FormatTime(since.UnixMilli()))
}

// Month returns where the card of a session stands that was made at a time, given as
// the header has it.
func Month(made string) string {
	if ms, ok := js.ParseTime(made); ok {
		if t := js.FormatTime(ms); len(t) > 7 && t[4] == '-' {
			return t[:7]
		}
	}
	return "0000-00"
}

// A Card is what a listing says of a session, without reading it. It is advice: the
// parts decide.
type Card struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	CWD      string `json:"cwd"`
	Made     string `json:"made"`     // the header's timestamp
	Modified string `json:"modified"` // of the newest message
	Entries  int    `json:"entries"`
	Messages int    `json:"messages"`
	Exact    bool   `json:"exact"` // false: the counts are lower bounds
	Bytes    int64  `json:"bytes"`
	N        uint64 `json:"n"` // parts
	Pos      Pos    `json:"pos"`
	Leaf     string `json:"leaf"`
	Host     string `json:"host"` // that wrote the card

	// These are of the header, "" where it does not have them.
	Agent string `json:"agent,omitempty"`
	User  string `json:"user,omitempty"`
	Repo  string `json:"repo,omitempty"`

	// These are zero if the pusher did not know them. Copies of calls in forks count, and so sums over cards
	// count some calls twice.
	Tokens   Tokens `json:"tokens,omitzero"`
	Cost     string `json:"cost,omitempty"`     // in USD, a decimal number, stored and computed; "" if none is known
	Unpriced int64  `json:"unpriced,omitempty"` // calls whose cost is not known, which Cost leaves out
	Prices   string `json:"prices,omitempty"`   // the day of the prices that computed costs are by; "" if none is
}

// Tokens are those that the calls of a session report.
type Tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Reasoning  int64 `json:"reasoning"`         // of Output
	Unsplit    int64 `json:"unsplit,omitempty"` // of calls that tell the sum of their tokens alone
}

// maxCard is the largest card that is read, in bytes.
const maxCard = 64 << 10

// maxText is the longest title or directory that a card has, in bytes.
const maxText = 4 << 10

// Key is the key of the session.
func (c Card) Key() string { return KeyOf(c.ID) }

// Encode returns the card as one line of JSON.
func (c Card) Encode() ([]byte, error) {
	c.Title, c.CWD, c.User, c.Repo = cut(c.Title), cut(c.CWD), cut(c.User), cut(c.Repo)
	b, err := json.Marshal(c)
	return append(b, '\n'), err
}

// ParseCard reads the card of the session with a key. The error is ErrNoCard if it is none.
func ParseCard(b []byte, key string) (c Card, err error) {
	if err = json.Unmarshal(b, &c); err == nil && c.Key() != key {
		err = errors.New("it names another session")
	}
	if err != nil {
		return Card{}, fmt.Errorf("%w that can be read for %s: %w", ErrNoCard, key, err)
	}
	return c, nil
}

// cut returns a text that is not too long for a card. A character that is cut in two
// becomes U+FFFD in JSON.
func cut(s string) string { return s[:min(len(s), maxText)] }
