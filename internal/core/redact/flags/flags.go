// Package flags has the flags that choose the rules for secrets, for tools that take secrets out and for those that have another
// one do so. It links no rules.
package flags

import (
	"fmt"

	"github.com/sess-tools/sess/internal/core/cli"
)

// DefaultDepth is that of package secret.
const DefaultDepth = 5

// Flags choose the rules for secrets, and their replacements.
type Flags struct {
	Rules, Only, Skip, Exprs []string
	SecretFiles, Env         []string
	Allow                    string
	Entropy, Emails, Users   bool
	Depth                    int
	As, KeyFile              string
}

// What declares the flags that choose the rules.
func (f *Flags) What() []cli.Flag {
	return []cli.Flag{
		cli.Strings(&f.Rules, "rules", "add the rules of the gitleaks configuration `FILE`; all: use those too that find much which is none"),
		cli.Strings(&f.Only, "only", "use only the rules `ID,ID`"),
		cli.Strings(&f.Skip, "skip", "use all rules but `ID,ID`"),
		cli.Strings(&f.Exprs, "regexp, e", "look for `PATTERN`; may be repeated; what matches it is a secret"),
		cli.Strings(&f.SecretFiles, "secret-file", "the lines of `FILE` are secrets"),
		cli.Strings(&f.Env, "env", "the values of the environment variables `GLOB` are secrets"),
		cli.String(&f.Allow, "allow", "", "what a regular expression of `FILE` matches is no secret; one a line"),
		cli.Bool(&f.Entropy, "entropy", "long random texts are secrets"),
		cli.Bool(&f.Emails, "emails", "addresses of mail are secrets"),
		cli.Bool(&f.Users, "users", "put ~ for the home directory, and user for the names of users in paths"),
		cli.Int(&f.Depth, "depth", DefaultDepth, "look into `N` layers of encodings"),
	}
}

// With declares the flags that choose the replacement of a secret.
func (f *Flags) With() []cli.Flag {
	return []cli.Flag{
		cli.String(&f.As, "with", "kind", "write in place of a secret its kind, hash, mask:N, or the text `AS`"),
		cli.String(&f.KeyFile, "key", "", "with --with hash, keep the key of the digests in `FILE`, so that they are the same the next time"),
	}
}

// Check refuses flags that contradict each other.
func (f *Flags) Check() error {
	switch {
	case f.KeyFile != "" && f.As != "hash":
		return cli.UsageError("--key goes with --with hash")
	case f.Depth < 0 || f.Depth > 16:
		return cli.UsageError("--depth wants 0 to 16 layers")
	}
	return nil
}

// Args returns the flags that were given, for another program that has them.
func (f *Flags) Args() (args []string) {
	for _, l := range []struct {
		name string
		list []string
	}{{"rules", f.Rules}, {"only", f.Only}, {"skip", f.Skip}, {"regexp", f.Exprs}, {"secret-file", f.SecretFiles}, {"env", f.Env}} {
		for _, value := range l.list {
			args = append(args, "--"+l.name+"="+value)
		}
	}
	for _, b := range []struct {
		name  string
		given bool
	}{{"entropy", f.Entropy}, {"emails", f.Emails}, {"users", f.Users}} {
		if b.given {
			args = append(args, "--"+b.name)
		}
	}
	for _, t := range [][3]string{{"allow", f.Allow}, {"depth", fmt.Sprint(f.Depth), fmt.Sprint(DefaultDepth)}, {"with", f.As, "kind"}, {"key", f.KeyFile}} {
		if t[1] != t[2] {
			args = append(args, "--"+t[0]+"="+t[1])
		}
	}
	return args
}
