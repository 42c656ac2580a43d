package main

import (
	"reflect"
	"slices"
	"testing"
)

// Every flag needs all of a session, but for those that a form serves with less.
// A new flag is not among these.
func TestNeed(t *testing.T) {
	t.Parallel()
	less := map[string]struct {
		need   need
		served []string
	}{
		"entries":   {ranges, []string{"leaf", "noHeader"}},
		"messages":  {contextOnly, []string{"budget", "jq", "raw", "harness", "noHeader"}},
		"openai":    {contextOnly, []string{"budget", "jq", "raw", "harness", "noHeader"}},
		"anthropic": {contextOnly, []string{"budget", "jq", "raw", "harness", "noHeader"}},
		"text":      {contextOnly, []string{"budget", "jq", "raw", "harness", "noHeader"}},
		"markdown":  {contextOnly, []string{"budget", "jq", "raw", "harness", "noHeader"}},
		"context":   {contextAndState, []string{"jq", "raw", "noHeader"}},
		"state":     {contextAndState, []string{"jq", "raw", "noHeader"}},
	}
	for _, form := range forms {
		set := func(name string) need {
			var c config
			c.flags()
			c.as = form
			switch f := reflect.ValueOf(&c.settings).Elem().FieldByName(name); name {
			case "":
			case "leaf":
				c.leaf = "abc"
			case "budget":
				c.budget = 1
			case "last", "turns":
				*(*int)(f.Addr().UnsafePointer()) = 1
			default: // the fields are not exported, so their addresses are used
				switch p := f.Addr().UnsafePointer(); f.Kind() {
				case reflect.String:
					*(*string)(p) = "keep"
				case reflect.Bool:
					*(*bool)(p) = true
				default:
					t.Fatalf("a field of kind %v", f.Kind())
				}
			}
			return c.need()
		}
		want, ok := less[form]
		if !ok {
			t.Fatalf("%s: what does it need?", form)
		}
		if got := set(""); got != want.need {
			t.Errorf("%s: %d, want %d", form, got, want.need)
		}
		for _, f := range reflect.VisibleFields(reflect.TypeFor[settings]()) {
			if f.Name == "as" {
				continue
			}
			expected := all
			if slices.Contains(want.served, f.Name) {
				expected = want.need
			}
			if got := set(f.Name); got != expected {
				t.Errorf("%s with %s: %d, want %d", form, f.Name, got, expected)
			}
		}
	}
}
