package all_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// harnessed are sessions with the user's words (OWN) and an agent's in the user's name (HARNESS).
var harnessed = map[string]string{
	"claude": `
{"type":"user","uuid":"10000000-0000-4000-8000-000000000001","parentUuid":null,"isSidechain":false,"timestamp":"2026-01-02T03:04:05.000Z","sessionId":"20000000-0000-4000-8000-000000000000","cwd":"/w","version":"2.1.330","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>HARNESS 1</system-reminder>"},{"type":"text","text":"OWN 1"}]}}
{"type":"attachment","uuid":"10000000-0000-4000-8000-000000000002","parentUuid":"10000000-0000-4000-8000-000000000001","isSidechain":false,"timestamp":"2026-01-02T03:04:06.000Z","sessionId":"20000000-0000-4000-8000-000000000000","attachment":{"type":"skills"},"rendered":[{"content":"<system-reminder>HARNESS 2</system-reminder>"}]}
{"type":"user","uuid":"10000000-0000-4000-8000-000000000003","parentUuid":"10000000-0000-4000-8000-000000000002","isSidechain":false,"isMeta":true,"timestamp":"2026-01-02T03:04:07.000Z","sessionId":"20000000-0000-4000-8000-000000000000","message":{"role":"user","content":"HARNESS 3"}}
{"type":"assistant","uuid":"10000000-0000-4000-8000-000000000004","parentUuid":"10000000-0000-4000-8000-000000000003","isSidechain":false,"timestamp":"2026-01-02T03:04:08.000Z","sessionId":"20000000-0000-4000-8000-000000000000","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"OWN 2"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}}
{"type":"attachment","uuid":"10000000-0000-4000-8000-000000000005","parentUuid":"10000000-0000-4000-8000-000000000004","isSidechain":false,"timestamp":"2026-01-02T03:04:09.000Z","sessionId":"20000000-0000-4000-8000-000000000000","attachment":{"type":"queued_command","prompt":"OWN 3","commandMode":"prompt"}}
{"type":"user","uuid":"10000000-0000-4000-8000-000000000007","parentUuid":"10000000-0000-4000-8000-000000000005","isSidechain":false,"timestamp":"2026-01-02T03:04:09.000Z","sessionId":"20000000-0000-4000-8000-000000000000","message":{"role":"user","content":"<command-name>/clear</command-name> <command-message>HARNESS 5</command-message> <command-args></command-args>"}}
{"type":"user","uuid":"10000000-0000-4000-8000-000000000008","parentUuid":"10000000-0000-4000-8000-000000000007","isSidechain":false,"timestamp":"2026-01-02T03:04:09.000Z","sessionId":"20000000-0000-4000-8000-000000000000","message":{"role":"user","content":"<command-message>HARNESS 6</command-message>\n<command-name>/review</command-name>\n<command-args>OWN 4</command-args>"}}
{"type":"attachment","uuid":"10000000-0000-4000-8000-000000000006","parentUuid":"10000000-0000-4000-8000-000000000008","isSidechain":false,"timestamp":"2026-01-02T03:04:10.000Z","sessionId":"20000000-0000-4000-8000-000000000000","attachment":{"type":"queued_command","prompt":"HARNESS 4","commandMode":"task-notification"}}
`,
	"codex": `
{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"session_id":"019b7ca9-8f2e-7063-834b-74487a82aa03","id":"019b7ca9-8f2e-7063-834b-74487a82aa03","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","originator":"codex","cli_version":"0.169.0","source":"cli"}}
{"timestamp":"2026-01-02T03:04:05.000Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"<skills_instructions>HARNESS 1</skills_instructions>"}]}}
{"timestamp":"2026-01-02T03:04:05.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>HARNESS 2</environment_context>"}]}}
{"timestamp":"2026-01-02T03:04:05.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<user_instructions>HARNESS 3</user_instructions>"}]}}
{"timestamp":"2026-01-02T03:04:06.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"OWN 1"}]}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"OWN 2"}]}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"OWN 3"}]}}
`,
	"opencode": `{"info":{"id":"ses_1","projectID":"p","directory":"/w","title":"t","version":"1.18.33","time":{"created":1767323045000,"updated":1767323045000}},"messages":[
{"info":{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":1767323045000},"agent":"build","model":{"providerID":"p","modelID":"m"}},"parts":[{"id":"prt_1","sessionID":"ses_1","messageID":"msg_1","type":"text","text":"OWN 1"},{"id":"prt_2","sessionID":"ses_1","messageID":"msg_1","type":"text","text":"HARNESS 1","synthetic":true}]},
{"info":{"id":"msg_2","sessionID":"ses_1","role":"assistant","time":{"created":1767323046000,"completed":1767323047000},"parentID":"msg_1","modelID":"m","providerID":"p","mode":"build","agent":"build","path":{"cwd":"/w","root":"/"},"cost":0,"tokens":{"input":1,"output":1,"reasoning":0,"cache":{"read":0,"write":0}},"finish":"stop"},"parts":[{"id":"prt_3","sessionID":"ses_1","messageID":"msg_2","type":"text","text":"OWN 2"}]},
{"info":{"id":"msg_3","sessionID":"ses_1","role":"user","time":{"created":1767323048000},"agent":"build","model":{"providerID":"p","modelID":"m"}},"parts":[{"id":"prt_4","sessionID":"ses_1","messageID":"msg_3","type":"text","text":"HARNESS 2","synthetic":true}]},
{"info":{"id":"msg_4","sessionID":"ses_1","role":"user","time":{"created":1767323049000},"agent":"build","model":{"providerID":"p","modelID":"m"}},"parts":[{"id":"prt_5","sessionID":"ses_1","messageID":"msg_4","type":"text","text":"OWN 3"}]}
]}`,
}

