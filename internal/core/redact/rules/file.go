package rules

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/homes"
	"github.com/sess-tools/sess/internal/core/secret"
)

// Variable names the file of rules, instead of the place where it is looked for.
const Variable = "SESS_REDACT"

// File returns the path of the user's file of rules, "" if there is none. It is never looked for in the working directory: a
// repository of strangers would say that nothing is a secret. The error is that of a place that cannot be looked at.
func File() (string, error) {
	if name, set := os.LookupEnv(Variable); set {
		if name == "" {
			return "", cli.WithHint(cli.UsageError("%s is set, and names no file", Variable), "unset it, or let it name one")
		}
		return name, nil
	}
	dir := homes.Config()
	if dir == "" {
		return "", nil
	}
	name := filepath.Join(dir, "redact.toml")
	switch _, err := os.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("looking for %s: %w", name, err)
	}
	return name, nil
}

// A document is a configuration of gitleaks, as far as it means something here, since there are no paths and no commits, and the
// table of ours.
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
	Sess       settings
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

// settings are the table sess.
type settings struct {
	Only        []string `toml:"only"`
	SecretFiles []string `toml:"secret-files"`
	Env         []string `toml:"env"`
	Emails      bool     `toml:"emails"`
	Users       bool     `toml:"users"`
	Entropy     bool     `toml:"entropy"`
	Generic     bool     `toml:"generic"`
	Depth       *int     `toml:"depth"`
	With        string   `toml:"with"`
	Key         string   `toml:"key"`
}

// table is the name of that table.
const table = "sess"

// readFile reads the file of rules, if there is one: that with this name, or else the user's.
func (r *Rules) readFile(s *cli.Streams, name string) (*document, error) {
	var err error
	if r.File = name; name == "" {
		if r.File, err = File(); err != nil || r.File == "" {
			return &document{}, err
		}
	}
	from := r.File
	if from == "-" && name == "" { // it is no standard input
		from = "./-"
	}
	var data []byte
	if named := name != "" || os.Getenv(Variable) != ""; named {
		data, err = s.ReadInput(from, "rules", "--config")
	} else if data, err = disk.ReadFile(from); err != nil { // a pipe that is not named is not waited for
		err = fmt.Errorf("opening %s: %w", from, disk.Cause(err))
	}
	if err != nil {
		if name == "" && from != "" && os.Getenv(Variable) != "" {
			return nil, cli.WithHint(err, "$%s names it: secrets are taken out by it, or not at all", Variable)
		}
		return nil, cli.WithHint(err, "secrets are taken out by it, or not at all")
	}
	sum := sha256.Sum256(data)
	r.sum = sum[:]
	first := s.Once("rules of secrets " + r.File)
	if first {
		s.Notef("%s says what is a secret", r.File)
	}
	d := &document{}
	meta, err := toml.Decode(string(data), d)
	if err != nil {
		return nil, cli.UsageError("%s: %v", r.File, err)
	}
	for _, key := range meta.Undecoded() {
		switch last := strings.ToLower(key[len(key)-1]); {
		case key[0] == table:
			err := cli.UsageError("%s: %s: there is no such key", r.File, key)
			return nil, cli.WithHint(err, "sess-redact(1) has those of the table %s", table)
		case slices.Contains([]string{"filter", "prefilter", "validate", "expr", "cel"}, last):
			return nil, cli.WithHint(cli.UsageError("%s: %s: filters that are programs are not understood", r.File, key), "without it the rule would find other things than it says")
		case first:
			s.Warnf("%s: %s is not understood", r.File, key)
		}
	}
	switch {
	case d.Extend.Path != "" || d.Extend.URL != "":
		return nil, cli.WithHint(cli.UsageError("%s: extend.path and extend.url are not followed", r.File), "put the rules into one file")
	case len(d.Rules) == 0 && !d.Extend.UseDefault && d.Allowlist == nil && len(d.Allowlists) == 0 && !meta.IsDefined(table):
		return nil, cli.UsageError("%s: it has no rules", r.File)
	}
	if err := d.rules(r); err != nil {
		return nil, err
	}
	return d, d.settings(s, r)
}

// rules adds the rules of a document. Those of one that does not extend the built-in ones stand in their place, as with gitleaks.
func (d *document) rules(r *Rules) error {
	o := &r.options
	o.Bare = len(d.Rules) > 0 && !d.Extend.UseDefault
	o.Skip = append(o.Skip, d.Extend.DisabledRules...)
	for _, rule := range d.Rules {
		if rule.Regex == "" && rule.Path != "" {
			continue // of file names
		}
		list := rule.Allowlists
		if rule.Allowlist != nil {
			list = append(list, *rule.Allowlist)
		}
		allow, err := allowsOf(list)
		if err != nil {
			return cli.UsageError("%s: rule %s: %v", r.File, rule.ID, err)
		}
		o.Rules = append(o.Rules, secret.Rule{ID: rule.ID, Regex: rule.Regex, Group: rule.SecretGroup, Entropy: rule.Entropy, Keywords: rule.Keywords, Allow: allow})
	}
	list := d.Allowlists
	if d.Allowlist != nil {
		list = append(list, *d.Allowlist)
	}
	allow, err := allowsOf(list)
	if err != nil {
		return cli.UsageError("%s: %v", r.File, err)
	}
	o.Allow = append(o.Allow, allow...)
	return nil
}

// allowsOf translates allowlists. One that asks for a path or a commit as well never holds
// here; paths and commits alone say nothing.
func allowsOf(list []documentAllow) (out []secret.Allow, err error) {
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

// settings adds what the table of ours says. Files stand beside that of the rules.
func (d *document) settings(s *cli.Streams, r *Rules) error {
	o, t := &r.options, &d.Sess
	beside := func(name string) string {
		if name == "" || filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(filepath.Dir(r.File), name)
	}
	o.Only = append(o.Only, t.Only...)
	if o.Generic = t.Generic; t.Generic {
		r.also(secret.GenericRule)
	}
	if t.Entropy {
		r.entropy()
	}
	if t.Emails {
		r.emails()
	}
	if t.Users {
		r.users()
	}
	for _, name := range t.SecretFiles {
		r.files = append(r.files, beside(name))
	}
	for _, glob := range t.Env {
		some, short, err := addEnv(o, glob)
		switch {
		case err != nil:
			return cli.UsageError("%s: sess.env: %s: %v", r.File, glob, err)
		case len(short) > 0 && s.Once("short values of "+glob):
			s.Warnf("%s: sess.env: %s: %s of fewer than %d bytes, which stand in other words, too, and are not looked for", r.File, glob, strings.Join(short, ", "), secret.MinExact)
		case !some && s.Once("no values of "+glob):
			s.Notef("%s: sess.env: %s: no such variable is set", r.File, glob)
		}
	}
	if t.Depth != nil {
		if o.Depth = *t.Depth; o.Depth < 0 || o.Depth > maxDepth {
			return cli.UsageError("%s: sess.depth wants 0 to %d layers", r.File, maxDepth)
		}
	}
	if t.With != "" {
		r.with = t.With
	}
	if t.Key = beside(t.Key); t.Key != "" && t.With != "hash" {
		return cli.UsageError(`%s: sess.key goes with with = "hash"`, r.File)
	}
	return nil
}

// maxDepth is how many layers of encodings are looked into at most.
const maxDepth = 16
