package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/secret"
)

// Rules find secrets, and choose the text in their place.
type Rules struct {
	redact.Options
	File   string // the file that they are of, "" for none
	Users  bool   // names of users are secrets
	Stable bool   // a secret has the same replacement in each run

	options secret.Options
	files   []string // whose lines are secrets
	with    string
	sum     []byte // of the file, nil for none
}

// Added is what a command line adds to the file.
type Added struct {
	Config                        string // the file that stands in the place of the user's, "" for that one
	Skip, Exprs, Env, SecretFiles []string
	Allow                         string // a file
	Emails, Users                 bool
	With                          string // instead of what the file says, "" for that
	Keyless                       bool   // nothing is replaced, so that no key is needed
}

// Configured returns what takes secrets out by the rules of the user's file, or by those that are built in if there is none.
func Configured(s *cli.Streams) (*redact.Redactor, error) {
	r, err := Read(s, Added{})
	if err != nil {
		return nil, err
	}
	return r.Redactor()
}

// Read makes the rules of the user's file, or those that are built in if there is none, with those that a command line adds. A
// file that cannot be read or understood is an error with the status of usage: no rule is left out.
func Read(s *cli.Streams, add Added) (*Rules, error) {
	r := &Rules{options: secret.Options{Depth: secret.DefaultDepth}, with: "kind", Stable: true}
	d, err := r.readFile(s, add.Config)
	if err != nil {
		return nil, err
	}
	ofFile := r.options
	if err := r.add(s, add); err != nil {
		return nil, err
	}
	if r.Style, err = redact.ParseStyle(r.with); err != nil {
		if add.With == "" {
			return nil, cli.UsageError("%s: sess.with: %v", r.File, err)
		}
		return nil, cli.UsageError("--with: %v", err)
	}
	if r.Style.Hash && !add.Keyless {
		r.Stable = d.Sess.Key != ""
		if r.Style.Key, err = key(d.Sess.Key); err != nil {
			return nil, err
		}
	}
	if r.Style.Text != "" { // a rule that goes by the text around a secret would find it again
		r.options.Allow = append(r.options.Allow, secret.Allow{Regexes: []string{"^" + regexp.QuoteMeta(r.Style.Text) + "$"}})
	}
	if r.Set, err = secret.New(r.options); err != nil {
		if _, wrong := secret.New(ofFile); wrong != nil && r.File != "" {
			return nil, cli.UsageError("%s: %v", r.File, wrong)
		}
		return nil, cli.UsageError("%v", err)
	}
	for _, rule := range d.Rules {
		if len(r.Set.Find("[redacted:"+rule.ID+"]")) > 0 {
			err := cli.UsageError("%s: rule %s: it finds its own name, which stands in the place of what it finds", r.File, rule.ID)
			return nil, cli.WithHint(err, "give it another id")
		}
	}
	return r, nil
}

// Redactor returns what takes secrets out by the rules.
func (r *Rules) Redactor() (*redact.Redactor, error) {
	out, err := redact.New(r.Options)
	switch {
	case err != nil && r.File != "":
		return nil, cli.UsageError("%s: %v", r.File, err)
	case err != nil:
		return nil, cli.UsageError("--with: %v", err)
	}
	return out, nil
}

// Digest returns 16 hex digits, which are others if the file, a rule or the replacement is: by it a copy that was redacted by
// other rules is known.
func (r *Rules) Digest() string {
	text := append([]byte(r.options.Digest()+"\x00"+r.with+"\x00"), r.Style.Key...) // a key is too long to be tried
	sum := sha256.Sum256(append(text, r.sum...))
	return hex.EncodeToString(sum[:8])
}

// IDs returns the names of all rules that are built in.
func IDs() []string {
	set, err := secret.New(secret.Options{Generic: true, Entropy: true, Emails: true})
	if err != nil {
		return nil
	}
	return set.Rules()
}

// more adds rules, which are used whichever others are named.
func (r *Rules) more(list ...secret.Rule) {
	r.options.Rules = append(r.options.Rules, list...)
	for _, rule := range list {
		r.also(rule.ID)
	}
}

// also has a rule used beside those that are named.
func (r *Rules) also(id string) {
	if len(r.options.Only) > 0 {
		r.options.Only = append(r.options.Only, id)
	}
}

// entropy, emails and users turn on rules that are off.
func (r *Rules) entropy() {
	r.options.Entropy = true
	r.also(secret.EntropyRule)
}

func (r *Rules) emails() {
	r.options.Emails = true
	r.also(secret.EmailRule)
}

func (r *Rules) users() {
	if r.Users {
		return
	}
	r.Users = true
	const end = `(?:[/\\\s"':,;)]|$)`
	if home, err := os.UserHomeDir(); err == nil && len(home) > 3 {
		r.more(secret.Rule{ID: "home-directory", Regex: `(` + regexp.QuoteMeta(home) + `)` + end, As: "~"})
	}
	r.more(secret.Rule{
		ID: "user-name", Regex: `(?i)(?:/home/|/users/|\\users\\)([^/\\\s"':,;<>|*?]{1,64})` + end,
		Keywords: []string{"/home/", "/users/", `\users\`},
		Allow:    []secret.Allow{{Regexes: []string{`^user$`}}}, As: "user",
	})
}

// add adds what the command line says.
func (r *Rules) add(s *cli.Streams, add Added) error {
	o := &r.options
	o.Skip = append(o.Skip, cli.Words(add.Skip)...)
	for i, expr := range add.Exprs {
		r.more(secret.Rule{ID: fmt.Sprintf("regex-%d", i+1), Regex: expr})
	}
	if add.Emails {
		r.emails()
	}
	if add.Users {
		r.users()
	}
	if add.With != "" {
		r.with = add.With
	}
	if err := addAllowed(s, o, add.Allow); err != nil {
		return err
	}
	r.files = append(r.files, add.SecretFiles...)
	if err := r.addFiles(s); err != nil {
		return err
	}
	for _, glob := range add.Env {
		some, short, err := addEnv(o, glob)
		switch {
		case err != nil:
			return cli.UsageError("--env %s: %v", glob, err)
		case len(short) > 0:
			return tooShort("the environment variable " + short[0])
		case !some:
			return cli.WithHint(cli.UsageError("--env %s: no such variable is set", glob), "what is not known is not found")
		}
	}
	return nil
}
