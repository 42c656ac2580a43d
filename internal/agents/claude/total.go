package claude

import (
	"fmt"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// total adds what Claude Code counts in all at the end of a process and no reply says: titles, summaries and other helpers.
// The total has the sub-agents too, whose calls are those of sessions of their own: where one was started, nothing is said.
func (c *conversion) total(i int, l line, text string) error {
	var of []string
	usage := map[string]js.Value{}
	for model, used := range l.get("modelUsage").Members() {
		usage[api.ModelNamed(model)] = api.ModelUsage(used)
	}
	if !c.agents {
		for k, fields := range c.count.Rest(usage, api.UsageProvider, c.lose(i)) {
			id, err := c.b.Add(formats.Place{Key: fmt.Sprintf("total %d of line %d", k, c.index.nodes[i].number), Parent: c.slot.tail, Root: c.slot.tail == "", Time: l.time()},
				session.TypeUsage, fields...)
			if err != nil {
				return err
			}
			of, c.slot.tail = append(of, id), id
		}
	}
	if len(of) == 0 {
		var err error
		c.slot.tail, err = c.alone(i, c.slot.tail, text)
		return err
	}
	return c.b.Keep(of[:len(of)-1], c.kept(i, text))
}

// spent counts the usage of a reply, unless it was made in the session that this one is a copy of.
func (c *conversion) spent(l line, usage, model string) {
	if l.get("forkedFrom") == "" {
		c.count.Add(js.Value(usage), model)
	}
}
