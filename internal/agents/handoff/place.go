package handoff

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/portable"
	"github.com/sess-tools/sess/internal/core/brief"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/agent"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Targets returns the agents that a session can be handed to: it is written for them, and they go on with it by its id.
func Targets() (names []string) {
	for _, a := range agent.All() {
		if a.Written && a.Resume != nil {
			names = append(names, a.Name)
		}
	}
	return names
}

// Place returns the directory below which an agent keeps its sessions, or the database in which
// opencode does.
func Place(f formats.Format, env formats.Env) (string, error) {
	home := f.About().Home
	if home == nil {
		return "", fmt.Errorf("%s has no place for sessions", f.About().Name)
	}
	path, err := home(env)
	if err == nil && f.About().Name == "codex" {
		path = filepath.Join(path, "sessions")
	}
	return path, err
}

// models finds the model in the configuration of opencode, which may have comments.
var models = lazy.Regexp(`(?m)^[^/]*"model"\s*:\s*"([^"/]+)/([^"]+)"`)

// Model returns the model that opencode would take in a directory, since it does not go on with a
// session without a model. ok is false if opencode names none.
func Model(env formats.Env, cwd string) (provider, model string, ok bool) {
	config, state := cmp.Or(env.Getenv("XDG_CONFIG_HOME"), filepath.Join(env.Home, ".config")), cmp.Or(env.Getenv("XDG_STATE_HOME"), filepath.Join(env.Home, ".local", "state"))
	for _, name := range []string{
		filepath.Join(cwd, "opencode.json"), filepath.Join(cwd, "opencode.jsonc"), env.Getenv("OPENCODE_CONFIG"),
		filepath.Join(config, "opencode", "opencode.json"), filepath.Join(config, "opencode", "opencode.jsonc"), filepath.Join(config, "opencode", "config.json"),
	} {
		if data, err := disk.ReadFile(name); err == nil {
			if m := models().FindSubmatch(data); m != nil {
				return string(m[1]), string(m[2]), true
			}
		}
	}
	data, err := disk.ReadFile(filepath.Join(state, "opencode", "model.json"))
	if err != nil || !js.Valid(data) {
		return "", "", false
	}
	for used := range js.Value(data).Get("recent").Elements() {
		return used.Get("providerID").Str(), used.Get("modelID").Str(), used.Get("modelID").Str() != ""
	}
	return "", "", false
}

// Differs says how a session that was read back differs from the one that was handed over, "" if
// it does not: the same messages of user and model, the same calls, and each result with its call.
// It may go on behind that; more is the number of messages that it does by.
func Differs(want *portable.Session, s *session.Session, to string) (how string, more int) {
	have := portable.Make(s, portable.Options{To: to, From: to}, formats.NewTarget(func(formats.Loss) {})).Said
	a, b := spelled(want.Said), spelled(have)
	for i, text := range a {
		switch {
		case i >= len(b):
			return fmt.Sprintf("%d of %d parts are there", len(b), len(a)), 0
		case text != b[i] && squeezed(text) != squeezed(b[i]):
			return fmt.Sprintf("part %d is otherwise: %s, and it was %s", i+1, brief.Line(b[i]), brief.Line(text)), 0
		}
	}
	for _, m := range have {
		if m.Role() != session.RoleToolResult {
			more++
		}
	}
	for _, m := range want.Said {
		if m.Role() != session.RoleToolResult {
			more--
		}
	}
	return "", max(more, 0)
}

// spelled lists what messages say, in a form that the ways in which agents store it have in common: codex and
// opencode have one text for a result, and opencode its images apart; no agent keeps a text that is empty.
func spelled(said []portable.Said) (out []string) {
	calls := map[string]string{} // their names, by their ids
	for _, m := range said {
		role := m.Role()
		if role == session.RoleToolResult {
			role += " of " + calls[m.Str("toolCallId")]
			if text := strings.TrimSpace(textsOf(m.Message)); text != "" {
				out = append(out, role+": "+text)
			}
		}
		texts := ""
		flush := func() {
			if text := strings.TrimSpace(texts); text != "" {
				out = append(out, role+": "+text)
			}
			texts = ""
		}
		for b := range m.Blocks() {
			if b.Type != session.BlockText {
				flush()
			}
			switch b.Type {
			case session.BlockText:
				if m.Role() != session.RoleToolResult {
					texts += b.Str("text") + "\n"
				}
			case session.BlockImage:
				out = append(out, role+": an image of "+fmt.Sprint(len(b.Str("data"))))
			case session.BlockToolCall:
				calls[b.Str("id")] = b.Str("name")
				out = append(out, role+" calls "+b.Str("name")+" "+js.Stringify(b.Get("arguments")))
			}
		}
		flush()
	}
	return out
}

// squeezed is a text without white space: agents part the texts of one message in their own ways.
func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }

// textsOf returns the texts of a result in one piece, as codex and opencode write it.
func textsOf(m session.Message) string {
	var texts []string
	for b := range m.Blocks() {
		if text := b.Str("text"); b.Type == session.BlockText && text != "" {
			texts = append(texts, js.ValidText(text))
		}
	}
	return strings.Join(texts, "\n")
}
