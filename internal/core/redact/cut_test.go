package redact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/planted"
)

// says makes an entry of a message with one text.
func says(n int, role, kind, s string) string {
	return encoded(map[string]any{"type": "message", "id": fmt.Sprintf("a%07d", n), "message": map[string]any{"role": role, "content": []any{map[string]any{"type": kind, kind: s}}}}) + "\n"
}

// delta makes the entry of an event of a stream that was kept.
func delta(n int, agent, kind, s string) string {
	return encoded(map[string]any{"type": "custom", "id": fmt.Sprintf("a%07d", n), "customType": "claude:event", "data": map[string]any{
		"type": "stream_event", "parent_tool_use_id": agent, "event": map[string]any{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": kind + "_delta", kind: s}},
	}}) + "\n"
}

// parts cuts a text into so many parts.
func parts(s string, n int) (list []string) {
	for i := range n {
		list = append(list, s[len(s)*i/n:len(s)*(i+1)/n])
	}
	return list
}

// cuts are the ways in which one speaker's words are cut.
func cuts() map[string]func(s string) string {
	blocks := func(n int, kind string) func(s string) string {
		return func(s string) string {
			var list []any
			for _, part := range parts(s, n) {
				list = append(list, map[string]any{"type": kind, kind: part})
			}
			return message(list...)
		}
	}
	entries := func(n int, role, kind string) func(s string) string {
		return func(s string) (out string) {
			for i, part := range parts(s, n) {
				out += says(i, role, kind, part)
			}
			return out
		}
	}
	deltas := func(size int, kind string, between string) func(s string) string {
		return func(s string) (out string) {
			for i, part := range parts(s, len(s)/size) {
				out += delta(2*i, "toolu_1", kind, part)
				if between != "" {
					out += delta(2*i+1, "toolu_2", kind, between)
				}
			}
			return out
		}
	}
	return map[string]func(s string) string{
		"one block":                 blocks(1, "text"),
		"two blocks":                blocks(2, "text"),
		"three blocks":              blocks(3, "text"),
		"ten blocks":                blocks(10, "text"),
		"two blocks of thinking":    blocks(2, "thinking"),
		"two entries":               entries(2, "user", "text"),
		"two results":               entries(2, "toolResult", "text"),
		"three entries":             entries(3, "assistant", "text"),
		"six entries":               entries(6, "assistant", "text"),
		"three entries of thinking": entries(3, "assistant", "thinking"),
		"deltas":                    deltas(5, "text", ""),
		"deltas of thinking":        deltas(5, "thinking", ""),
		"deltas of arguments":       deltas(5, "partial_json", ""),
		"deltas of two agents":      deltas(5, "text", "other words "),
		"two long blocks, cut there": func(s string) string {
			return message(text1(strings.Repeat("a word ", 3000)+s[:len(s)/2]), text1(s[len(s)/2:]+strings.Repeat(" a word", 3000)))
		},
		"the words of a list": func(s string) string { return message(map[string]any{"lines": parts(s, 2)}) },
		"lines": func(s string) string {
			return message(map[string]any{"lines": append(append([]string{"x"}, strings.Split(s, "\n")...), "y")})
		},
		"many lines": func(s string) string {
			return message(map[string]any{"lines": append(strings.Split(strings.Repeat("a line of a file\n", 1500), "\n"), strings.Split(s, "\n")...)})
		},
	}
}

// A secret of any kind, cut anywhere in what one speaker says, is taken out whole.
func TestCuts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("every secret, cut at many places: not with -short")
	}
	kinds := drawn.Third(t, planted.New(20).Kinds())
	for name, cut := range cuts() {
		missed := map[string]int{}
		for _, k := range kinds {
			if strings.Contains(name, "thinking") && !k.Bare {
				continue // the words around it are of no use to the test
			}
			out, found := redacted(t, Options{}, cut(k.Text))
			if len(found) == 0 || !gone(out, cut(k.Text), k.Secret) {
				missed[k.Name]++
			}
		}
		if len(missed) > 0 {
			t.Errorf("%s: %d kinds are missed: %v", name, len(missed), missed)
		}
	}
}

// gone reports whether about as many bytes are gone as the secret has.
func gone(out, in, secret string) bool {
	return !strings.Contains(out, secret) && strings.Count(in, "")-len(strings.ReplaceAll(out, "[redacted:", "")) >= len(secret)*2/3-40
}

// A private key is taken out whole wherever it is cut, and nothing else with it.
func TestCutKeys(t *testing.T) {
	t.Parallel()
	pem := planted.New(21).PEM()
	body := strings.Split(pem, "\n")
	for name, cut := range cuts() {
		out, found := redacted(t, Options{}, cut("this is it\n"+pem+"\nand so on"))
		left := 0
		for _, line := range body[1 : len(body)-1] {
			for at := 0; at+4 <= len(line); at += 4 {
				if strings.Contains(out, `"`+line[at:at+4]) || strings.Contains(out, line[at:at+4]+`"`) || strings.Contains(out, line[at:min(at+12, len(line))]) && at+12 <= len(line) {
					left++
				}
			}
		}
		if len(found) == 0 || left > 0 {
			t.Errorf("%s: %d pieces of the key are left: %v", name, left, kinds(found))
		}
		if name != "deltas of two agents" && strings.Contains(name, "delta") {
			continue // words are cut as well
		}
		if name == "one block" && (!strings.Contains(out, "this is it") || !strings.Contains(out, "and so on")) {
			t.Errorf("%s: %s", name, out)
		}
	}
	for name, in := range map[string]string{ // as head and tail print it, with a call between
		"the first half": says(1, "toolResult", "text", strings.Join(body[:7], "\n")) + says(2, "assistant", "text", "and the rest"),
		"the last half":  says(1, "assistant", "text", "and the rest") + says(2, "toolResult", "text", strings.Join(body[7:], "\n")),
	} {
		out, found := redacted(t, Options{}, in)
		if len(found) != 1 || strings.Contains(out, body[3][:20]) || strings.Contains(out, body[9][:20]) || !strings.Contains(out, "and the rest") {
			t.Errorf("%s: %v %s", name, kinds(found), out)
		}
	}
}

