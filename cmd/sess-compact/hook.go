package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/command"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
)

// maxHookReply is how many bytes a hook may print: a plan names every message.
const maxHookReply = 64 << 20

// A hookReply is what a hook may change of a plan. What it leaves out, or
// leaves as it was, stays.
type hookReply struct {
	Cancel              bool             `json:"cancel"`
	Reason              string           `json:"reason"`
	FirstKeptEntryID    *string          `json:"firstKeptEntryId"`
	MessagesToSummarize *[]string        `json:"messagesToSummarize"`
	TurnPrefixMessages  *[]string        `json:"turnPrefixMessages"`
	Instructions        *string          `json:"instructions"`
	Summary             *string          `json:"summary"`
	Details             *json.RawMessage `json:"details"`
}

// askHook shows the plan to the hook and takes back what it makes of it. A hook
// that prints nothing agrees.
func (j *job) askHook(plan *compact.Plan) (*compact.Plan, string, *string, error) {
	cmd := command.Command{Shell: j.hook, Timeout: j.timeout, MaxReply: maxHookReply, Summarizes: true, Env: []string{"SESS_FILE=" + j.src.Path, "SESS_LEAF=" + plan.Leaf}}
	if j.streams.Verbose {
		cmd.Stderr = j.streams.Err
	}
	text, err := cmd.Run(j.ctx, planJSON(plan, j.instructions)+"\n")
	if failed, ok := errors.AsType[*command.Error](err); ok && failed.Reason == command.Empty {
		return plan, j.instructions, nil, nil
	}
	if err != nil {
		return nil, "", nil, clikit.CommandFailed(fmt.Errorf("--hook: %w", err))
	}
	var reply hookReply
	if err := json.Unmarshal([]byte(text), &reply); err != nil {
		return nil, "", nil, clikit.CommandFailed(fmt.Errorf("--hook: no plan was printed: %w", err))
	}
	if reply.Cancel {
		if reply.Reason == "" {
			reply.Reason = "no reason given"
		}
		return nil, "", nil, clikit.No("the hook cancelled the compaction: %s", reply.Reason)
	}
	return j.edited(plan, reply)
}

// edited carries out what a hook wants changed.
func (j *job) edited(plan *compact.Plan, reply hookReply) (*compact.Plan, string, *string, error) {
	refuse := func(err error) (*compact.Plan, string, *string, error) {
		return nil, "", nil, clikit.CommandFailed(fmt.Errorf("--hook: %w", err))
	}
	var err error
	if id := reply.FirstKeptEntryID; id != nil && *id != plan.FirstKept {
		o := j.options()
		o.FirstKept = *id
		if plan, err = compact.New(j.current(), o); err != nil {
			return refuse(err)
		}
	}
	for list, ids := range map[*[]compact.Part]*[]string{&plan.Summarize: reply.MessagesToSummarize, &plan.TurnPrefix: reply.TurnPrefixMessages} {
		if ids != nil {
			*list = slices.DeleteFunc(slices.Clone(*list), func(p compact.Part) bool { return !slices.Contains(*ids, p.EntryID) })
		}
	}
	if reply.Details != nil {
		j.details = string(*reply.Details)
		if err := checkDetails(j.details); err != nil {
			return refuse(fmt.Errorf("details: %w", err))
		}
	}
	focus := j.instructions
	if reply.Instructions != nil {
		focus = *reply.Instructions
	}
	if reply.Summary != nil {
		*reply.Summary = js.ValidText(*reply.Summary)
	}
	return plan, focus, reply.Summary, nil
}
