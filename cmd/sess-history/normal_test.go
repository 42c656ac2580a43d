package main

import "testing"

func TestNormal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "a": "a", " a ": "a", "a  \r\nb\t\r\r\n": "a\nb", "a\n\n\nb": "a\n\n\nb", "  a\n  b  \n": "a\n  b", "\u3000x\u00a0\ny": "x\ny", "a\vb": "a\vb",
	} {
		if got := normal(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if again := normal(normal(text)); again != normal(text) {
			t.Errorf("%q: twice is %q", text, again)
		}
	}
}
