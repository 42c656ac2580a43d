package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// homes writes sessions of agents where they keep them: the numbers of steps and the lengths of texts are log-normal, as those of genuine
// sessions are, and the times of 1,000 sessions are spread over 300 days.
type homes struct {
	r    *rand.Rand
	pool *pool
	sum  Facts
	line []byte
	out  *bufio.Writer
	now  time.Time
}

// apart is how long after the one before it a session begins.
const apart = 7 * time.Hour

// workplaces are how many working directories sessions are spread over.
const workplaces = 25

func (h *homes) chance(p float64) bool { return h.r.Float64() < p }
func (h *homes) drawn(mu, sigma float64) int {
	return max(1, int(math.Exp(mu+sigma*h.r.NormFloat64())))
}
func (h *homes) text(median float64) []byte     { return h.pool.piece(h.r, length(h.r, median)) }
func (h *homes) hex(digits int) string          { return fmt.Sprintf("%0*x", digits, h.r.Uint64())[:digits] }
func (h *homes) add(format string, args ...any) { h.line = fmt.Appendf(h.line, format, args...) }
func (h *homes) stamp() string                  { return h.now.Format("2006-01-02T15:04:05.000Z") }
func (h *homes) later(atLeast, most time.Duration) {
	h.now = h.now.Add(atLeast + time.Duration(h.r.Int64N(int64(most-atLeast))))
}

func (h *homes) workplace() string {
	return fmt.Sprintf("/srv/work/project-%02d", h.r.IntN(workplaces))
}

func (h *homes) uuid() string {
	return fmt.Sprintf("%s-%s-4%s-a%s-%s", h.hex(8), h.hex(4), h.hex(3), h.hex(3), h.hex(12))
}

// end ends a line.
func (h *homes) end() error {
	h.sum.Bytes += int64(len(h.line)) + 1
	h.sum.Entries++
	_, err := h.out.Write(append(h.line, '\n'))
	h.line = h.line[:0]
	return err
}

// file writes a file, whose time is that of its last line.
func (h *homes) file(name string, write func() error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	h.out.Reset(f)
	return errors.Join(write(), h.out.Flush(), f.Close(), os.Chtimes(name, h.now, h.now))
}

// write writes n sessions of an agent.
func (h *homes) write(agent, dir string, n int) (Facts, error) {
	h.out = bufio.NewWriterSize(nil, 1<<20)
	if agent == "opencode" {
		return h.sum, h.opencode(filepath.Join(dir, "opencode.db"), n)
	}
	one, ok := map[string]func(dir string, i int) error{"claude": h.claude, "codex": h.codex}[agent]
	if !ok {
		return h.sum, fmt.Errorf("no home of %q can be made", agent)
	}
	begun := h.now
	for i := range n {
		h.now = begun.Add(time.Duration(i) * apart)
		if err := one(dir, i); err != nil {
			return h.sum, err
		}
	}
	return h.sum, nil
}

// turns draws the turns of a session, each with its number of steps.
func (h *homes) turns(mu, sigma float64, turn func(steps int) error) error {
	for left := h.drawn(mu, sigma); left > 0; {
		steps := h.drawn(1.2, 0.8)
		if left -= steps; steps > 0 {
			if err := turn(steps); err != nil {
				return err
			}
		}
	}
	return nil
}

// claude writes a session of Claude Code; one of seven has sub-agents.
func (h *homes) claude(dir string, i int) error {
	id, cwd := fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), h.workplace()
	project := filepath.Join(dir, "projects", strings.ReplaceAll(cwd, "/", "-"))
	begun := h.now
	if err := h.file(filepath.Join(project, id+".jsonl"), func() error { return h.claudeLines(id, "", cwd, 3.3, 1.1) }); err != nil || !h.chance(0.15) {
		return err
	}
	for range 1 + h.r.IntN(6) {
		h.now = begun
		agent := "a" + h.hex(16)
		name := filepath.Join(project, id, "subagents", "agent-"+agent+".jsonl")
		if err := h.file(name, func() error { return h.claudeLines(id, agent, cwd, 2.5, 0.9) }); err != nil {
			return err
		}
	}
	return nil
}

