package tty

import (
	"strconv"
	"strings"
)

// Thousands returns a number, as text, with commas between its thousands. What stands in
// front of its digits and behind them stays.
func Thousands(number string) string {
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	from := max(strings.IndexFunc(number, isDigit), 0)
	to := len(number)
	if n := strings.IndexFunc(number[from:], func(r rune) bool { return !isDigit(r) }); n >= 0 {
		to = from + n
	}
	for at := to - 3; at > from; at -= 3 {
		number = number[:at] + "," + number[at:]
	}
	return number
}

// Count returns a number with its noun: "1 entry", "3,400 entries".
func Count[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(strconv.FormatInt(int64(n), 10)) + " " + many
}
