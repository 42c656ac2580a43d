package row_test

import (
	"math"
	"testing"

	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/pkg/js"
)

func TestFields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		field js.Field
		want  string
	}{
		{row.Kind("match"), `{"kind":"match"}`},
		{row.Text("title", ""), `{"title":null}`},
		{row.Text("title", "a\xff"), `{"title":"a` + "\uFFFD" + `"}`},
		{row.Timestamp(0, true), `{"timestamp":"1970-01-01T00:00:00.000Z"}`},
		{row.Timestamp(0, false), `{"timestamp":null}`},
		{row.TimeOf("2026-01-02T03:04:05+01:00"), `{"timestamp":"2026-01-02T02:04:05.000Z"}`},
		{row.TimeOf("yesterday"), `{"timestamp":null}`},
		{row.Cost(0, true), `{"cost":0}`},
		{row.Cost(0, false), `{"cost":null}`},
		{row.Cost(math.Inf(1), true), `{"cost":null}`},
		{row.Cost(math.NaN(), true), `{"cost":null}`},
		{row.Cost(.1+.2, true), `{"cost":0.3}`},
		{row.Cost(1e-9, true), `{"cost":0.000000001}`},
		{row.Cost(-1e-15, true), `{"cost":0}`},
		{row.Cost(1e21, true), `{"cost":1000000000000000000000}`},
		{row.USD("stored", "100"), `{"stored":100}`},
		{row.USD("stored", "2.500"), `{"stored":2.5}`},
		{row.Texts("files", nil), `{"files":[]}`},
		{row.Texts("files", []string{"", "b"}), `{"files":["","b"]}`},
		{row.Tokens{Input: 1, Output: 2, Reasoning: 1, Total: 3}.Field(), `{"tokens":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"reasoning":1,"total":3}}`},
	} {
		if got := js.Object(tt.field); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
	got := row.Object("session", row.Place{Address: "pi:1", Session: "1"}.Fields()...)
	if want := `{"kind":"session","address":"pi:1","path":null,"session":"1"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
