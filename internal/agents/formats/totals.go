package formats

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
)

// counters are the tokens that are counted, by their names in a usage.
var counters = [...]string{"input", "output", "cacheRead", "cacheWrite", "reasoning"}

// spent is what was used: tokens of the counters, and their cost in units of 1e-12 USD, 0 if that is not told.
type spent struct {
	tokens [len(counters)]int64
	cost   int64
}

// unitsPerUSD are the units of the cost of spent. They are exact for the parts of a cent that programs tell.
const unitsPerUSD = 1e12

// spentIn returns the counters and the cost of a usage.
func spentIn(usage js.Value) (n spent) {
	of := js.DictOf(usage, nil)
	for i, name := range counters {
		n.tokens[i] = api.Tokens(of.Get(name))
	}
	if cost := of.Get("cost", "total").Float(); cost > 0 && cost < math.MaxInt64/unitsPerUSD {
		n.cost = int64(math.Round(cost * unitsPerUSD))
	}
	return n
}

// plus returns a sum, of which v counts so many times.
func (n spent) plus(v spent, times int64) spent {
	for i := range n.tokens {
		n.tokens[i] += v.tokens[i] * times
	}
	n.cost += v.cost * times
	return n
}

// falls reports whether a counter is below that of v.
func (n spent) falls(v spent) bool {
	for i := range n.tokens {
		if n.tokens[i] < v.tokens[i] {
			return true
		}
	}
	return false
}

// all is the number of tokens: reasoning is a part of the output.
func (n spent) all() int64 { return n.tokens[0] + n.tokens[1] + n.tokens[2] + n.tokens[3] }

// sum adds up what models used.
func sum(of map[string]spent) (all spent) {
	for _, n := range of {
		all = all.plus(n, 1)
	}
	return all
}

// A Count adds up what entries of a session used, for a source that tells totals. The zero value has counted
// nothing.
type Count struct {
	spent  map[string]spent // by the model
	before map[string]spent // by the total told last, with its rest, or before the run
	told   spent            // the total told last
	runs   bool             // a total counted only what came behind the one before it
	said   Gap              // of this run if each has its own total, else of all
}

// Add adds the usage of an entry.
func (c *Count) Add(usage js.Value, model string) {
	if c.spent == nil {
		c.spent = map[string]spent{}
	}
	model = cmp.Or(model, "unknown")
	c.spent[model] = c.spent[model].plus(spentIn(usage), 1)
}

// anew reports whether a total counts only what came behind the one before it: a counter fell, or its output is
// nearer to what replies said since than to all that replies said. Where none came since, it is as it was.
func (c *Count) anew(total spent) bool {
	const output = 1
	said, before := sum(c.spent).tokens[output], sum(c.before).tokens[output]
	far := func(n int64) int64 { return max(total.tokens[output]-n, n-total.tokens[output]) }
	c.runs = total.falls(c.told) || c.runs && said == before || far(said-before) < far(said)
	return c.runs
}

// Run begins a run of the source's program: a total that counts the run alone has nothing from before it.
func (c *Count) Run() { c.before = maps.Clone(c.spent) }

// Of returns what says that one provider sells all models.
func Of(provider string) func(model string) string { return func(string) string { return provider } }

// Rest compares the total that the source has for each model with what was counted so far. It returns the fields of an entry
// for each model whose total is larger, with the tokens that are missing and the cost that no call told, and counts them.
// Provider says who sells a model. If the calls have more tokens than the total, a last entry says so, see [Gap.Differ].
func (c *Count) Rest(usage map[string]js.Value, provider func(model string) string, lose func(kind, format string, args ...any)) (entries [][]js.Field) {
	of := map[string]spent{}
	for model, v := range usage {
		of[cmp.Or(model, "unknown")] = spentIn(v)
	}
	total, said := sum(of), c.spent
	if c.anew(total) {
		c.said, said = Gap{}, map[string]spent{}
		for model, n := range c.spent {
			said[model] = n.plus(c.before[model], -1)
		}
	}
	parts := sum(said)
	left := total.plus(parts, -1)
	c.told = total
	models := slices.Sorted(maps.Keys(of))
	for _, model := range models {
		rest, some := make([]js.Field, len(counters)), false
		for i, name := range counters {
			n := max(min(of[model].tokens[i]-said[model].tokens[i], left.tokens[i]), 0)
			left.tokens[i] -= n
			parts.tokens[i] += n
			rest[i], some = js.IntField(name, n), some || n > 0
		}
		if cost := max(min(of[model].cost-said[model].cost, left.cost), 0); cost > 0 {
			left.cost -= cost
			rest, some = append(rest, js.RawField("cost", js.Object(js.RawField("total", js.Stringify(strconv.FormatFloat(float64(cost)/unitsPerUSD, 'g', -1, 64)))))), true
		}
		if some {
			used := js.Object(append(rest, js.RawField(reported, usage[model].Get(reported)))...)
			c.Add(js.Value(used), model)
			entries = append(entries, usageEntry(provider(model), model, used))
		}
	}
	if c.said.Grows(parts.all(), total.all()) && len(models) > 0 {
		entries = append(entries, c.said.Differ(provider(models[0]), models[0], parts.all(), total.all(), lose))
	}
	c.Run()
	return entries
}

func usageEntry(provider, model, usage string) []js.Field {
	return []js.Field{js.StringField("kind", usageRest), js.StringField("provider", provider), js.StringField("model", model), js.RawField("usage", usage)}
}

// A Gap is the numbers of tokens that entries of a source have said so far, of its calls and of the total that the source
// has, where both differ.
type Gap struct{ Parts, Total int64 }

// Grows reports whether the calls have more tokens beyond the total than was said.
func (g *Gap) Grows(parts, total int64) bool { return parts-total > g.Parts-g.Total }

// Differ returns the fields of a usage entry that uses nothing, and says that the calls of a source have more tokens than
// its own total, which cannot be mended: what was not said before, so that such entries add up to both. It is told as a loss.
func (g *Gap) Differ(provider, model string, parts, total int64, lose func(kind, format string, args ...any)) []js.Field {
	number := func(n int64) string { return tty.Thousands(strconv.FormatInt(n, 10)) }
	lose(KindUsage, "its calls have %s tokens, its own total says %s: the calls count", number(parts), number(total))
	none, _ := metering.CompleteUsage(`{"input":0}`)
	more := Gap{parts - g.Parts, total - g.Total}
	*g = Gap{parts, total}
	return usageEntry(provider, model, string(js.Value(none).Add(js.RawField(metering.UsageTotals,
		js.Object(js.IntField("parts", more.Parts), js.IntField("total", more.Total))))))
}
