package stream

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
)

// The result of a run names models as they were asked for: by an alias, by the id of a cloud, or by what a gateway is told. A reply names the
// model that answered.

// grown returns how much each counter of a model has grown in the turn.
func (t *turnUsage) grown(name string, used js.Value) (n [4]int64) {
	before := t.models.Get(name)
	for i, names := range api.ModelCounters {
		n[i] = since(used.Get(names[0]).Int(), before.Get(names[0]).Int())
	}
	return n
}

// answered returns the model of the replies that each name of the totals stands for: that model itself, or else, for a model that no name
// is, the name that is most like it, or whose counters are nearest to what its replies used and are not below that.
func (t *turnUsage) answered(models js.Value) map[string]string {
	is, used := map[string]string{}, map[string][4]int64{}
	for name, v := range models.Members() {
		is[name] = api.ModelNamed(name)
		if _, said := t.spent[is[name]]; !said {
			used[name] = t.grown(name, v)
		}
	}
	for _, model := range slices.Sorted(maps.Keys(t.spent)) {
		said := t.spent[model]
		if said == [4]int64{} || slices.Contains(slices.Collect(maps.Values(is)), model) {
			continue
		}
		best, least := "", int64(-1)
		for _, name := range slices.Sorted(maps.Keys(used)) {
			beyond, below := int64(0), false
			for i, n := range used[name] {
				beyond, below = beyond+n-said[i], below || n < said[i]
			}
			switch alike := sameModel(is[name], model) || models.Get(name, "canonicalModel").Str() == model; {
			case alike:
				best, least = name, -2
			case least != -2 && !below && (least < 0 || beyond < least):
				best, least = name, beyond
			}
		}
		if best != "" {
			is[best] = model
			delete(used, best)
		}
	}
	return is
}

// release is the end of a model's name: its day, the version of a cloud, or a word for the newest.
var release = lazy.Regexp(`([-@](20\d{6}|latest|default))?(-v\d+(:\d+)?)?(\[1m\])?$`)

// sameModel reports whether two names are of one model: they differ in where it runs and in its release, or one is an alias, a part of
// the other's name such as sonnet.
func sameModel(a, b string) bool {
	bare := func(name string) string {
		name = strings.ToLower(name)
		if i := strings.LastIndexAny(name, "/."); i >= 0 && strings.Contains(name[i:], "claude") {
			name = name[i+1:]
		}
		return release().ReplaceAllString(name, "")
	}
	a, b = bare(a), bare(b)
	if len(a) > len(b) {
		a, b = b, a
	}
	return a != "" && strings.Contains("-"+b+"-", "-"+a+"-")
}

// as returns what a name of the totals stands for.
func as(answered map[string]string, name string) string {
	return cmp.Or(answered[name], api.ModelNamed(name))
}
