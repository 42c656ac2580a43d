package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/find/filter"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/row"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

type config struct {
	settings
	defaults settings // without any flag

	selects, projects *filter.Filter  // --where and --jq compiled, nil if not given
	wanted            map[string]bool // --role, nil if not given
}

// Settings are the values of the flags.
type settings struct {
	leaf, entry, as, where, jq, blobs string
	roles                             string // comma-separated
	last, turns                       int
	reinject                          string
	harness                           operand.Harness
	budget                            int64
	system, reverse, noHeader, strict bool
	raw, branches                     bool
}

func (c *config) flags() []clikit.Flag {
	flags := []clikit.Flag{
		clikit.String(&c.leaf, "leaf, l", "last", ", or by a rule: last, newest-message, longest"),
		clikit.String(&c.entry, "entry", "", "print the entry `REF` alone, and the results of its calls"),
		clikit.Bool(&c.branches, "branches", ", as they stand in the session"),
		clikit.Choice(&c.as, "as", forms, "print the path"),
		clikit.Tokens(&c.budget, "budget", 0, "keep the longest tail of"),
		clikit.Count(&c.last, "last", "keep the last `N` messages"),
		clikit.Count(&c.turns, "turns", "keep the last `N` turns, each from a user message on"),
		clikit.String(&c.roles, "role", "", "messages"),
		clikit.Choice(&c.reinject, "reinject", reinjects, "restore initial context that a compaction removed, at `PLACE`"),
		clikit.Bool(&c.system, "with-system", "include system prompts in what a model sees"),
		operand.HarnessFlag(&c.harness),
		clikit.String(&c.blobs, "blobs", "", "replace references to images with"),
		clikit.Bool(&c.reverse, "reverse", ""),
		clikit.Bool(&c.noHeader, "no-header", ""),
		clikit.String(&c.where, "where", "", "entries, without the header,"),
		clikit.String(&c.jq, "jq", "", "print the results of the gojq expression `EXPR` for each entry, or for what --as prints"),
		clikit.Bool(&c.raw, "raw-output, r", "print strings from --jq as they are, not as JSON"),
		clikit.Bool(&c.strict, "strict", "anything that is wrong with the session"),
	}
	c.defaults = c.settings
	return flags
}

// check refuses flags that contradict each other, and expressions that do not
// compile.
func (c *config) check() error {
	switch {
	case c.branches && (c.as != "entries" || c.leaf != c.defaults.leaf || c.reverse || c.budget > 0 || c.last > 0 || c.turns > 0):
		return clikit.UsageError("--branches prints all entries: it goes with --as entries, and with nothing that takes a part of a path")
	case c.reverse && c.as != "entries":
		return clikit.UsageError("--reverse goes with --as entries alone")
	case c.reinject != "none" && (c.as == "entries" || c.as == "state"):
		return clikit.UsageError("--reinject changes what a model sees, which --as %s does not print", c.as)
	case c.harness == operand.KeepHarness && c.verbatim():
		return clikit.UsageError("--harness says what others than the agent see, which --as %s does not print", c.as)
	case c.where != "" && c.as != "entries":
		return clikit.UsageError("--where selects entries: it goes with --as entries alone")
	case c.roles != "" && c.as == "state":
		return clikit.UsageError("--role selects messages, which --as state does not print")
	case c.raw && c.jq == "":
		return clikit.UsageError("--raw-output goes with --jq")
	case c.jq != "" && (c.as == "text" || c.as == "markdown"):
		return clikit.UsageError("--jq reads JSON, which --as %s does not print", c.as)
	}
	err := clikit.Exclusive(clikit.NameIf(c.entry != "", "--entry"), clikit.NameIf(c.leaf != c.defaults.leaf, "--leaf"), clikit.NameIf(c.branches, "--branches"))
	if err != nil {
		return err
	}
	err = clikit.Exclusive(clikit.NameIf(c.entry != "", "--entry"), clikit.NameIf(c.budget > 0, "--budget"), clikit.NameIf(c.last > 0, "--last"), clikit.NameIf(c.turns > 0, "--turns"))
	if err != nil {
		return err
	}
	if c.wanted, err = roles(c.roles); err != nil {
		return err
	}
	if c.selects, err = compile("--where", c.where); err != nil {
		return err
	}
	c.projects, err = compile("--jq", c.jq)
	return err
}

// verbatim reports whether the form has the words of agents in any case: it is for the
// agent itself, or for programs that look at entries.
func (c *config) verbatim() bool { return c.as == "entries" || c.as == "context" || c.as == "state" }

// roles reads the value of --role, nil if there is none.
func roles(list string) (map[string]bool, error) {
	if list == "" {
		return nil, nil
	}
	known := append(session.Roles(), session.RoleBranchSummary, session.RoleCompactionSummary, session.RoleHookMessage) // those of a context
	wanted := map[string]bool{}
	for role := range strings.SplitSeq(list, ",") {
		if err := clikit.RefuseUnknown("role", role, known); err != nil {
			return nil, err
		}
		wanted[role] = true
	}
	return wanted, nil
}

// compile compiles the expression of a flag, nil if there is none.
func compile(name, expr string) (*filter.Filter, error) {
	if expr == "" {
		return nil, nil
	}
	f, err := filter.Compile(expr)
	if err != nil {
		return nil, clikit.UsageError("%s: %v", name, err)
	}
	return f, nil
}

func (r *renderer) state() string {
	st := convo.StateOf(r.path)
	size := convo.MeasureProjection(r.projection, r.path, convo.Estimate)
	var labels, models []js.Field
	for _, l := range r.labels {
		labels = append(labels, js.StringField(js.ValidText(l.Target), js.ValidText(l.Name)))
	}
	for _, role := range slices.Sorted(maps.Keys(st.Models)) {
		models = append(models, js.StringField(js.ValidText(role), js.ValidText(st.Models[role])))
	}
	model := row.Null("model")
	if st.Model != nil {
		model = js.RawField("model", js.Object(row.Text("provider", st.Model.Provider), row.Text("modelId", st.Model.ID)))
	}
	return row.Object("state",
		row.Text("session", r.header.ID), row.Text("cwd", r.header.CWD), row.Text("title", r.title), row.Text("leaf", r.leaf),
		row.Texts("heads", r.heads), js.RawField("labels", js.Object(labels...)), js.IntField("entries", int64(r.count)),
		js.IntField("messages", int64(len(convo.MessagesOf(r.projection)))), model, js.RawField("models", js.Object(models...)),
		orNull("thinkingLevel", st.ThinkingLevel), row.Text("mode", st.Mode), orNull("modeData", st.ModeData),
		row.Texts("injectedRules", st.InjectedRules), orNull("serviceTier", st.ServiceTier),
		js.IntField("contextTokens", size.Tokens), js.IntField("usageTokens", size.Usage), js.IntField("trailingTokens", size.Trailing),
		js.IntField("problems", int64(len(r.problems))))
}

// orNull returns a member with the JSON of an entry, null if no entry has it.
func orNull(name, json string) js.Field {
	if json == "" {
		return row.Null(name)
	}
	return js.RawField(name, json)
}
