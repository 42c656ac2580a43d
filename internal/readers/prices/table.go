package prices

import (
	"bytes"
	"compress/gzip"
	_ "embed" // for the table
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/lazy"
)

//go:embed prices.json.gz
var builtin []byte

//go:embed more.json.gz
var second []byte

//go:embed models.json
var byHand []byte

// Snapshot are the sources of the table that is built in, the first with its date, and SnapshotDate is the
// date of the second. They are known without reading it.
const (
	Snapshot     = "@pydantic/genai-prices 0.1.8 of 2026-09-23, @earendil-works/pi-ai 1.6.0"
	SnapshotDate = "2026-11-20"
)

// ErrTable is matched by the errors of [Parse].
var ErrTable = errors.New("not a table of prices")

// A Table has the prices of models, by the provider that asks them. It does not change.
type Table struct {
	Source  string // whose prices these are
	Date    string // of when they are, as 2026-09-23
	License string // the notice of the table's makers, "" if it has none

	sources    []models      // the first that has a model counts
	more       func() models // of a source that is asked behind them, nil for none: it is read when it is
	surcharges []surcharge
}

// models are those of one source by their provider, and by name and alias, all in lower case.
type models map[string]map[string]*Model

// Builtin returns the table that is built in: models that were written by hand, and behind them those of the snapshot.
var Builtin = sync.OnceValues(func() (*Table, error) {
	data, err := unpacked(builtin)
	if err != nil {
		return nil, err
	}
	t, err := withModels(data, byHand)
	if err != nil {
		return nil, err
	}
	t.more = sync.OnceValue(func() models {
		of, _ := secondSource() // the tests read it
		return of
	})
	return t, nil
})

// secondSource returns the models of the second source.
func secondSource() (models, error) {
	data, err := unpacked(second)
	if err != nil {
		return nil, err
	}
	var in modelsJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, err
	}
	return in.models()
}

