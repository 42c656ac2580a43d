package prices

import (
	"bytes"
	"compress/gzip"
	_ "embed" // for the table
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

//go:embed prices.json.gz
var builtin []byte

// Snapshot is the source of the table that is built in, and SnapshotDate its date. They
// are known without reading it.
const (
	Snapshot     = "@pydantic/genai-prices 0.1.8"
	SnapshotDate = "2026-09-23"
)

// ErrTable is matched by the errors of [Parse].
var ErrTable = errors.New("no table of prices")

// A Table has the prices of models, by the provider that asks them. It does not change.
type Table struct {
	Source  string // whose prices these are
	Date    string // of when they are, as 2026-09-23
	License string // the notice of the table's makers, "" if it has none

	providers map[string]map[string]*Model // by name and by alias, all in lower case
}

// Builtin returns the table that is built in.
var Builtin = sync.OnceValues(func() (*Table, error) {
	r, err := gzip.NewReader(bytes.NewReader(builtin))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return Parse(data)
})

// tableJSON is a table as it is stored.
type tableJSON struct {
	Source, Date, License string
	Providers             map[string]map[string]struct {
		Aliases []string
		Window  int64
		Prices  []row
	}
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
	t := &Table{Source: in.Source, Date: in.Date, License: in.License, providers: map[string]map[string]*Model{}}
	for name, models := range in.Providers {
		byName := map[string]*Model{}
		for id, m := range models {
			if len(m.Prices) == 0 {
				return nil, fmt.Errorf("%w: model %s of %s has no prices", ErrTable, id, name)
			}
			model := &Model{Provider: name, ID: id, Window: m.Window, rows: m.Prices}
			byName[strings.ToLower(id)] = model
			for _, alias := range m.Aliases {
				if alias = strings.ToLower(alias); byName[alias] == nil && !has(models, alias) {
					byName[alias] = model
				}
			}
		}
		t.providers[strings.ToLower(name)] = byName
	}
	return t, nil
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
		r, ok := rateOf(list[i])
		if !ok || i > 0 && !(list[i-1] >= 0 && list[i-1] < 1<<53) {
			return fmt.Errorf("%s is no price", data)
		}
		rates = append(rates, r)
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
