package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/check"
)

// many is how often hostile sessions repeat what is bad. What is quadratic in
// it takes minutes.
const many = 10_000

var hostile = map[string]struct {
	make   func() string
	errors int
}{
	"one cycle": {func() string {
		return repeat(func(i int) string { return user(fmt.Sprint(i), fmt.Sprint((i+many-1)%many)) })
	}, 1},
	"all one id": {func() string {
		return repeat(func(i int) string { return line("custom", "a", "", fmt.Sprintf(`"customType":"%d"`, i)) })
	}, many - 1},
	"all the same": {func() string {
		return repeat(func(int) string { return user("a", "") })
	}, 0},
	"all fused": {func() string {
		return header + "\n" + strings.ReplaceAll(repeat(func(i int) string { return user(fmt.Sprint(i), "") })[len(header)+1:], "\n", "") + "\n"
	}, 1},
	"one call, many results": {func() string {
		return repeat(func(i int) string { return answer(fmt.Sprint(i), fmt.Sprint(i-1), "c") })
	}, 1},
	"many calls, many results": {func() string {
		return repeat(func(i int) string {
			if i < many/2 {
				return call(fmt.Sprint(i), fmt.Sprint(i-1), "c")
			}
			return answer(fmt.Sprint(i), fmt.Sprint(i-1), "c")
		})
	}, 1},
	"open braces": {func() string { return repeat(func(int) string { return "{" }) }, many},
	"deep nesting": {func() string {
		return header + "\n" + strings.Repeat(`{"type":"message","id":"`, many) + "\n" + strings.Repeat("[", 100*many) + "\n"
	}, 2},
}

func repeat(line func(i int) string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range many {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for name, tt := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input := tt.make()
			found, err := check.Check(strings.NewReader(input), check.Options{})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, f := range found {
				if f.Severity == check.Error {
					n++
				}
			}
			if n != tt.errors {
				t.Errorf("%d errors, want %d: %+v", n, tt.errors, found[:min(len(found), 3)])
			}
			r := repair(t, input, true)
			if found, err = check.Check(strings.NewReader(text(r.Lines...)), check.Options{}); err != nil {
				t.Fatal(err)
			}
			if worst, _ := check.Worst(found); worst == check.Error {
				t.Errorf("not clean: %+v", found[:min(len(found), 3)])
			}
		})
	}
}
