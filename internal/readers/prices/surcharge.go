package prices

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/metering"
)

// A surcharge is what a member of a usage does to the price of a call.
type surcharge struct {
	Provider string
	Models   []string // that it holds for; none is all of the provider
	Member   string   // of a usage of the format
	Value    string   // of that member, "" for a number
	Factor   float64  // by which the price of all tokens is multiplied, 0 for none
	Each     amount   // what each costs that the number counts, in USD
	UpTo     int64    // the largest prompt that it holds for, in tokens, 0 for any
	Source   string   // who says so
	Date     string   // and when
}

// find returns the surcharge for a member of a usage of a model.
func (t *Table) find(m *Model, member, value string, prompt int64) *surcharge {
	for i := range t.surcharges {
		s := &t.surcharges[i]
		if s.Provider == m.Provider && s.Member == member && s.Value == strings.ToLower(value) &&
			(len(s.Models) == 0 || slices.Contains(s.Models, m.ID)) && (s.UpTo == 0 || prompt <= s.UpTo) {
			return s
		}
	}
	return nil
}

// Charge returns what a call costs at a time, in milliseconds since the epoch, with all that its usage
// says of its price. If something of that has no price, because names the member of the usage.
func (t *Table) Charge(m *Model, tokens Tokens, p metering.Price, at int64) (cost Money, because string) {
	if name, _, _ := strings.Cut(p.Unknown, ","); name != "" {
		return 0, name
	}
	if tokens.Unsplit > 0 {
		return 0, "totalTokens"
	}
	cost = m.Cost(tokens, at)
	for _, member := range []struct{ name, value string }{{metering.PriceTier, p.Tier}, {metering.PriceSpeed, p.Speed}, {metering.PriceGeo, p.Geo}} {
		if member.value == "" {
			continue
		}
		s := t.find(m, member.name, member.value, tokens.Prompt())
		if s == nil {
			return 0, member.name
		}
		cost = cost.times(s.Factor)
	}
	if p.Searches > 0 {
		s := t.find(m, metering.PriceSearches, "", tokens.Prompt())
		if s == nil {
			return 0, metering.PriceSearches
		}
		high, each := bits.Mul64(uint64(p.Searches), uint64(s.Each))
		if high > 0 || each > uint64(MostMoney) {
			return MostMoney, ""
		}
		cost = cost.Add(Money(each))
	}
	return cost, ""
}

// times returns an amount multiplied by a factor, which counts in thousandths.
func (m Money) times(factor float64) Money {
	high, low := bits.Mul64(uint64(m), uint64(factor*1000+0.5))
	if high >= 1000 {
		return MostMoney
	}
	n, _ := bits.Div64(high, low, 1000)
	return Money(min(n, uint64(MostMoney)))
}
