package prices_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
)

func builtin(t *testing.T) *prices.Table {
	t.Helper()
	table, err := prices.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCosts holds every model of the table to what calcPrice of the package it is from says.
// scripts/prices makes the list, by the functions of both packages; scripts/interop makes it again and compares.
func TestCosts(t *testing.T) {
	t.Parallel()
	table := builtin(t)
	models, rows := map[*prices.Model]bool{}, 0
	for line := range strings.Lines(string(unpacked(t, "testdata/costs.tsv.gz"))) {
		rows++
		f := strings.Split(strings.TrimSpace(line), "\t")
		n := func(i int) int64 {
			v, err := strconv.ParseInt(f[i], 10, 64)
			if err != nil {
				t.Fatalf("%q: %v", f, err)
			}
			return v
		}
		m, ok := table.Find(f[0], f[1])
		if !ok || m.Provider != f[0] || m.ID != f[1] {
			t.Errorf("%s %s: not in the table: %v", f[0], f[1], m)
			continue
		}
		models[m] = true
		at, ok := js.ParseTime(f[2])
		want, err := strconv.ParseFloat(f[9], 64)
		if !ok || err != nil {
			t.Fatal(f, err)
		}
		got := m.Cost(prices.Tokens{Input: n(3), Output: n(4), CacheRead: n(5), CacheWrite: n(6) + n(7), CacheWrite1h: n(7), Reasoning: n(8)}, at)
		if math.Abs(float64(got)/float64(prices.USD)-want) > 1e-9 {
			t.Errorf("%v: %s, want %v", f[:9], got.Decimal(12), want)
		}
	}
	if rows < 8000 || len(models) < 1600 {
		t.Errorf("%d costs of %d models", rows, len(models))
	}
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	table := builtin(t)
	if table.Source != prices.Snapshot || table.Date != prices.SnapshotDate {
		t.Errorf("%s of %s", table.Source, table.Date)
	}
	if !strings.Contains(table.License, "MIT License") || !strings.Contains(table.License, "Pydantic") {
		t.Errorf("notice %q", table.License)
	}
	// scripts/release takes the notices from there.
	var notices []string
	for _, name := range []string{"LICENSE.genai-prices", "LICENSE.pi-ai"} {
		notice, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		notices = append(notices, strings.TrimSpace(string(notice)))
	}
	if table.License != strings.Join(notices, "\n\n") {
		t.Errorf("the notices in the table are %q", table.License)
	}
	if n := len(unpacked(t, "prices.json.gz")); n > 250_000 {
		t.Errorf("%d bytes", n)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	table := builtin(t)
	for _, tt := range []struct{ provider, model, want string }{
		{"anthropic", "claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"},
		{"anthropic", "claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"},
		{"Anthropic", " Claude-Sonnet-4-5-latest", "anthropic/claude-sonnet-4-5"},
		{"anthropic", "claude-opus-4-6[1m]", "anthropic/claude-opus-4-6"},
		{"anthropic", "anthropic/claude-opus-4-6", "anthropic/claude-opus-4-6"},
		{"", "claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"},
		{"", "openai/gpt-5", "openai/gpt-5"},
		{"unknown", "claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"}, // Google sells it as well
		{"unknown", "gpt-5-codex", "openai/gpt-5"},
		{"", "kimi-k3", "moonshotai/kimi-k3"},
		{"openai-codex", "gpt-5", "openai/gpt-5"},
		{"openai", "gpt-5-2025-08-07", "openai/gpt-5"},
		{"azure-openai-responses", "gpt-5", "openai/gpt-5"}, // at the price of its maker
		{"google-vertex", "claude-sonnet-4-5@20250929", "google/claude-sonnet-4-5"},
		{"xai", "grok-4-0709", "x-ai/grok-4-0709"},
		{"github-copilot", "claude-opus-4.6", "anthropic/claude-opus-4-6"}, // through a gateway
		{"opencode", "claude-opus-5", "anthropic/claude-opus-5"},
		{"openrouter", "deepseek/deepseek-r1:free", "openrouter/deepseek/deepseek-r1:free"},
		// Nothing is guessed.
		{"openrouter", "claude-sonnet-4-5-mine", ""},
		{"somebody", "claude-sonnet-4-5", ""},
		{"anthropic", "claude-sonnet-4-5-turbo", ""},
		{"anthropic", "claude", ""},
		{"anthropic", "gpt-5", ""},
		{"openai", "gpt-5:free", ""},
		{"", "", ""},
		{"", "unknown", ""},
		{"unknown", "glm-5.2", ""}, // zai and zhipuai ask different prices
		{"unknown", "o9-mine", ""},
		{"my-gateway", "gpt-5-codex", ""},
	} {
		m, ok := table.Find(tt.provider, tt.model)
		got := ""
		if ok {
			got = m.Provider + "/" + m.ID
		}
		if got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.provider, tt.model, got, tt.want)
		}
	}
}

