package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/core/secret"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/pkg/jsonl"
)

type config struct {
	check, damagedOK bool
	rules.Added
	baseline, newBaseline       string
	signatures, images, damaged string
	rawJSONL                    bool
	json, sarif, github         bool
	dest                        address.Destination
	sessions                    selection.Selection
	base                        *baseline
	set                         *secret.Set
	plain                       *redact.Redactor // of the printed lines
	screen                      *screened        // nil if findings are for programs
	broken                      []jsonl.Line     // of the session that is checked, those that are not JSON
}

func (c *config) flags() []cli.Flag {
	return slices.Concat(
		cli.Group("What is a secret, with redact.toml",
			cli.String(&c.Config, "config", "", "read `FILE`, a gitleaks configuration, instead of redact.toml"),
			cli.Strings(&c.Skip, "skip", "use all rules except `ID,ID`"),
			cli.Strings(&c.Exprs, "regexp, e", "look for `PATTERN`; may be repeated; its matches are secrets"),
			cli.Strings(&c.SecretFiles, "secret-file", "treat the lines of `FILE` as secrets"),
			cli.Strings(&c.Env, "env", "treat the values of the environment variables `GLOB` as secrets"),
			cli.String(&c.Allow, "allow", "", "ignore matches of the regular expressions in `FILE`, one a line"),
			cli.Bool(&c.Emails, "emails", "treat e-mail addresses as secrets"),
			cli.Bool(&c.Users, "users", "write ~ for the home directory, and user for user names in paths"),
		),
		cli.Group("What is written",
			cli.String(&c.With, "with", "", "replace a secret with its kind, hash, mask:N, or the text `AS`"),
			cli.Choice(&c.signatures, "signatures", []string{"keep", "drop"}, "`HOW` to treat the signatures of thinking, which others cannot read"),
			cli.Choice(&c.images, "images", []string{"keep", "note", "drop"}, "`HOW` to treat images; note replaces them with a text"),
			cli.Choice(&c.damaged, "damaged", []string{"fail", "drop"}, "`HOW` to treat a line that is not JSON and has a secret"),
			cli.Bool(&c.rawJSONL, "raw-jsonl", "the input is JSON Lines of any kind"),
			cli.Output(&c.dest.File, "make `FILE`, and print its path; - is standard output, with mode 0600"),
			c.dest.ForceFlag(),
			address.SyncVariable(&c.dest.Sync),
		),
		cli.Group("Checking", append([]cli.Flag{
			cli.Bool(&c.check, "check", "write no session: print where secrets are, and end with status 1 if there are any"),
			cli.Bool(&c.damagedOK, "damaged-ok", "judge what can be read of a damaged session"),
			cli.Bool(&c.json, "json", "print a JSON object for each finding, and a total; with --check"),
			cli.Bool(&c.sarif, "sarif", "with --check, print SARIF 2.1.0"),
			cli.Bool(&c.github, "github", "with --check, print annotations of GitHub Actions"),
			cli.String(&c.baseline, "baseline", "", "compare with `FILE`, the output of an earlier run with --write-baseline, and ignore its findings"),
			cli.String(&c.newBaseline, "write-baseline", "", "with --check, write the current findings to `FILE`"),
		}, c.sessions.Flags(selection.AllBelow, selection.Agent, selection.Since)...)...),
	)
}

// validate refuses flags that contradict each other.
func (c *config) validate() error {
	if err := c.dest.CheckForce(); err != nil {
		return err
	}
	switch {
	case !c.check && (c.json || c.damagedOK || c.sarif || c.github || c.baseline != "" || c.newBaseline != "" || c.sessions.Given()):
		return cli.WithHint(cli.UsageError("--json, --sarif, --github, --baseline, --write-baseline, --damaged-ok and the flags that select sessions go with --check"),
			"without --check one session is read and written")
	case c.check && c.dest.File != "":
		return cli.UsageError("--output does not go with --check, which writes no session")
	}
	return cli.Exclusive(cli.NameIf(c.json, "--json"), cli.NameIf(c.sarif, "--sarif"), cli.NameIf(c.github, "--github"))
}

// redactor makes what looks for secrets.
func (c *config) redactor(s *cli.Streams) (*redact.Redactor, error) {
	c.Keyless = c.check
	r, err := rules.Read(s, c.Added)
	if err != nil {
		return nil, err
	}
	c.set, r.Signatures, r.Images, r.Damaged = r.Set, c.signatures == "drop", c.images, c.damaged == "drop"
	if c.check {
		r.Broken = func(l jsonl.Line) { c.broken = append(c.broken, l) }
	}
	return r.Redactor()
}

// caught makes an error of a panic that says where it happened and nothing of the data: a
// message of the runtime may have some in it.
func caught(err *error) {
	if recover() == nil {
		return
	}
	var at []string
	pc := make([]uintptr, 16)
	frames := runtime.CallersFrames(pc[:runtime.Callers(3, pc)])
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "sess-tools") || strings.HasPrefix(f.Function, "main.") {
			at = append(at, fmt.Sprintf("%s:%d", f.Function, f.Line))
		}
		if !more {
			break
		}
	}
	*err = errors.New("an error of sess-redact itself, at " + strings.Join(at, ", "))
}

// A silentError is an error whose message has no secret: a file may be called by one.
type silentError struct {
	error
	text string
}

func (e *silentError) Error() string { return e.text }
func (e *silentError) Unwrap() error { return e.error }

// silent returns an error without the secrets in its message, each of several by itself.
func (c *config) silent(err error) error {
	if err == nil {
		return nil
	}
	if parts := cli.Split(err); len(parts) > 1 {
		var out []error
		for _, e := range parts {
			out = append(out, c.silent(e))
		}
		return errors.Join(out...)
	}
	if text := c.shown(err.Error()); text != err.Error() {
		return &silentError{err, text}
	}
	return err
}

// shown returns a text as it may be printed: without its secrets.
func (c *config) shown(text string) string {
	if c.plain == nil {
		var err error
		if c.set == nil {
			c.plain, err = redact.Default()
		} else {
			c.plain, err = redact.New(redact.Options{Set: c.set})
		}
		if err != nil {
			return "(not shown)"
		}
	}
	clean, err := c.plain.Text(text)
	if err != nil {
		return "(not shown)"
	}
	return clean
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
skip
regexp: treat matches of PATTERN as secrets
env: treat values of environment variables GLOB as secrets
users: write ~ and user for user names in paths
with: replace with AS: kind, hash, mask:N or a text
images
output: make FILE, and print its path
check: write no session, but print where secrets are
github
all: take the sessions of every project
`
