package page

import (
	"bytes"
	"strings"
	"testing"
)

// TestWholeRows: a table keeps the words of rows that have more cells than its heading, and others are as they were.
func TestWholeRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"| a | b |\n|---|---|\n| `x|y` | one |\n| 1 | 2 | three | <four> |\n", "one three &lt;four&gt;"},
		{"a | b\n--|--\n1 | 2 | three", "1 2 three"},
		{"| a | b |\n|---|---|\n| 1 | 2 |\n| 1 |\n", "1 2"},
		{"```\n| a |\n|---|\n| 1 | two |\n```\n", "two"},
	} {
		var out bytes.Buffer
		if err := converter(nil).Convert([]byte(tt.in), &out); err != nil {
			t.Fatal(err)
		}
		for word := range strings.FieldsSeq(tt.want) {
			if strings.Count(out.String(), word) == 0 {
				t.Errorf("%q: no %s in %s", tt.in, word, out.String())
			}
		}
		if cells := strings.Count(out.String(), "<td>"); strings.Contains(tt.in, "| 1 |\n") && cells != 4 {
			t.Errorf("%q: %d cells: %s", tt.in, cells, out.String())
		}
	}
}