// What two speakers say is not joined: docs/security.md says so.
func TestOtherSpeakers(t *testing.T) {
	t.Parallel()
	ghp := planted.New(22).GitHub()
	in := says(1, "user", "text", ghp[:20]) + says(2, "assistant", "text", ghp[20:])
	if out, found := redacted(t, Options{}, in); len(found) > 0 || out != in {
		t.Errorf("%v", kinds(found))
	}
}

// A name in front of a value is seen in a member beside it and in a list of words.
func TestNamed(t *testing.T) {
	t.Parallel()
	m := planted.New(23)
	pw, an := m.Password(), m.Random(32, alphanumeric)
	for name, in := range map[string]any{
		"name and value":         map[string]any{"name": "DB_PASSWORD", "value": pw},
		"value and name":         map[string]any{"value": an, "name": "API_KEY"},
		"key and value":          map[string]any{"key": "client_secret", "x": 1, "value": an},
		"a header":               map[string]any{"name": "X-Api-Key", "value": an},
		"Authorization":          map[string]any{"name": "Authorization", "value": "Bearer " + an},
		"words: a flag":          map[string]any{"args": []string{"x", "--password", pw, "y"}},
		"words: sshpass":         map[string]any{"args": []string{"sshpass", "-p", pw, "ssh", "h"}},
		"words: docker":          map[string]any{"args": []string{"docker", "login", "-u", "me", "-p", pw}},
		"words: an assignment":   map[string]any{"env": []string{"A=1", "DEPLOY_TOKEN=" + an}},
		"words: of ssh-keygen":   map[string]any{"args": []string{"ssh-keygen", "-N", pw, "-f", "k"}},
		"words: a curl's header": map[string]any{"args": []string{"curl", "-H", "X-Api-Key: " + an, "http://h"}},
	} {
		out, found := redacted(t, Options{}, message(map[string]any{"type": "toolCall", "arguments": in}))
		if len(found) != 1 || strings.Contains(out, pw) || strings.Contains(out, an) {
			t.Errorf("%s: %v %s", name, kinds(found), out)
		}
	}
	for name, in := range map[string]any{
		"another name": map[string]any{"name": "PATH_TO_IT", "value": an},
		"no name":      map[string]any{"value": an},
		"words":        map[string]any{"args": []string{"ls", "--color", an}},
	} {
		if _, found := redacted(t, Options{}, message(map[string]any{"type": "toolCall", "arguments": in})); len(found) > 0 {
			t.Errorf("%s: %v", name, kinds(found))
		}
	}
}

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// A token that ends what a call printed, a reply or a block leaves the next one as it is, and one that a stream cuts goes whole
// with all that is appended to it.
func TestEndOfSpeaker(t *testing.T) {
	t.Parallel()
	m := planted.New(24)
	ghp := m.GitHub()
	anthropic := "sk-ant-api03-" + m.Random(86, alphanumeric) + "-AA"
	result := func(n int, call, s string) string {
		return strings.Replace(says(n, "toolResult", "text", s), `"role"`, fmt.Sprintf(`"toolCallId":%q,"role"`, call), 1)
	}
	reply := func(n int, s string) string {
		return strings.Replace(says(n, "assistant", "text", s), `"role"`, `"stopReason":"stop","role"`, 1)
	}
	used := func(call, s string) any {
		return map[string]any{"type": "tool_result", "tool_use_id": call, "content": s}
	}
	for _, secret := range []string{ghp, anthropic, "DEPLOY_TOKEN=" + m.Random(32, alphanumeric)} {
		for name, in := range map[string]string{
			"results of two calls": result(1, "c1", secret) + result(2, "c2", "FAIL\tx"),
			"with a call between":  result(1, "c1", secret) + says(2, "assistant", "text", "") + result(3, "c2", "FAIL\tx"),
			"two replies":          reply(1, secret) + reply(2, "FAIL\tx"),
			"results in one line":  message(used("c1", secret), used("c2", "FAIL\tx")),
		} {
			out, found := redacted(t, Options{}, in)
			value := secret[strings.IndexByte(secret, '=')+1:]
			if len(found) != 1 || !strings.Contains(out, `FAIL\tx`) || strings.Contains(out, value[len(value)-8:]) {
				t.Errorf("%s of %.6s: %v %s", name, secret, kinds(found), out)
			}
		}
	}
	if out, found := redacted(t, Options{}, message(text1(ghp), text1("FAIL x"))); len(found) != 1 || !strings.Contains(out, "FAIL x") {
		t.Errorf("two blocks: %v %s", kinds(found), out)
	}
	more := m.Random(30, alphanumeric)
	out, _ := redacted(t, Options{}, delta(1, "toolu_1", "text", ghp)+delta(2, "toolu_1", "text", more+" and more"))
	if strings.Contains(out, more[:8]) || strings.Contains(out, more[22:]) || !strings.Contains(out, " and more") {
		t.Errorf("a stream: %s", out)
	}
	half := result(1, "c1", ghp[:20]) + result(2, "c1", ghp[20:])
	if out, found := redacted(t, Options{}, half); len(found) != 1 || strings.Contains(out, ghp[20:]) {
		t.Errorf("two parts of one result: %v %s", kinds(found), out)
	}
}