// The sources of prices disagree about a prompt of 250,000 tokens by a factor of two.
// These are the answers of calcPrice.
func TestTiers(t *testing.T) {
	t.Parallel()
	table := builtin(t)
	for _, tt := range []struct {
		provider, model string
		tokens          prices.Tokens
		want            string
	}{
		{"anthropic", "claude-sonnet-4-5", prices.Tokens{Input: 250_000, Output: 1000}, "1.522500000000"},
		{"anthropic", "claude-sonnet-4-5", prices.Tokens{Input: 10, CacheRead: 249_990, Output: 1000}, "0.172554000000"}, // the whole prompt counts
		{"anthropic", "claude-sonnet-4-5", prices.Tokens{Input: 1000, CacheWrite: 2000, Output: 100}, "0.012000000000"},
		{"openai", "gpt-5", prices.Tokens{Input: 500, CacheRead: 100, Output: 50}, "0.001137500000"},
		{"google", "gemini-2.5-pro", prices.Tokens{Input: 250_000, Output: 1000}, "0.640000000000"},
		{"anthropic", "claude-opus-4-6", prices.Tokens{CacheWrite: 1e6, CacheWrite1h: 1e6}, "10.000000000000"},
	} {
		m, ok := table.Find(tt.provider, tt.model)
		if !ok {
			t.Errorf("no %s", tt.model)
			continue
		}
		if got := m.Cost(tt.tokens, 1_790_000_000_000).Decimal(12); got != tt.want {
			t.Errorf("%s %+v: %s, want %s", tt.model, tt.tokens, got, tt.want)
		}
	}
}

