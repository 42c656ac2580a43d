package row_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/pkg/js"
)

type one struct {
	row.Kind `row:"one"`
	row.Place
}

type inner struct {
	A int64 `row:"a"`
	B int   `row:"b,null"`
}

func TestJSON(t *testing.T) {
	t.Parallel()
	if got, want := row.JSON(one{Place: row.Place{Address: "pi:1", Session: "1"}}), `{"kind":"one","address":"pi:1","path":null,"session":"1"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	two := 2
	got := row.JSON(struct {
		Text  string            `row:"text"`
		Null  string            `row:"null,null"`
		Known string            `row:"known,known"`
		Omit  []inner           `row:"omit,omit"`
		Empty []inner           `row:"empty,omit"`
		Off   *bool             `row:"off"`
		Two   *int              `row:"two"`
		Yes   bool              `row:"yes"`
		Items []inner           `row:"items"`
		None  []string          `row:"none"`
		Words [][]string        `row:"words"`
		Of    map[string]int    `row:"of"`
		Nil   map[string]string `row:"nil"`
		Pairs []js.Field        `row:"pairs"`
		Some  row.Some[inner]   `row:"some"`
		Any   js.Value          `row:"any"`
		Void  js.Value          `row:"void"`
		Key   struct{}          `row:"key"`
		*inner
	}{
		Text: "<a>\xff\n", Empty: []inner{}, Two: &two, Yes: true, Items: []inner{{A: 1}, {B: 2}}, Words: [][]string{{"", "b"}, nil},
		Of: map[string]int{"b": 1, "a": 2}, Pairs: []js.Field{js.StringField("z", "y")}, Some: row.Some[inner]{js.IntField("b", 1)}, Any: "[1.0]",
	})
	if want := `{"text":"<a>` + "\uFFFD" + `\n","null":null,"known":null,"empty":[],"off":null,"two":2,"yes":true,"items":[{"a":1,"b":null},{"a":0,"b":2}],"none":[],` +
		`"words":[["","b"],[]],"of":{"a":2,"b":1},"nil":{},"pairs":{"z":"y"},"some":{"b":1},"any":[1.0],"void":null,"key":{}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for n := range 5 { // a text that is written in pieces
		text := strings.Repeat("a", n) + strings.Repeat("é\"", 64<<10)
		if got, want := row.JSON([]string{text}), "["+js.Quote(text)+"]"; got != want {
			t.Errorf("%d: %d bytes, want %d", n, len(got), len(want))
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	type values struct {
		Time row.Time   `row:"time"`
		Cost row.Number `row:"cost"`
	}
	for _, tt := range []struct {
		time row.Time
		cost row.Number
		want string
	}{
		{row.At(0, true), row.Cost(0, true), `{"time":"1970-01-01T00:00:00.000Z","cost":0}`},
		{row.At(1, false), row.Cost(1, false), `{"time":null,"cost":null}`},
		{row.TimeOf("2026-01-02T03:04:05+01:00"), row.Cost(math.Inf(1), true), `{"time":"2026-01-02T02:04:05.000Z","cost":null}`},
		{row.TimeOf("yesterday"), row.Cost(math.NaN(), true), `{"time":null,"cost":null}`},
		{row.Time{}, row.Cost(.1+.2, true), `{"time":null,"cost":0.3}`},
		{row.Time{}, row.Cost(1e-9, true), `{"time":null,"cost":0.000000001}`},
		{row.Time{}, row.Cost(-1e-15, true), `{"time":null,"cost":0}`},
		{row.Time{}, row.Cost(1e21, true), `{"time":null,"cost":1000000000000000000000}`},
		{row.Time{}, row.USD("100"), `{"time":null,"cost":100}`},
		{row.Time{}, row.USD("2.500"), `{"time":null,"cost":2.5}`},
	} {
		if got := row.JSON(values{tt.time, tt.cost}); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	r := one{Place: row.Place{Address: "pi:1", Path: strings.Repeat("a path/", 10), Session: "1"}}
	b.ReportAllocs()
	for b.Loop() {
		row.JSON(r)
	}
}
