package jqmap_test

import (
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// The working directory of a session is what the agent's own files say, as a name or as its hash; else it is not known, and its
// hash says whether a directory is it.
func TestDirectory(t *testing.T) {
	t.Parallel()
	const ( // as md5sum and sha256sum have the hashes
		dir    = "/w/a project"
		kimi   = "md5:ea385ee473a2e55e9bb48aa12117a884"
		gemini = "sha256:553747798c02a07fcba10fe7539bc26c094c38cd284ec58bf63faf2d2c343261"
	)
	if h := formats.Hash("sha1", dir); h != "" {
		t.Errorf("an unknown function: %s", h)
	}
	session := map[string]string{
		"kimicli": `{"role":"_checkpoint","id":0}` + "\n" + `{"role":"user","content":"hi"}` + "\n",
		"gemini":  `{"sessionId":"s1","projectHash":"` + gemini[len("sha256:"):] + `","startTime":"2026-03-04T05:06:07.000Z"}` + "\n" + said("user", "u1", `"hi"`) + "\n",
		"grok":    `{"type":"user","content":"hi","prompt_index":0}` + "\n",
	}
	for name, tt := range map[string]struct {
		agent, file string
		beside      map[string]string
		cwd, hash   string
	}{
		"a hash alone":     {"kimicli", "sessions/" + kimi[len("md5:"):] + "/s1/context.jsonl", nil, "", kimi},
		"a list":           {"kimicli", "sessions/" + kimi[len("md5:"):] + "/s1/context.jsonl", map[string]string{"kimi.json": `{"work_dirs":[{"path":"/w"},{"path":"` + dir + `","last_session_id":null}]}`}, dir, kimi},
		"a list of others": {"kimicli", "sessions/" + kimi[len("md5:"):] + "/s1/context.jsonl", map[string]string{"kimi.json": `{"work_dirs":[{"path":"/w"},7,{"path":7}]}`}, "", kimi},
		"no list":          {"kimicli", "sessions/" + kimi[len("md5:"):] + "/s1/context.jsonl", map[string]string{"kimi.json": `[`}, "", kimi},
		"a name":           {"gemini", "tmp/p/chats/session-1.jsonl", map[string]string{"tmp/p/.project_root": dir + "\n", "projects.json": `{"projects":{"/w":"w"}}`}, dir, gemini},
		"gemini's list":    {"gemini", "tmp/p/chats/session-1.jsonl", map[string]string{"projects.json": `{"projects":{"/w":"w","` + dir + `":"p"}}`}, dir, gemini},
		"no name":          {"gemini", "tmp/p/chats/session-1.jsonl", map[string]string{"projects.json": `{"projects":{"/w":"w"}}`}, "", gemini},
		"an escaped name":  {"grok", "sessions/%2Fw%2Fa%20project/s1/chat_history.jsonl", nil, dir, ""},
		"not escaped":      {"grok", "sessions/w/s1/chat_history.jsonl", nil, "", ""},
	} {
		home := t.TempDir()
		path := filepath.Join(home, filepath.FromSlash(tt.file))
		formatstest.Put(t, path, session[tt.agent])
		for file, text := range tt.beside {
			formatstest.Put(t, filepath.Join(home, filepath.FromSlash(file)), text)
		}
		info := formatstest.One(t, format(t, tt.agent), source(path)).Info
		if info.CWD != tt.cwd || info.CWDHash != tt.hash {
			t.Errorf("%s: %q, hash %q; want %q, %q", name, info.CWD, info.CWDHash, tt.cwd, tt.hash)
		}
		if is := formats.Hashed(dir)(info.CWDHash); is != (tt.hash != "") || formats.Hashed("/w")(info.CWDHash) {
			t.Errorf("%s: the hash %q is that of %s: %v", name, info.CWDHash, dir, is)
		}
	}
}
