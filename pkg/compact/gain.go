package compact

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A MinGain is how much smaller a compaction has to make a context to be worth
// it. The zero value asks for one token; if both members are set, both count.
type MinGain struct {
	Tokens  int64
	Percent float64 // of the context before
}

// ParseMinGain reads a number of tokens, "500", or a share of the context
// before, "10%" or "2.5%".
func ParseMinGain(s string) (MinGain, error) {
	if share, ok := strings.CutSuffix(s, "%"); ok {
		percent, err := strconv.ParseFloat(share, 64)
		if err == nil && strings.Trim(share, "0123456789.") == "" && percent <= 100 {
			return MinGain{Percent: percent}, nil
		}
		return MinGain{}, fmt.Errorf("%q: a share goes from 0%% to 100%%", s)
	}
	tokens, err := strconv.ParseInt(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return MinGain{}, fmt.Errorf("%q: too many tokens", s)
	case err != nil || strings.Trim(s, "0123456789") != "":
		return MinGain{}, fmt.Errorf(`%q: neither a number of tokens, as "500", nor a share, as "10%%"`, s)
	}
	return MinGain{Tokens: tokens}, nil
}

// String returns what ParseMinGain reads: the share if there is one.
func (m MinGain) String() string {
	if m.Percent > 0 {
		return strconv.FormatFloat(m.Percent, 'f', -1, 64) + "%"
	}
	return decimal(m.Tokens)
}

// Enough reports whether a context of that many tokens before and after has
// become enough smaller.
func (m MinGain) Enough(before, after int64) bool {
	gain := before - after
	return gain >= max(m.Tokens, 1) && float64(gain)*100 >= m.Percent*float64(before)
}
