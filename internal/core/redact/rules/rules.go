package rules

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/secret"
)

// everyRule is the --rules that turns on the rules that are off.
const everyRule = "all"

// A document is a configuration of gitleaks, as far as it means something here: there are no
// paths and no commits.
type document struct {
	Title, Description string
	MinVersion         string
	Extend             struct {
		UseDefault    bool
		DisabledRules []string
		Path, URL     string
	}
	Rules      []documentRule
	Allowlist  *documentAllow
	Allowlists []documentAllow
}

type documentRule struct {
	ID, Description, Regex string
	SecretGroup            int
	Entropy                float64
	Keywords, Tags         []string
	Path                   string
	Allowlist              *documentAllow
	Allowlists             []documentAllow
}

type documentAllow struct {
	Description, Condition, RegexTarget string
	Regexes, Stopwords                  []string
	Paths, Commits                      []string
	TargetRules                         []string
}

// addRules adds the rules of --rules and -e. A file that does not extend the default ones
// stands in their place, as with gitleaks.
func (f *Flags) addRules(s *cli.Streams, o *secret.Options) error {
	files := 0
	extends := false
	for _, name := range f.Rules {
		if name == everyRule {
			o.Generic = true
			continue
		}
		files++
		d, err := readRules(s, name)
		if err != nil {
			return err
		}
		extends = extends || d.Extend.UseDefault
		o.Skip = append(o.Skip, d.Extend.DisabledRules...)
		if err := d.add(o, name); err != nil {
			return err
		}
	}
	o.Bare = files > 0 && !extends
	for i, expr := range f.Exprs {
		o.Rules = append(o.Rules, secret.Rule{ID: fmt.Sprintf("regex-%d", i+1), Regex: expr})
	}
	return nil
}

func readRules(s *cli.Streams, name string) (*document, error) {
	text, err := s.ReadText(name, "rules", "--rules")
	if err != nil {
		return nil, err
	}
	d := &document{}
	meta, err := toml.Decode(text, d)
	if err != nil {
		return nil, cli.UsageError("%s: %v", name, err)
	}
	for _, key := range meta.Undecoded() {
		if last := key[len(key)-1]; slices.Contains([]string{"filter", "prefilter", "validate", "expr", "cel"}, strings.ToLower(last)) {
			return nil, cli.WithHint(cli.UsageError("%s: %s: filters that are programs are not understood", name, key), "without it the rule would find other things than it says")
		}
		s.Warnf("%s: %s is not understood", name, key)
	}
	switch {
	case d.Extend.Path != "" || d.Extend.URL != "":
		return nil, cli.WithHint(cli.UsageError("%s: extend.path and extend.url are not followed", name), "name each file with --rules")
	case len(d.Rules) == 0 && !d.Extend.UseDefault && d.Allowlist == nil && len(d.Allowlists) == 0:
		return nil, cli.UsageError("%s: it has no rules", name)
	}
	return d, nil
}

// add adds what a document says.
func (d *document) add(o *secret.Options, name string) error {
	for _, r := range d.Rules {
		if r.Regex == "" && r.Path != "" {
			continue // of file names
		}
		rule := secret.Rule{ID: r.ID, Regex: r.Regex, Group: r.SecretGroup, Entropy: r.Entropy, Keywords: r.Keywords}
		list := r.Allowlists
		if r.Allowlist != nil {
			list = append(list, *r.Allowlist)
		}
		var err error
		if rule.Allow, err = allows(list); err != nil {
			return cli.UsageError("%s: rule %s: %v", name, r.ID, err)
		}
		o.Rules = append(o.Rules, rule)
	}
	list := d.Allowlists
	if d.Allowlist != nil {
		list = append(list, *d.Allowlist)
	}
	more, err := allows(list)
	if err != nil {
		return cli.UsageError("%s: %v", name, err)
	}
	o.Allow = append(o.Allow, more...)
	return nil
}

// allows translates allowlists. One that asks for a path or a commit as well never holds
// here; paths and commits alone say nothing.
func allows(list []documentAllow) (out []secret.Allow, err error) {
	for _, a := range list {
		all := strings.EqualFold(a.Condition, "and") || a.Condition == "&&"
		switch {
		case len(a.TargetRules) > 0:
			return nil, fmt.Errorf("targetRules is not understood: put the allowlist into the rule")
		case a.Condition != "" && !all && !strings.EqualFold(a.Condition, "or") && a.Condition != "||":
			return nil, fmt.Errorf("unknown condition %q", a.Condition)
		case !slices.Contains([]string{"", "secret", "match", "line"}, a.RegexTarget):
			return nil, fmt.Errorf("unknown regexTarget %q", a.RegexTarget)
		case all && len(a.Paths)+len(a.Commits) > 0:
			continue
		case len(a.Regexes)+len(a.Stopwords) == 0:
			continue
		}
		out = append(out, secret.Allow{All: all, Target: strings.TrimPrefix(a.RegexTarget, "secret"), Regexes: a.Regexes, Stopwords: a.Stopwords})
	}
	return out, nil
}

// addAllowed adds what --allow says is no secret.
func (f *Flags) addAllowed(s *cli.Streams, o *secret.Options) error {
	if f.Allow == "" {
		return nil
	}
	list, err := Lines(s, f.Allow, "--allow")
	if err != nil {
		return err
	}
	var a secret.Allow
	for n, text := range list {
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if re, err := regexp.Compile(text); err != nil || re.MatchString("") {
			return cli.UsageError("%s:%d: want a regular expression that does not match the empty text", f.Allow, n+1)
		}
		a.Regexes = append(a.Regexes, text)
	}
	if len(a.Regexes) > 0 {
		o.Allow = append(o.Allow, a)
	}
	return nil
}

// pathRules are the rules of --paths.
func pathRules() (list []secret.Rule) {
	const end = `(?:[/\\\s"':,;)]|$)`
	if home, err := os.UserHomeDir(); err == nil && len(home) > 3 {
		list = append(list, secret.Rule{ID: "home-directory", Regex: `(` + regexp.QuoteMeta(home) + `)` + end, As: "~"})
	}
	return append(list, secret.Rule{
		ID: "user-name", Regex: `(?i)(?:/home/|/users/|\\users\\)([^/\\\s"':,;<>|*?]{1,64})` + end,
		Keywords: []string{"/home/", "/users/", `\users\`},
		Allow:    []secret.Allow{{Regexes: []string{`^user$`}}}, As: "user",
	})
}