// imported returns the session that a source is.
func imported(t *testing.T, agent, text string) *session.Session {
	t.Helper()
	f, _ := formats.Lookup(all.Formats(), agent)
	return formatstest.One(t, f, &formats.Source{Path: formatstest.File(t, "source.json", strings.TrimPrefix(text, "\n"))}).Session(t)
}

// What an agent says in the user's name reaches no other agent, and all of it the same one.
func TestHarnessStaysBehind(t *testing.T) {
	t.Parallel()
	for agent, text := range harnessed {
		for _, to := range all.Formats() {
			about := to.About()
			if about.ReadOnly {
				continue
			}
			t.Run(agent+" to "+about.Name, func(t *testing.T) {
				t.Parallel()
				s := imported(t, agent, text)
				target := formats.NewTarget(func(formats.Loss) {})
				target.LeaveHarness(s, about.Name)
				version := ""
				if len(about.Versions) > 0 {
					version = about.Versions[0]
				}
				got, losses := formatstest.Export(t, to, s, version)
				same := about.Name == agent
				if about.Name == "pi" || about.Name == "omp" { // they carry along what no model sees
					got = withoutAsides(t, got)
				}
				if strings.Contains(got, "HARNESS") != same {
					t.Errorf("the agent's words are there: %v\n%s", !same, got)
				}
				for _, own := range []string{"OWN 1", "OWN 2", "OWN 3"} {
					if !strings.Contains(got, own) {
						t.Errorf("%s is not there\n%s", own, got)
					}
				}
				if target.Losses > 0 {
					t.Errorf("a strict export would end for %d notes", target.Losses)
				}
				for _, l := range losses {
					if l.Kind == formats.KindRole || l.Kind == formats.KindEntry {
						t.Errorf("a loss: %s", l)
					}
				}
			})
		}
	}
}

// withoutAsides returns a session without what importers keep in it.
func withoutAsides(t *testing.T, text string) string {
	t.Helper()
	s := formatstest.Parse(t, text)
	var out strings.Builder
	for _, e := range s.Entries {
		if !e.IsAside() {
			out.WriteString(string(js.Value(e.Raw()).Without(session.MemberKept)) + "\n")
		}
	}
	return out.String()
}

// What is left out is told once, with its size.
func TestHarnessIsTold(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"claude":   "5 notes of Claude Code, ",
		"codex":    "3 notes of Codex, ",
		"opencode": "2 notes of opencode, 18 B, ",
	} {
		var told []formats.Loss
		target := formats.NewTarget(func(l formats.Loss) { told = append(told, l) })
		target.LeaveHarness(imported(t, agent, harnessed[agent]), "pi")
		if len(told) != 1 || told[0].Kind != formats.KindContext || !strings.HasPrefix(told[0].What, want) {
			t.Errorf("%s: %v, want %s", agent, told, want)
		}
	}
}

// The views for other models and for people have no word of it.
func TestHarnessInViews(t *testing.T) {
	t.Parallel()
	for agent, text := range harnessed {
		s := imported(t, agent, text)
		path := formatstest.Path(s)
		whole := convo.Project(path)
		spoken, notes := convo.WithoutHarness(whole)
		var kept, dropped strings.Builder
		if err := render.Text(&kept, convo.MessagesOf(whole)); err != nil {
			t.Fatal(err)
		}
		if err := render.Text(&dropped, convo.MessagesOf(spoken)); err != nil {
			t.Fatal(err)
		}
		if notes.Count == 0 || strings.Contains(dropped.String(), "HARNESS") {
			t.Errorf("%s: %s\n%s", agent, notes, dropped.String())
		}
		want := "user: OWN 1\n\nassistant: OWN 2\n\nuser: OWN 3\n"
		if agent == "claude" {
			want += "\nuser: /review OWN 4\n"
		}
		if dropped.String() != want {
			t.Errorf("%s: %q, want %q", agent, dropped.String(), want)
		}
		for line := range strings.Lines(kept.String()) {
			if strings.Contains(line, "HARNESS") && !strings.HasPrefix(line, "context: ") {
				t.Errorf("%s: whose words are these: %s", agent, line)
			}
		}
	}
}

// An image of an agent's beside the user's words is the agent's, though it has no text.
func TestHarnessWithoutText(t *testing.T) {
	t.Parallel()
	const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	image := session.HarnessBlock(`{"type":"image","data":"AA==","mimeType":"image/png"}`, "claude")
	s, err := session.Read(strings.NewReader(head + `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":[` +
		image + `,{"type":"text","text":"OWN"}]}}` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	var kept, dropped strings.Builder
	whole := convo.Project(s.Entries)
	if err := render.Text(&kept, convo.MessagesOf(whole)); err != nil {
		t.Fatal(err)
	}
	if want := "context:\nimage: image/png, 1 bytes\n\nuser: OWN\n"; kept.String() != want {
		t.Errorf("kept: %q, want %q", kept.String(), want)
	}
	spoken, notes := convo.WithoutHarness(whole)
	if err := render.Text(&dropped, convo.MessagesOf(spoken)); err != nil {
		t.Fatal(err)
	}
	if dropped.String() != "user: OWN\n" || notes.String() != "1 note of Claude Code, 0 B" {
		t.Errorf("%q without %s", dropped.String(), notes)
	}
	var told []formats.Loss
	target := formats.NewTarget(func(l formats.Loss) { told = append(told, l) })
	target.LeaveHarness(s, "pi")
	if len(told) != 1 || strings.Contains(s.Entries[0].Raw(), "image") || !strings.Contains(s.Entries[0].Raw(), "OWN") {
		t.Errorf("told %v, handed on %s", told, s.Entries[0].Raw())
	}
}