func unpacked(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// withModels returns the table of data with the models of a second text in front of it.
func withModels(data, hand []byte) (*Table, error) {
	t, err := Parse(data)
	if err != nil {
		return nil, err
	}
	var in modelsJSON
	if err := json.Unmarshal(hand, &in); err != nil {
		return nil, fmt.Errorf("%w: models.json: %w", ErrTable, err)
	}
	for provider, of := range in {
		for id, m := range of {
			if _, err := time.Parse(time.DateOnly, m.Date); err != nil || m.Source == "" {
				return nil, fmt.Errorf("%w: models.json: model %s of %s has no source or no date", ErrTable, id, provider)
			}
		}
	}
	of, err := in.models()
	if err != nil {
		return nil, err
	}
	t.sources = append([]models{of}, t.sources...)
	return t, nil
}

// tableJSON is a table as it is stored.
type tableJSON struct {
	Source, Date, License string
	Surcharges            []surcharge
	Providers             modelsJSON
}

// modelsJSON are the models of one source, by their provider.
type modelsJSON map[string]map[string]struct {
	Aliases []string
	Window  int64
	Prices  []row
	Source  string // who says so, of a model that was written by hand
	Date    string // and when
}

func (in modelsJSON) models() (models, error) {
	out := models{}
	for name, of := range in {
		byName := map[string]*Model{}
		for id, m := range of {
			if len(m.Prices) == 0 {
				return nil, fmt.Errorf("%w: model %s of %s has no prices", ErrTable, id, name)
			}
			model := &Model{Provider: name, ID: id, Window: m.Window, rows: m.Prices}
			byName[strings.ToLower(id)] = model
			for _, alias := range m.Aliases {
				if alias = strings.ToLower(alias); byName[alias] == nil && !has(of, alias) {
					byName[alias] = model
				}
			}
		}
		out[strings.ToLower(name)] = byName
	}
	return out, nil
}

// Parse reads a table from JSON: an object with a source, a date, and providers, each an
// object of models. A model has a list of prices, and may have aliases and a window.
// sess-stat(1) describes it.
func Parse(data []byte) (*Table, error) {
	var in tableJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	if in.Source == "" || len(in.Providers) == 0 {
		return nil, fmt.Errorf("%w: it has no source or no providers", ErrTable)
	}
	if _, err := time.Parse(time.DateOnly, in.Date); err != nil {
		return nil, fmt.Errorf("%w: its date is %q, and not one like %s", ErrTable, in.Date, SnapshotDate)
	}
	t := &Table{Source: in.Source, Date: in.Date, License: in.License, surcharges: in.Surcharges}
	for _, c := range in.Surcharges {
		if c.Source == "" || c.Member == "" || c.Factor < 0 {
			return nil, fmt.Errorf("%w: a surcharge has no source or no member, or a factor below 0", ErrTable)
		}
	}
	of, err := in.Providers.models()
	if err != nil {
		return nil, err
	}
	t.sources = []models{of}
	return t, nil
}

// all yields the sources in the order in which they are asked.
func (t *Table) all(yield func(models) bool) {
	for _, of := range t.sources {
		if !yield(of) {
			return
		}
	}
	if t.more != nil {
		yield(t.more())
	}
}

func has[V any](m map[string]V, key string) bool {
	_, ok := m[key]
	return ok
}

// A Model is a model of a provider.
type Model struct {
	Provider, ID string
	Window       int64 // the size of its context in tokens, 0 if that is not known

	rows []row // the last that is in force at a time counts
}

// A row has the prices that hold from a day on, or at hours of the day.
type row struct {
	Since    day
	From, To clock // hours that hold if To is not From

	Input, Output, CacheRead, CacheWrite, CacheWrite1h, Reasoning *price

	Request amount
}

// A day is milliseconds since the epoch, 0 if the row holds from the beginning.
type day int64

// UnmarshalText reads a date.
func (d *day) UnmarshalText(text []byte) error {
	at, err := time.Parse(time.DateOnly, string(text))
	*d = day(at.UnixMilli())
	return err
}

// A clock is milliseconds since midnight in UTC.
type clock int64

// UnmarshalText reads a time of the day.
func (c *clock) UnmarshalText(text []byte) error {
	at, err := time.Parse("15:04:05Z07:00", string(text))
	if err != nil {
		return err
	}
	at = at.UTC()
	*c = clock((at.Hour()*60+at.Minute())*60+at.Second()) * 1000
	return nil
}

// An amount is money written as a number of dollars.
type amount Money

// UnmarshalJSON reads an amount.
func (m *amount) UnmarshalJSON(data []byte) error {
	var usd float64
	if err := json.Unmarshal(data, &usd); err != nil {
		return err
	}
	of, ok := Of(usd)
	if !ok {
		return fmt.Errorf("%s is no price", data)
	}
	*m = amount(of)
	return nil
}

// A price is what a token costs, by the size of the prompt.
type price struct {
	base  rate
	tiers []tier // by above
}

// A tier holds for prompts of more tokens than above.
type tier struct {
	above int64
	rate  rate
}

// UnmarshalJSON reads a price for a million tokens: a number, or a list of the base and
// then, for each tier, the size it begins above and its price.
func (p *price) UnmarshalJSON(data []byte) error {
	list := []float64{0}
	into := any(&list[0])
	if bytes.HasPrefix(data, []byte("[")) {
		into = &list
	}
	if err := json.Unmarshal(data, into); err != nil {
		return err
	}
	if len(list)%2 == 0 {
		return fmt.Errorf("%s is no list of a price and tiers", data)
	}
	var rates []rate
	for i := 0; i < len(list); i += 2 {
		units := math.Round(list[i] * 1e12)
		if !(units >= 0 && units < 1<<53) || i > 0 && !(list[i-1] >= 0 && list[i-1] < 1<<53) {
			return fmt.Errorf("%s is no price", data)
		}
		rates = append(rates, rate(units))
	}
	p.base = rates[0]
	for i, r := range rates[1:] {
		p.tiers = append(p.tiers, tier{int64(list[2*i+1]), r})
	}
	return nil
}

// at returns the rate for a prompt of a size.
func (p *price) at(prompt int64) rate {
	r := p.base
	for _, t := range p.tiers {
		if prompt > t.above {
			r = t.rate
		}
	}
	return r
}

// others are the names that programs have for providers of the table.
var others = map[string]string{
	"amazon-bedrock": "aws", "bedrock": "aws",
	"azure-openai-responses": "azure", "azure-openai": "azure",
	"google-vertex": "google", "google-gemini-cli": "google", "google-antigravity": "google", "gemini": "google", "vertex": "google",
	"openai-codex": "openai", "openai-responses": "openai",
	"xai": "x-ai", "moonshot": "moonshotai", "moonshotai-cn": "moonshotai", "kimi-coding": "moonshotai",
	"minimax-cn": "minimax", "zai-coding-cn": "zai", "cloudflare-workers-ai": "cloudflare", "together-ai": "together",
	"claude": "anthropic",
}

// makers are the providers that sell models of their own, in the order in which they are
// asked for a model that a gateway has no price for.
var makers = []string{"anthropic", "openai", "google", "x-ai", "mistral", "deepseek", "moonshotai", "zhipuai", "zai", "minimax", "cohere"}

// hosts are the providers that sell the models of makers at the makers' prices, where
// they ask none of their own.
var hosts = map[string][]string{
	"azure": {"openai", "anthropic", "deepseek", "x-ai", "moonshotai"}, "google": {"anthropic"}, "zai": {"zhipuai"},
}

// resellers are makers that sell another maker's models as well: they are not who made those.
var resellers = map[string]string{"google": "anthropic"}

// gateways are providers that hand calls on to makers. Where the table has no price of theirs, that of the maker is
// the best that is known.
var gateways = []string{"github-copilot", "opencode", "opencode-zen", "opencode-go", "vercel-ai-gateway"}

// As returns "PROVIDER/MODEL" of the maker by whose price a call through a gateway is computed, "" if the
// provider is no gateway, or the table has the gateway's price.
func (m *Model) As(provider string) string {
	if provider = strings.ToLower(provider); slices.Contains(gateways, provider) && m.Provider != provider {
		return m.Provider + "/" + m.ID
	}
	return ""
}

// Unnamed reports whether a session names no provider.
func Unnamed(provider string) bool {
	provider = strings.ToLower(strings.TrimSpace(provider))
	return provider == "" || provider == "unknown"
}

// makersOf returns the models of a name, one for each maker that has it.
func (of models) makersOf(name string) (all []*Model) {
	for _, p := range makers {
		m, ok := of[p][name]
		if _, resold := of[resellers[p]][name]; ok && !resold {
			all = append(all, m)
		}
	}
	return all
}

// Find returns a model by the names that a session has for its provider and for it. The
// name is looked for as it is, then without a date, a version or a word like latest at
// its end, then without a region and the name of a maker in front; each may be an alias
// of the table. Nothing is guessed: a model of one provider is never priced as that of
// another. Without a provider, it is the model of the one maker that has it: an assumption, which a report has to name.
func (t *Table) Find(provider, model string) (*Model, bool) {
	provider = strings.ToLower(strings.TrimSpace(provider))
	model = strings.ToLower(strings.TrimSpace(model))
	if Unnamed(provider) {
		provider = ""
		if maker, rest, ok := strings.Cut(model, "/"); ok && t.known(maker) != "" {
			provider, model = maker, rest
		}
	}
	among := makers
	if gateway := slices.Contains(gateways, provider); gateway {
		among = append([]string{t.known(provider)}, makers...)
	} else if provider != "" {
		known := t.known(provider)
		among = append([]string{known}, hosts[known]...)
	}
	for of := range t.all {
		if m, ok := of.find(provider, among, spellings(model)); m != nil || ok {
			return m, m != nil
		}
	}
	return nil, false
}

// find returns the model of the first of the names that a source has. Without a provider it is that of the one maker; known
// says that several makers have it, at different prices.
func (of models) find(provider string, among, names []string) (m *Model, known bool) {
	for _, name := range names {
		if provider == "" {
			switch all := of.makersOf(name); len(all) {
			case 0:
			case 1:
				return all[0], true
			default:
				return nil, true
			}
			continue
		}
		for _, p := range among {
			if m, ok := of[p][name]; ok {
				return m, true
			}
		}
	}
	return nil, false
}

// known returns the name that the table has for a provider, "" for none.
func (t *Table) known(provider string) string {
	for of := range t.all {
		for _, name := range []string{provider, others[provider]} {
			if has(of, name) {
				return name
			}
		}
	}
	return ""
}

var (
	// version is what may stand behind a model's name: a date, or a word for the newest.
	version = lazy.Regexp(`([-@:](20\d{6}|20\d\d-\d\d-\d\d|latest|default))(-v\d+(:\d+)?)?$`)
	// release is the version of a model at Bedrock.
	release = lazy.Regexp(`-v\d+(:\d+)?$`)
	// region is the prefix of a model's name there.
	region = lazy.Regexp(`^(global|us|us-gov|eu|apac|au|jp|ca|in)\.`)
	// maker is who made a model, in front of its name.
	maker = lazy.Regexp(`^(anthropic|openai|google|amazon|meta|mistral|mistralai|deepseek|x-ai|xai|moonshotai|qwen|zai|minimax)[./]`)
	// size is a context that was asked for.
	size = lazy.Regexp(`\[1m\]$`)
)

// spellings returns the names to look for, the nearest first.
func spellings(model string) []string {
	out := []string{model}
	for _, strip := range []func() *regexp.Regexp{size, region, version, release, maker, version, release} {
		if next := strip().ReplaceAllString(out[len(out)-1], ""); next != out[len(out)-1] && next != "" {
			out = append(out, next)
		}
	}
	return slices.Compact(out)
}

// Tokens are those of one call. Each is counted once, but for Reasoning, which is a part
// of Output, and CacheWrite1h, which is a part of CacheWrite.
type Tokens struct {
	Input, Output         int64
	CacheRead, CacheWrite int64
	CacheWrite1h          int64 // of CacheWrite, the tokens that last an hour
	Reasoning             int64 // of Output
	Unsplit               int64 // of which only the sum is told
}

// Prompt is how many tokens a model was given.
func (t Tokens) Prompt() int64 { return sum(t.Input, t.CacheRead, t.CacheWrite) }

// Total is how many tokens there were.
func (t Tokens) Total() int64 { return sum(t.Prompt(), t.Output, t.Unsplit) }

// Add returns the sums of two calls.
func (t Tokens) Add(u Tokens) Tokens {
	return Tokens{
		Input: sum(t.Input, u.Input), Output: sum(t.Output, u.Output),
		CacheRead: sum(t.CacheRead, u.CacheRead), CacheWrite: sum(t.CacheWrite, u.CacheWrite),
		CacheWrite1h: sum(t.CacheWrite1h, u.CacheWrite1h), Reasoning: sum(t.Reasoning, u.Reasoning), Unsplit: sum(t.Unsplit, u.Unsplit),
	}
}

// Less returns the tokens without those of a part, at least 0 of each.
func (t Tokens) Less(u Tokens) Tokens {
	return Tokens{
		Input: max(0, t.Input-u.Input), Output: max(0, t.Output-u.Output),
		CacheRead: max(0, t.CacheRead-u.CacheRead), CacheWrite: max(0, t.CacheWrite-u.CacheWrite),
		CacheWrite1h: max(0, t.CacheWrite1h-u.CacheWrite1h), Reasoning: max(0, t.Reasoning-u.Reasoning), Unsplit: max(0, t.Unsplit-u.Unsplit),
	}
}

// sum adds counts, which are not below 0, and stays at the largest there is.
func sum(counts ...int64) int64 {
	var n Money
	for _, c := range counts {
		n = n.Add(Money(c))
	}
	return int64(n)
}

// Cost returns what a call costs at a time, in milliseconds since the epoch.
func (m *Model) Cost(t Tokens, at int64) Money {
	r := m.row(at)
	prompt := t.Prompt()
	hour := min(t.CacheWrite1h, t.CacheWrite)
	thought := min(t.Reasoning, t.Output)
	total, rest := Money(r.Request), uint64(0)
	for _, part := range []struct {
		tokens int64
		prices []*price // the first there is counts
	}{
		{t.Input, []*price{r.Input}},
		{t.CacheRead, []*price{r.CacheRead, r.Input}},
		{t.CacheWrite - hour, []*price{r.CacheWrite, r.Input}},
		{hour, []*price{r.CacheWrite1h, r.CacheWrite, r.Input}},
		{t.Output - thought, []*price{r.Output}},
		{thought, []*price{r.Reasoning, r.Output}},
	} {
		for _, p := range part.prices {
			if p != nil {
				cost, left := p.at(prompt).of(part.tokens)
				total, rest = total.Add(cost), rest+left
				break
			}
		}
	}
	return total.Add(Money((rest + unit/2) / unit))
}

// row returns the prices in force at a time.
func (m *Model) row(at int64) row {
	const dayLong = 24 * 60 * 60 * 1000
	hour := clock((at%dayLong + dayLong) % dayLong)
	for i := len(m.rows) - 1; i > 0; i-- {
		r := m.rows[i]
		switch {
		case r.From < r.To && hour >= r.From && hour < r.To,
			r.From > r.To && (hour >= r.From || hour < r.To),
			r.From == r.To && at >= int64(r.Since):
			return r
		}
	}
	return m.rows[0]
}

// Money is an amount in units of 1e-12 USD. It is an integer, so sums do not depend on their order,
// and it holds up to nine million dollars: a higher amount stays at that.
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
