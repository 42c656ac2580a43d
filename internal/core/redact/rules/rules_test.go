package rules

import (
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/redact/flags"
	"github.com/sess-tools/sess/internal/core/secret"
)

// The flags know no rules, and have the depth of those that do.
func TestDefaultDepth(t *testing.T) {
	t.Parallel()
	if flags.DefaultDepth != secret.DefaultDepth {
		t.Errorf("%d layers, and the rules look into %d", flags.DefaultDepth, secret.DefaultDepth)
	}
}

// Other rules, and another replacement, have another digest; values have none of their own.
func TestDigest(t *testing.T) {
	t.Parallel()
	digest := func(f flags.Flags) string {
		if f.As == "" {
			f.As = "kind"
		}
		f.Depth = flags.DefaultDepth
		_, made, err := (&Flags{f}).Options(&cli.Streams{})
		if err != nil {
			t.Fatal(err)
		}
		d := made()
		if len(d) != 16 {
			t.Fatalf("%q", d)
		}
		return d
	}
	seen := map[string]string{}
	for name, f := range map[string]flags.Flags{
		"default": {}, "emails": {Emails: true}, "skip": {Skip: []string{"jwt"}}, "a pattern": {Exprs: []string{"a+b"}}, "another": {Exprs: []string{"a+c"}},
		"a text": {As: "x-x"}, "users": {Users: true}, "entropy": {Entropy: true},
	} {
		d := digest(f)
		if seen[d] != "" || d != digest(f) {
			t.Errorf("%s has the digest of %s, or two", name, seen[d])
		}
		seen[d] = name
	}
}