// A claudeSession is one of Claude Code, or of a sub-agent of it.
type claudeSession struct {
	*homes
	id, agent, cwd string
	parent         string // of the next line, in JSON
}

// claudeLines writes the lines of a session, or of its sub-agent.
func (h *homes) claudeLines(id, agent, cwd string, mu, sigma float64) error {
	s := &claudeSession{homes: h, id: id, agent: agent, cwd: cwd, parent: "null"}
	titled := agent != ""
	return h.turns(mu, sigma, func(steps int) error {
		h.later(time.Second, 90*time.Second)
		s.begin("user")
		h.add(`"promptId":%q,"permissionMode":"default","message":{"role":"user","content":"%s"},`, h.uuid(), h.text(120))
		if err := s.finish(); err != nil {
			return err
		}
		if !titled {
			titled = true
			h.add(`{"type":"ai-title","title":"%s","sessionId":%q}`, h.pool.piece(h.r, 40), id)
			if err := h.end(); err != nil {
				return err
			}
		}
		for k := range steps {
			h.later(500*time.Millisecond, 20*time.Second)
			if err := s.reply(k == steps-1); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *claudeSession) begin(typ string) {
	s.add(`{"parentUuid":%s,"isSidechain":%t,`, s.parent, s.agent != "")
	if s.agent != "" {
		s.add(`"agentId":%q,`, s.agent)
	}
	s.add(`"type":%q,`, typ)
}

func (s *claudeSession) finish() error {
	uuid := s.uuid()
	s.parent = `"` + uuid + `"`
	s.add(`"uuid":%q,"timestamp":%q,"userType":"external","entrypoint":"cli","cwd":%q,"sessionId":%q,"version":"2.1.197","gitBranch":"main"}`, uuid, s.stamp(), s.cwd, s.id)
	return s.end()
}

// reply writes a reply, each block of it in a line of its own with the usage of the reply, and the result of the call that it ends with, if it
// is not the last of its turn.
func (s *claudeSession) reply(last bool) error {
	stop, reply, request, made := "tool_use", "msg_"+s.hex(24), "req_"+s.hex(20), s.r.IntN(4000)
	if last {
		stop = "end_turn"
	}
	usage := fmt.Sprintf(`{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d,"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":%d}}`,
		1+s.r.IntN(12), made, 10000+s.r.IntN(140000), 20+s.r.IntN(2500), made)
	block := func(format string, args ...any) error {
		s.begin("assistant")
		s.add(`"requestId":%q,"message":{"id":%q,"type":"message","role":"assistant","model":"claude-opus-4-5-20251101","content":[`, request, reply)
		s.add(format, args...)
		s.add(`],"stop_reason":%q,"stop_sequence":null,"usage":%s},`, stop, usage)
		return s.finish()
	}
	if s.chance(0.4) {
		if err := block(`{"type":"thinking","thinking":"%s","signature":"%s"}`, s.text(300), strings.Repeat(s.hex(16), 12)); err != nil {
			return err
		}
	}
	if last || s.chance(0.5) {
		if err := block(`{"type":"text","text":"%s"}`, s.text(250)); err != nil || last {
			return err
		}
	}
	call, name := "toolu_"+s.hex(24), "Bash"
	input := fmt.Sprintf(`{"command":"go test ./... %s","description":"%s"}`, s.text(40), s.pool.piece(s.r, 20))
	switch s.r.IntN(5) {
	case 0:
		name, input = "Read", fmt.Sprintf(`{"file_path":"%s/main.go"}`, s.cwd)
	case 1:
		name, input = "Edit", fmt.Sprintf(`{"file_path":"%s/main.go","old_string":"%s","new_string":"%s"}`, s.cwd, s.text(200), s.text(200))
	}
	if err := block(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, call, name, input); err != nil {
		return err
	}
	s.later(10*time.Millisecond, 4*time.Second)
	output := s.text(700)
	s.begin("user")
	s.add(`"message":{"role":"user","content":[{"tool_use_id":%q,"type":"tool_result","content":"%s","is_error":%t}]},`, call, output, s.chance(0.06))
	if name == "Bash" {
		s.add(`"toolUseResult":{"stdout":"%s","stderr":"","interrupted":false,"isImage":false},`, output)
	}
	return s.finish()
}

// codex writes a rollout.
func (h *homes) codex(dir string, i int) error {
	id, cwd := fmt.Sprintf("%08x-0000-7000-8000-%012x", i, i), h.workplace()
	name := filepath.Join(dir, "sessions", h.now.Format("2006/01/02"), "rollout-"+h.now.Format("2006-01-02T15-04-05")+"-"+id+".jsonl")
	return h.file(name, func() error {
		ordinal := 0
		put := func(typ, format string, args ...any) error {
			h.later(time.Millisecond, 50*time.Millisecond)
			h.add(`{"timestamp":%q,"ordinal":%d,"type":%q,"payload":{`, h.stamp(), ordinal, typ)
			h.add(format, args...)
			h.add("}}")
			ordinal++
			return h.end()
		}
		err := put("session_meta", `"session_id":%q,"id":%q,"timestamp":%q,"cwd":%q,"originator":"codex_cli","cli_version":"0.169.0","source":"cli","thread_source":"user","model_provider":"openai","base_instructions":{"text":"%s"}`,
			id, id, h.stamp(), cwd, h.pool.piece(h.r, 9000))
		if err != nil {
			return err
		}
		var all [4]int // input, of it cached, output, of it reasoning
		return h.turns(2.9, 1.0, func(steps int) error {
			turn, prompt := h.uuid(), h.text(120)
			err := errors.Join(
				put("event_msg", `"type":"task_started","turn_id":%q,"started_at":%d,"model_context_window":258400`, turn, h.now.Unix()),
				put("turn_context", `"turn_id":%q,"cwd":%q,"approval_policy":"never","model":"gpt-5.5","summary":"none","sandbox_policy":{"type":"danger-full-access"}`, turn, cwd),
				put("response_item", `"type":"message","id":"msg_%s","role":"user","content":[{"type":"input_text","text":"%s"}]`, h.hex(16), prompt),
				put("event_msg", `"type":"user_message","message":"%s"`, prompt),
			)
			for k := range steps {
				h.later(500*time.Millisecond, 20*time.Second)
				err = errors.Join(err, put("response_item", `"type":"reasoning","id":"rs_%s","summary":[{"type":"summary_text","text":"%s"}],"encrypted_content":"%s"`, h.hex(16), h.text(80), strings.Repeat(h.hex(16), 25)))
				if k == steps-1 || h.chance(0.3) {
					text := h.text(250)
					err = errors.Join(err,
						put("event_msg", `"type":"agent_message","message":"%s"`, text),
						put("response_item", `"type":"message","id":"msg_%s","role":"assistant","content":[{"type":"output_text","text":"%s"}]`, h.hex(16), text))
				}
				if k < steps-1 {
					call := "call_" + h.hex(16)
					arguments, _ := json.Marshal(fmt.Sprintf(`{"command":["bash","-lc","go test ./... %s"],"workdir":%q}`, h.text(40), cwd))
					output, _ := json.Marshal(fmt.Sprintf(`{"output":"%s","metadata":{"exit_code":%d,"duration_seconds":0.2}}`, h.text(700), h.r.IntN(16)/15))
					err = errors.Join(err,
						put("response_item", `"type":"function_call","id":"fc_%s","name":"shell","arguments":%s,"call_id":%q`, h.hex(16), arguments, call),
						put("response_item", `"type":"function_call_output","call_id":%q,"output":%s`, call, output))
				}
				of := [4]int{8000 + h.r.IntN(112000), 0, 20 + h.r.IntN(2500), 0}
				of[1], of[3] = h.r.IntN(of[0]), h.r.IntN(of[2])
				for n := range all {
					all[n] += of[n]
				}
				counted := func(n [4]int) string {
					return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":%d,"total_tokens":%d}`, n[0], n[1], n[2], n[3], n[0]+n[2])
				}
				err = errors.Join(err, put("event_msg", `"type":"token_count","info":{"total_token_usage":%s,"last_token_usage":%s,"model_context_window":258400},"rate_limits":{"limit_id":"codex","primary":null,"secondary":null}`, counted(all), counted(of)))
			}
			return errors.Join(err, put("event_msg", `"type":"task_complete","turn_id":%q,"last_agent_message":"done","completed_at":%d`, turn, h.now.Unix()))
		})
	})
}