// TestCharge: what a usage says of its price is in it, or makes it unknown.
func TestCharge(t *testing.T) {
	t.Parallel()
	table := builtin(t)
	for _, tt := range []struct {
		model  string
		tokens prices.Tokens
		price  metering.Price
		want   string
	}{
		{"claude-opus-4-6", prices.Tokens{Input: 100_000, Output: 10_000}, metering.Price{}, "0.7500"},
		{"claude-opus-4-6", prices.Tokens{Input: 100_000, Output: 10_000}, metering.Price{Speed: "fast"}, "4.5000"},
		{"claude-opus-4-6", prices.Tokens{Input: 200_001}, metering.Price{Speed: "fast"}, "speed"},
		{"claude-opus-5", prices.Tokens{Input: 1e6}, metering.Price{Speed: "fast"}, "10.0000"},
		{"claude-opus-5", prices.Tokens{Input: 1e6}, metering.Price{Speed: "FAST", Geo: "us"}, "11.0000"},
		{"claude-opus-5", prices.Tokens{Input: 1e6}, metering.Price{Speed: "warp"}, "speed"},
		{"claude-opus-4-8", prices.Tokens{Input: 1}, metering.Price{Speed: "fast"}, "speed"},
		{"claude-opus-4-5", prices.Tokens{Input: 1}, metering.Price{Geo: "us"}, "inferenceGeo"},
		{"claude-opus-5", prices.Tokens{Input: 1}, metering.Price{Geo: "eu"}, "inferenceGeo"},
		{"claude-opus-5", prices.Tokens{Input: 1}, metering.Price{Tier: "batch"}, "serviceTier"},
		{"claude-opus-5", prices.Tokens{}, metering.Price{Searches: 3}, "0.0300"},
		{"claude-opus-5", prices.Tokens{}, metering.Price{Searches: math.MaxInt64}, "9223372.0369"},
		{"claude-opus-5", prices.Tokens{Input: 1}, metering.Price{Unknown: "a.b,c"}, "a.b"},
	} {
		m, ok := table.Find("anthropic", tt.model)
		if !ok {
			t.Errorf("no %s", tt.model)
			continue
		}
		cost, got := table.Charge(m, tt.tokens, tt.price, 1_790_000_000_000)
		if got == "" {
			got = cost.Decimal(4)
		}
		if got != tt.want {
			t.Errorf("%s %+v %+v: %s, want %s", tt.model, tt.tokens, tt.price, got, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	model := func(price string) string {
		return `{"source":"mine","date":"2026-01-02","providers":{"p":{"m":{"prices":[` + price + `]}}}}`
	}
	for _, tt := range []struct{ in, want string }{
		{`{`, "unexpected end"},
		{`{}`, "no source"},
		{`{"source":"x","date":"2026-01-02"}`, "no source"},
		{`{"source":"x","date":"today","providers":{"p":{}}}`, `its date is "today"`},
		{`{"source":"x","date":"2026-01-02","providers":{"p":{"m":{}}}}`, "model m of p has no prices"},
		{model(`{"input":-1}`), "no price"},
		{model(`{"input":1e300}`), "no price"},
		{model(`{"input":[1,2]}`), "no list of a price and tiers"},
		{model(`{"input":[1,-2,3]}`), "no price"},
		{model(`{"input":"1"}`), "cannot unmarshal"},
		{model(`{"since":"soon"}`), "cannot parse"},
		{model(`{"request":-1}`), "no price"},
		{`{"source":"x","date":"2026-01-02","surcharges":[{"member":"speed"}],"providers":{"p":{}}}`, "no source"},
		{`{"source":"x","date":"2026-01-02","surcharges":[{"member":"speed","source":"y","factor":-1}],"providers":{"p":{}}}`, "below 0"},
	} {
		_, err := prices.Parse([]byte(tt.in))
		if !errors.Is(err, prices.ErrTable) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.in, err, tt.want)
		}
	}
	table, err := prices.Parse([]byte(model(`{"input":3,"request":0.5},{"since":"2026-03-01","input":[4,100,8]}`)))
	if err != nil {
		t.Fatal(err)
	}
	m, _ := table.Find("p", "M")
	for _, tt := range []struct {
		time   string
		tokens int64
		want   string
	}{{"2026-02-28T23:59:59.999Z", 1e6, "3.5000"}, {"2026-03-01T00:00:00Z", 100, "0.0004"}, {"2026-03-01T00:00:00Z", 101, "0.0008"}} {
		at, _ := js.ParseTime(tt.time)
		if got := m.Cost(prices.Tokens{Input: tt.tokens}, at).Decimal(4); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.time, got, tt.want)
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		m        prices.Money
		decimals int
		want     string
	}{
		{0, 4, "0.0000"},
		{1, 12, "0.000000000001"},
		{1, 9, "0.000000000"},
		{500, 9, "0.000000001"},
		{-500, 9, "-0.000000001"},
		{-1, 4, "0.0000"},
		{prices.USD * 12, 0, "12"},
		{prices.USD*12 + prices.USD/2, 0, "13"},
		{84_600_000_000, 4, "0.0846"},
		{prices.MostMoney, 2, "9223372.04"},
	} {
		if got := tt.m.Decimal(tt.decimals); got != tt.want {
			t.Errorf("%d: %s, want %s", tt.m, got, tt.want)
		}
	}
	if prices.MostMoney.Add(1) != prices.MostMoney || (-prices.MostMoney).Add(-2) != -prices.MostMoney {
		t.Error("a sum ran over")
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), -1, 1e300, 1e7} {
		if m, ok := prices.Of(v); ok {
			t.Errorf("%v is %d", v, m)
		}
	}
	// What nobody pays does not run over either.
	m, _ := builtin(t).Find("anthropic", "claude-opus-4-6")
	if got := m.Cost(prices.Tokens{Input: math.MaxInt64, Output: math.MaxInt64}, 0); got != prices.MostMoney {
		t.Errorf("%d", got)
	}
}

func BenchmarkBuiltin(b *testing.B) {
	data, err := os.ReadFile("prices.json.gz")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, _ := gzip.NewReader(bytes.NewReader(data))
		all, _ := io.ReadAll(r)
		if _, err := prices.Parse(all); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzParse: a table is refused, or nothing that is found in it costs less than 0.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"source":"x","date":"2026-01-02","providers":{"p":{"m":{"aliases":["n"],"prices":[{"input":3,"output":[1,200,2]},{"since":"2026-02-01","cacheRead":1,"request":0.1}]}}}}`), int64(1), int64(1))
	f.Add([]byte(`{"source":"x","date":"2026-01-02","providers":{"p":{"m":{"prices":[{"input":9007199254}]}}}}`), int64(math.MaxInt64), int64(math.MinInt64))
	f.Add([]byte(`{"source":"x","date":"2026-01-02","providers":{"P":{"M":{"prices":[{"from":"10:00:00Z","to":"02:00:00+01:00"}]}}}}`), int64(-5), int64(0))
	f.Fuzz(func(t *testing.T, data []byte, tokens, at int64) {
		table, err := prices.Parse(data)
		if err != nil {
			return
		}
		for _, name := range []string{"m", "M", "n", "p/m"} {
			m, ok := table.Find("p", name)
			if !ok {
				continue
			}
			for _, use := range []prices.Tokens{{Input: tokens}, {Output: tokens, Reasoning: tokens / 2}, {CacheRead: tokens, CacheWrite: tokens, CacheWrite1h: tokens}} {
				if cost := m.Cost(use, at); cost < 0 {
					t.Errorf("%+v costs %d", use, cost)
				}
			}
		}
	})
}
