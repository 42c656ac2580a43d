package remote

import (
	"encoding/json"
	"errors"
	"fmt"
)

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
}

// maxCard is the largest card that is read, in bytes.
const maxCard = 64 << 10

// maxText is the longest title or directory that a card has, in bytes.
const maxText = 4 << 10

// Key is the key of the session.
func (c Card) Key() string { return KeyOf(c.ID) }

// Encode returns the card as one line of JSON.
func (c Card) Encode() ([]byte, error) {
	c.Title, c.CWD = cut(c.Title), cut(c.CWD)
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
