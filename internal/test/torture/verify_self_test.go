//go:build unix && !solaris && !aix

package torture

import (
	"strings"
	"testing"
)

func ourLine(id, parent, text string) string {
	return `{"type":"message","id":"` + id + `","parentId":` + parent + `,"message":{"role":"user","content":[{"type":"text","text":"` + text + `"}]}}` + "\n"
}

// What verify is for, it sees.
func TestVerify(t *testing.T) {
	t.Parallel()
	const foreign = `{"type":"custom","customType":"foreign","id":"foreign-0","parentId":null}`
	a, b := ourLine("a", "null", "w0 n0 xx"), ourLine("b", `"a"`, "w0 n1 yyy")
	seen := []written{{sizes: []int{2, 3}, acked: map[int]string{0: "a", 1: "b"}}}
	tests := map[string]struct {
		lines   string
		foreign []string
		want    string // "" is nothing
	}{
		"good":              {a + b, nil, ""},
		"blanked":           {a + "      \n" + b, nil, ""},
		"foreign":           {a + foreign + "\n" + b, []string{foreign}, ""},
		"fused with a dead": {a + `{"type":"mess` + foreign + "\n" + b, []string{foreign}, ""},
		"lost":              {a, nil, "entry 1 with the printed id b stands there 0 times"},
		"twice":             {a + a + b, nil, "a stands there 2 times"},
		"order":             {a + ourLine("c", "null", "w0 n1 yyy") + ourLine("d", "null", "w0 n0 xx"), nil, "is not behind entry 1"},
		"damaged":           {strings.Replace(a, "xx", "xq", 1) + b, nil, "entry 0 is damaged"},
		"shortened":         {strings.Replace(a, "xx", "x", 1) + b, nil, "entry 0 is damaged"},
		"open tree":         {a + strings.Replace(b, `"a"`, `"z"`, 1), nil, "parent z comes later or never"},
		"two children":      {a + strings.Replace(b, `"a"`, "null", 1), nil, "the leaf was \"a\""},
		"torn within":       {a + `{"type":` + "\n" + b, nil, "line 3 at byte"},
		"no line feed":      {a + strings.TrimSuffix(b, "\n"), nil, "has no line feed"},
		"swallowed":         {strings.TrimSuffix(a, "\n") + b, nil, "line 2 at byte"},
		"foreign cut":       {a + b, []string{foreign}, "stands there 0 times"},
		"foreign swallowed": {a + foreign + b, []string{foreign}, "stands there 0 times"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(verify([]byte(header+tt.lines), seen, tt.foreign), "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTornWithin(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]bool{
		"{}\n{}\n": false, "{}\n{\"a": false, "{}\n   \n{}\n": false,
		"{}\n{\"a\n{}\n": true, "{}\n{\"a\n{\"b": true,
	} {
		if err := tornWithin([]byte(data), false); (err != nil) != want {
			t.Errorf("%q: %v", data, err)
		}
	}
}
