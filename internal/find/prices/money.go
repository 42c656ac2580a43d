package prices

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Money is an amount in units of 1e-12 USD. It is an integer, so sums do not depend on
// their order, and it holds up to nine million dollars: what is more stays at that.
type Money int64

// USD is a dollar.
const USD Money = 1e12

// MostMoney is the largest amount there is.
const MostMoney Money = math.MaxInt64

// Add returns the sum of two amounts.
func (m Money) Add(n Money) Money {
	sum := m + n
	switch {
	case m > 0 && n > 0 && sum < 0:
		return MostMoney
	case m < 0 && n < 0 && sum >= 0:
		return -MostMoney
	}
	return sum
}

// Of returns an amount of dollars, rounded to the nearest unit; ok is false for one
// below 0, above what Money holds, or that is no number.
func Of(usd float64) (m Money, ok bool) {
	v := math.Round(usd * float64(USD))
	if !(v >= 0 && v < float64(MostMoney)) {
		return 0, false
	}
	return Money(v), true
}

// Decimal returns the amount in dollars with so many decimals, 12 at most, rounded half
// away from zero.
func (m Money) Decimal(decimals int) string {
	sign, n := "", uint64(m)
	if m < 0 {
		sign, n = "-", uint64(-m)
	}
	unit := uint64(1)
	for range 12 - decimals {
		unit *= 10
	}
	n = (n + unit/2) / unit
	scale := uint64(USD) / unit
	if n == 0 {
		sign = ""
	}
	text := sign + strconv.FormatUint(n/scale, 10)
	if decimals > 0 {
		fraction := strconv.FormatUint(n%scale, 10)
		text += "." + strings.Repeat("0", decimals-len(fraction)) + fraction
	}
	return text
}

// A rate is what a token costs, in units of 1e-18 USD.
type rate uint64

// rateOf returns the rate for a price in dollars of a million tokens.
func rateOf(usd float64) (rate, bool) {
	v := math.Round(usd * 1e12)
	if !(v >= 0 && v < 1<<53) {
		return 0, false
	}
	return rate(v), true
}

// unit is how many units of a rate are one of Money.
const unit = 1e6

// of returns what so many tokens cost, and the units of a rate that are left over.
func (r rate) of(tokens int64) (Money, uint64) {
	hi, lo := bits.Mul64(uint64(r), uint64(max(tokens, 0)))

	if hi >= unit {
		return MostMoney, 0
	}
	q, rest := bits.Div64(hi, lo, unit)
	if q > uint64(MostMoney) {
		return MostMoney, 0
	}
	return Money(q), rest
}
