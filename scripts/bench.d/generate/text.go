package main

import (
	"math"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
)

// poolBytes is how much text is made up; all texts are pieces of it. It is more
// than a processor caches of one level, and quicker than making up a gigabyte.
const poolBytes = 8 << 20

// maxText is the longest text, in bytes of JSON.
const maxText = 200_000

var vocabulary = strings.Fields(`the a of to in is that it with as on by from not when because before after each only
	session entry leaf path parent header message reply summary context token budget window cut line byte range offset
	func return if err nil string int for range struct interface package import var const defer go select case default
	fix parse read write open close lock sync rename append test build run check failed passed expected got actual
	src/main.go pkg/parser/lexer.go internal/cache.go web/index.ts README.md Makefile config.yaml go.mod node_modules
	panic goroutine stack trace warning error exit status timeout retry connection refused permission denied`)

// oddities are what JSON has to escape and what is not ASCII.
var oddities = []string{
	`\"quoted\"`, `C:\\Windows\\System32`, `\tif err != nil {`, `\u001b[31mred\u001b[0m`, `\u0000`, `<&>`,
	"naïve", "Übergröße", "→", "│ ├── └──", "日本語の文", "файл", "😀", "👩‍💻", "…",
}

// pool is text as it stands within the quotes of a JSON string.
type pool struct {
	text []byte
	cuts []int // where words begin
}

func newPool(r *rand.Rand) *pool {
	p := &pool{text: make([]byte, 0, poolBytes+64)}
	column := 0
	for len(p.text) < poolBytes {
		p.cuts = append(p.cuts, len(p.text))
		switch k := r.IntN(100); {
		case k < 84:
			p.text = append(p.text, vocabulary[r.IntN(len(vocabulary))]...)
		case k < 92:
			p.text = strconv.AppendInt(p.text, r.Int64N(1_000_000), 10)
		default:
			p.text = append(p.text, oddities[r.IntN(len(oddities))]...)
		}
		if column++; column > 6+r.IntN(12) {
			p.text = append(p.text, `\n`...)
			column = 0
			continue
		}
		p.text = append(p.text, ' ')
	}
	return p
}

// piece returns whole words of about n bytes.
func (p *pool) piece(r *rand.Rand, n int) []byte {
	begin := r.IntN(len(p.cuts) - 1)
	if p.cuts[begin]+n >= p.cuts[len(p.cuts)-1] {
		begin = r.IntN(max(1, sort.SearchInts(p.cuts, p.cuts[len(p.cuts)-1]-n)))
	}
	end := begin + max(1, sort.SearchInts(p.cuts[begin:], p.cuts[begin]+n))
	return p.text[p.cuts[begin]:p.cuts[min(end, len(p.cuts)-1)]]
}

// length draws the length of a text: log-normal around a median, as the lengths
// of messages are.
func length(r *rand.Rand, median float64) int {
	return int(min(max(median*math.Exp(1.25*r.NormFloat64()), 8), maxText))
}
