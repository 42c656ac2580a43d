package main

import "github.com/sess-tools/sess/internal/core/row"

// A handoffRow is what was handed over.
type handoffRow struct {
	row.Kind `row:"handoff"`
	// The source.
	From struct {
		Agent   string `row:"agent,known"`   // The agent it is of.
		Session string `row:"session,known"` // Its id.
		Leaf    string `row:"leaf,known"`    // The id of the last entry that was handed over.
		Address string `row:"address,known"` // Where it stays, as tools take it.
		CWD     string `row:"cwd,null"`      // Its working directory; null if it has none.
	} `row:"from"`
	// What was made.
	To struct {
		Agent   string   `row:"agent,known"`   // The agent it is for.
		Session string   `row:"session,known"` // Its id there.
		Path    string   `row:"path,known"`    // Its file, or the place where the agent keeps it.
		CWD     string   `row:"cwd,known"`     // The directory in which the agent goes on.
		Resume  []string `row:"resume"`        // The command that goes on with it.
	} `row:"to"`
	// Its size for a model, as estimated.
	Tokens struct {
		Before int64 `row:"before"` // All that may be carried.
		After  int64 `row:"after"`  // The part that is carried, without the words of the hand-off.
		Budget int64 `row:"budget"` // The limit; 0 for none.
	} `row:"tokens"`
	// Messages.
	Messages struct {
		Carried int `row:"carried"` // Those that were made, with those of the hand-off.
		Cut     int `row:"cut"`     // Those that were left out for the budget.
	} `row:"messages"`
	// Results of calls.
	Results struct {
		LeftOut int `row:"leftOut"` // Those whose output was left out for the budget.
	} `row:"results"`
	// Calls.
	Calls struct {
		Mapped  int            `row:"mapped"`  // Those that are calls of the agent's own tools.
		Renamed map[string]int `row:"renamed"` // Others, by the names that they have now.
	} `row:"calls"`
	Redacted int            `row:"redacted"` // How many secrets were taken out.
	Losses   map[string]int `row:"losses"`   // What was not carried, by kinds: how many lines of losses there are.
	There    bool           `row:"there"`    // Whether it had been handed over before.
	WentOn   int            `row:"wentOn"`   // By how many messages it went on there.
}
