package clikit

import "testing"

func TestClosest(t *testing.T) {
	t.Parallel()
	words := []string{"user", "assistant", "system", "toolResult", "label", "leaf"}
	for word, want := range map[string]string{
		"usr": "user", "assistent": "assistant", "lable": "label", "toolresult": "toolResult", "level": "", "x": "", "": "", "zebra": "",
	} {
		if got, ok := Closest(word, words); got != want || ok != (want != "") {
			t.Errorf("%q is like %q, want %q", word, got, want)
		}
	}
}
