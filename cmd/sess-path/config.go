package main

import (
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/jq"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

type config struct {
	settings
	defaults settings // without any flag

	selects, projects *jq.Filter      // --where and --jq compiled, nil if not given
	wanted            map[string]bool // --role, nil if not given
}

// Settings are the values of the flags.
type settings struct {
	leaf, entry, as, where, jq, blobs string
	roles                             string // comma-separated
	last, turns                       int
	reinject                          string
	harness                           address.Harness
	budget                            int64
	system, noHeader, strict          bool
	raw, branches                     bool
}

func (c *config) flags() []cli.Flag {
	flags := []cli.Flag{
		cli.String(&c.leaf, "leaf, l", "last", "the path ends at `REF`, or by a rule: last, newest-message, longest"),
		cli.String(&c.entry, "entry", "", "print only the entry `REF` and the results of its calls"),
		cli.Bool(&c.branches, "branches", "take the entries of all branches, in the order of the session"),
		cli.Choice(&c.as, "as", forms, "print the path as `FORM`"),
		cli.Tokens(&c.budget, "budget", 0, "keep the longest tail of at most `TOKENS`"),
		cli.Count(&c.last, "last", "keep the last `N` messages"),
		cli.Count(&c.turns, "turns", "keep the last `N` turns, each from a user message on"),
		cli.String(&c.roles, "role", "", "only messages of the roles `ROLE,ROLE`"),
		cli.Choice(&c.reinject, "reinject", reinjects, "restore initial context that a compaction removed, at `PLACE`"),
		cli.Bool(&c.system, "with-system", "include system prompts in what a model sees"),
		address.HarnessFlag(&c.harness),
		address.BlobsVariable(&c.blobs),
		cli.Bool(&c.noHeader, "no-header", "leave out the header"),
		cli.String(&c.where, "where", "", "only entries, without the header, for which the gojq expression `EXPR` is true"),
		cli.String(&c.jq, "jq", "", "print the results of the gojq expression `EXPR` for each entry, or for what --as prints"),
		cli.Bool(&c.raw, "raw-output, r", "print strings from --jq as they are, not as JSON"),
		cli.Bool(&c.strict, "strict", "end with status 3 for anything that is wrong with the session"),
	}
	c.defaults = c.settings
	return flags
}

// check refuses flags that contradict each other, and expressions that do not
// compile.
func (c *config) check() error {
	switch {
	case c.branches && (c.as != "entries" || c.leaf != c.defaults.leaf || c.budget > 0 || c.last > 0 || c.turns > 0):
		return cli.UsageError("--branches prints all entries: it goes with --as entries, and with nothing that takes a part of a path")
	case c.reinject != "none" && (c.as == "entries" || c.as == "state"):
		return cli.UsageError("--reinject changes what a model sees, which --as %s does not print", c.as)
	case c.harness == address.KeepHarness && c.verbatim():
		return cli.UsageError("--harness says what others than the agent see, which --as %s does not print", c.as)
	case c.where != "" && c.as != "entries":
		return cli.UsageError("--where selects entries: it goes with --as entries alone")
	case c.roles != "" && c.as == "state":
		return cli.UsageError("--role selects messages, which --as state does not print")
	case c.system && c.as == "state":
		return cli.UsageError("--with-system prints system prompts, which --as state does not")
	case c.raw && c.jq == "":
		return cli.UsageError("--raw-output goes with --jq")
	case c.jq != "" && (c.as == "text" || c.as == "markdown"):
		return cli.UsageError("--jq reads JSON, which --as %s does not print", c.as)
	}
	err := cli.Exclusive(cli.NameIf(c.entry != "", "--entry"), cli.NameIf(c.leaf != c.defaults.leaf, "--leaf"), cli.NameIf(c.branches, "--branches"))
	if err != nil {
		return err
	}
	err = cli.Exclusive(cli.NameIf(c.entry != "", "--entry"), cli.NameIf(c.budget > 0, "--budget"), cli.NameIf(c.last > 0, "--last"), cli.NameIf(c.turns > 0, "--turns"))
	if err != nil {
		return err
	}
	if c.wanted, err = roles(c.roles); err != nil {
		return err
	}
	if c.selects, err = jq.Flag("--where", c.where); err != nil {
		return err
	}
	c.projects, err = jq.Flag("--jq", c.jq)
	return err
}

// verbatim reports whether the form never leaves out what the agent itself put into a conversation: forms for an agent, and
// for programs that look at entries, have all of it.
func (c *config) verbatim() bool { return c.as == "entries" || c.as == "context" || c.as == "state" }

// roles reads the value of --role, nil if there is none.
func roles(list string) (map[string]bool, error) {
	if list == "" {
		return nil, nil
	}
	known := append(session.Roles(), session.RoleBranchSummary, session.RoleCompactionSummary, session.RoleHookMessage) // those of a context
	wanted := map[string]bool{}
	for role := range strings.SplitSeq(list, ",") {
		if err := cli.RefuseUnknown("role", role, known); err != nil {
			return nil, err
		}
		wanted[role] = true
	}
	return wanted, nil
}

func (r *renderer) state() string {
	st := convo.StateOf(r.path)
	size := convo.MeasureProjection(r.projection, r.path, convo.Estimate)
	out := stateRow{
		Session: r.header.ID, CWD: r.header.CWD, Title: r.title, Leaf: r.leaf, Heads: r.heads, Entries: r.count,
		Messages: len(convo.MessagesOf(r.projection)), Models: st.Models, ThinkingLevel: js.Value(st.ThinkingLevel), Mode: st.Mode,
		ModeData: js.Value(st.ModeData), InjectedRules: st.InjectedRules, ServiceTier: js.Value(st.ServiceTier),
		ContextTokens: size.Tokens, UsageTokens: size.Usage, TrailingTokens: size.Trailing, Problems: len(r.problems),
	}
	for _, l := range r.labels {
		out.Labels = append(out.Labels, js.StringField(js.ValidText(l.Target), js.ValidText(l.Name)))
	}
	if st.Model != nil {
		out.Model = &modelRow{st.Model.Provider, st.Model.ID}
	}
	return row.JSON(out)
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
leaf: the path ends at REF (default last)
entry
as
budget
last
turns
role
where: only entries for which the expression is true
jq: print the results of the gojq expression EXPR
raw-output
strict: end with status 3 for anything that is wrong
`
