package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// fenced returns the blocks of a page in a language.
func fenced(page, language string) (out []string) {
	for {
		_, rest, found := strings.Cut(page, "\n```"+language+"\n")
		if !found {
			return out
		}
		block, rest, _ := strings.Cut(rest, "\n```")
		out, page = append(out, block), rest
	}
}

// shellOfYAML returns the scripts in a YAML text, by the key that they stand under: a block
// behind "KEY: |", or the items of a list behind "KEY:".
func shellOfYAML(text, key string) (out []string) {
	lines := strings.Split(text, "\n")
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	for i, line := range lines {
		name := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "- "))
		if name != key+": |" && name != key+":" {
			continue
		}
		var script []string
		for _, l := range lines[i+1:] {
			if strings.TrimSpace(l) != "" && indent(l) <= indent(line) {
				break
			}
			l = strings.TrimSpace(l)
			if name == key+":" {
				l = strings.TrimPrefix(l, "- ")
			}
			script = append(script, l)
		}
		out = append(out, strings.Join(script, "\n"))
	}
	return out
}

// ciDir is a directory for a job: with a prompt, a repository of the tools whose installation
// is that of the ones under test, and the files that a runner names.
func ciDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "prompt.md", "fix the build\n")
	script := `mkdir -p remote/scripts temp
printf '#!/bin/sh\nmkdir -p "$PREFIX/bin"\nln -s %s/* "$PREFIX/bin/"\n' "` + bin + `" > remote/scripts/install
chmod +x remote/scripts/install
cd remote && git init -q && git add . && git -c user.name=a -c user.email=a@example.com commit -qm first
`
	if _, stderr, err := shell(t, dir, script); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	return dir
}

// environment is what a runner sets.
const environment = `
export GITHUB_STEP_SUMMARY="$PWD/summary" GITHUB_RUN_ID=7 GITHUB_PATH="$PWD/path" RUNNER_TEMP="$PWD/temp"
export CI_JOB_ID=7 SESS_REPOSITORY="$PWD/remote" ACTION_PATH="$PWD/remote"
`

// TestCIRecipes runs the shell of docs/ci.md: with an agent that ends well, and with one that
// fails, whose session is recorded all the same.
func TestCIRecipes(t *testing.T) {
	t.Parallel()
	page := read(t, "ci.md")
	blocks := fenced(page, "yaml")
	github, gitlab := shellOfYAML(blocks[0], "run"), shellOfYAML(blocks[2], "script")
	after := shellOfYAML(blocks[2], "after_script")
	if len(github) != 2 || len(gitlab) != 1 || len(after) != 1 {
		t.Fatalf("found %d, %d and %d scripts", len(github), len(gitlab), len(after))
	}
	for name, scripts := range map[string][]string{"github": github, "gitlab": {gitlab[0], after[0]}} {
		for _, failing := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", failing"}[failing], func(t *testing.T) {
				t.Parallel()
				dir := ciDir(t)
				agent := ""
				if failing { // one that prints the same and ends with 7
					agent = `mkdir fail; printf '#!/bin/sh\n` + bin + `/claude "$@"; exit 7\n' > fail/claude; chmod +x fail/claude
claude() { "$PWD/fail/claude" "$@"; }
PATH="$PWD/fail:$PATH"
`
				}
				_, stderr, err := shell(t, dir, environment+agent+keepFirst(scripts[0], failing))
				if want := map[bool]int{true: 7}[failing]; status(err) != want {
					t.Fatalf("status %d, want %d: %s", status(err), want, stderr)
				}
				if _, stderr, err := shell(t, dir, environment+scripts[1]); err != nil {
					t.Fatalf("%v: %s", err, stderr)
				}
				wantSession(t, dir, "session.jsonl")
			})
		}
	}
}

// keepFirst has the failing agent stay in front of what a script puts into PATH.
func keepFirst(script string, failing bool) string {
	if !failing {
		return script
	}
	return strings.ReplaceAll(script, `export PATH="$PWD/tools/bin:$PATH"`, `export PATH="$PWD/fail:$PWD/tools/bin:$PATH"`)
}

// wantSession wants the session of the stub agent.
func wantSession(t *testing.T, dir, file string) {
	t.Helper()
	stdout, stderr, err := shell(t, dir, "sess-path --as text "+file)
	if err != nil || !strings.Contains(stdout, "user: fix the build") || !strings.Contains(stdout, "assistant: The build passes.") {
		t.Errorf("%v: %s%s", err, stderr, stdout)
	}
}

// TestCIMakefile runs the Makefile with make.
func TestCIMakefile(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("make"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no make to run the recipe with")
		}
		t.Skip("there is no make to run the recipe with")
	}
	dir := ciDir(t)
	write(t, dir, "Makefile", fenced(read(t, "ci.md"), "make")[0]+"\n")
	if _, stderr, err := shell(t, dir, "git init -q && git -c user.name=a -c user.email=a@example.com commit -qm first --allow-empty && make agent"); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	wantSession(t, filepath.Join(dir, "artifacts"), "session.jsonl")
}

// TestAction runs the shell of action.yml: the build, and a step that is recorded.
func TestAction(t *testing.T) {
	t.Parallel()
	scripts := shellOfYAML(read(t, "../action.yml"), "run")
	if len(scripts) != 4 { // the first is the input of that name
		t.Fatalf("found %d scripts", len(scripts))
	}
	for want, command := range []string{"claude -p --output-format stream-json --verbose x", "claude --output-format stream-json --verbose x; exit 1"} {
		dir := ciDir(t)
		script := environment + scripts[2] + `
export PATH="$(cat path):$PATH" SESSION=s.jsonl PROMPT='fix the build' PROMPT_FILE='' LIMIT=1m RUN='` + command + `'
` + scripts[3]
		if _, stderr, err := shell(t, dir, script); status(err) != want {
			t.Errorf("status %d, want %d: %s", status(err), want, stderr)
		}
		wantSession(t, dir, "s.jsonl")
	}
}

// action.yml takes the archive of a release if there is one, and never one with another sum.
func TestActionTakesTheArchive(t *testing.T) {
	t.Parallel()
	script := environment + `export GITHUB_OUTPUT="$PWD/output" RUNNER_OS=Linux RUNNER_ARCH=X64 REF=v1.2.3 VERSION= SHA256=
mkdir -p made/sess_1.2.3_linux_amd64/bin server stubs
printf '#!/bin/sh\necho installed\n' > made/sess_1.2.3_linux_amd64/bin/sess-path
chmod +x made/sess_1.2.3_linux_amd64/bin/sess-path
tar -czf server/sess_1.2.3_linux_amd64.tar.gz -C made sess_1.2.3_linux_amd64
(cd server && sha256sum *.tar.gz > SHA256SUMS)
printf '#!/bin/sh\ncase $4 in https://github.com/sess-tools/sess/releases/download/v1.2.3/*) cp "$SERVER/${4##*/}" "$3" ;; *) exit 22 ;; esac\n' > stubs/curl
chmod +x stubs/curl
: > output
export SERVER="$PWD/server" PATH="$PWD/stubs:$PATH"
`
	install := shellOfYAML(read(t, "../action.yml"), "run")[1]
	for name, tt := range map[string]struct {
		before string
		status int
		found  bool
	}{
		"a tag":            {"", 0, true},
		"a version":        {"REF=main VERSION=1.2.3", 0, true},
		"a pinned sum":     {"SHA256=$(cut -d ' ' -f 1 server/SHA256SUMS)", 0, true},
		"a branch":         {"REF=main", 0, false},
		"no such version":  {"VERSION=1.2.4", 0, false},
		"another platform": {"RUNNER_OS=Windows", 0, false},
		"another sum":      {"echo x >> server/sess_1.2.3_linux_amd64.tar.gz", 1, false},
		"another pin":      {"SHA256=0", 1, false},
		"no sums":          {"rm server/SHA256SUMS", 1, false},
		"a pin of nothing": {"VERSION=1.2.4 SHA256=0", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			_, stderr, err := shell(t, dir, script+tt.before+"\n("+install+"\n)")
			if status(err) != tt.status {
				t.Fatalf("status %d: %s", status(err), stderr)
			}
			if found := strings.Contains(read(t, filepath.Join(dir, "output")), "found=true"); found != tt.found {
				t.Errorf("found: %t", found)
			}
			if _, err := os.Stat(filepath.Join(dir, "path")); (err == nil) != tt.found {
				t.Errorf("PATH: %v", err)
			}
			if tt.found {
				if out, stderr, err := shell(t, dir, `"$(cat path)/sess-path"`); err != nil || out != "installed\n" {
					t.Errorf("%v: %s%s", err, out, stderr)
				}
			}
		})
	}
}

// leaky is what the agent prints: a key that is none, in two pieces so that nobody who searches for keys finds this one.
const leaky = "ghp_" + "x7Kq2mW9vR4tB8nZ1cY6pL3sD5fG0hJ4aQwE"

// modelFails is how the agent says that the model failed, though it ends with 0.
const modelFails = `{"type":"result","subtype":"error_during_execution","is_error":true,"result":"overloaded","session_id":"s1","uuid":"u9"}`

// TestCIStory runs the whole job: with an agent that ends well and one that fails, with a limit that holds and one that
// does not. What leaves the machine is the same each time, without the secret that the agent printed,
// and another machine finds it.
func TestCIStory(t *testing.T) {
	t.Parallel()
	page := read(t, "ci.md")
	job, search := fenced(page, "sh job"), fenced(page, "sh search")
	if len(job) != 1 || len(search) != 1 {
		t.Fatalf("found %d jobs and %d searches", len(job), len(search))
	}
	for _, tt := range []struct {
		name, replace, by string
		agent, want       int
		model, again      bool // the model fails though the agent ends with 0; the job was run before
	}{
		{name: "well"},
		{name: "the agent fails", agent: 7, want: 7},
		{name: "the model fails", model: true, want: 5},
		{name: "it is run again", again: true},
		{name: "it costs too much", replace: "--max-cost 2", by: "--max-cost 0.001", want: 1},
		{name: "the turn fails", replace: "-- my-llm", by: "--retries 0 -- false", want: 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := ciDir(t)
			if tt.replace != "" && !strings.Contains(job[0], tt.replace) {
				t.Fatalf("the job has no %q", tt.replace)
			}
			ending := "exit " + strconv.Itoa(tt.agent)
			if tt.model {
				ending = "cat <<'RESULT'\n" + modelFails + "\nRESULT"
			}
			agent := "mkdir own; cat > own/claude <<'END'\n#!/bin/sh\n" + bin + "/claude \"$@\" | sed 's/passes[.]/passes. The key is " + leaky + "/'\n" + ending +
				"\nEND\nchmod +x own/claude; export PATH=\"$PWD/own:$PATH\" SESS_REMOTE=\"$PWD/shared\"; sess-sync init \"$SESS_REMOTE\"\n"
			run := strings.Replace(job[0], tt.replace, tt.by, 1)
			if tt.again {
				agent += "( " + run + "\n)\n"
			}
			_, stderr, err := shell(t, dir, environment+agent+run)
			if status(err) != tt.want {
				t.Fatalf("status %d, want %d: %s", status(err), tt.want, stderr)
			}
			wantStory(t, dir, search[0])
		})
	}
}

// wantStory wants what a job leaves: a session that has the secret, and what was shared without it.
func wantStory(t *testing.T, dir, search string) {
	t.Helper()
	if !strings.Contains(read(t, filepath.Join(dir, "session.jsonl")), leaky) {
		t.Error("the secret is not in the session: the test shows nothing")
	}
	for _, name := range []string{"clean.jsonl", "session.html"} {
		if text := read(t, filepath.Join(dir, name)); strings.Contains(text, leaky) || !strings.Contains(text, "The build passes.") {
			t.Errorf("%s has the secret, or not the session", name)
		}
	}
	stdout, stderr, err := shell(t, dir, `export SESS_DIR="$PWD/elsewhere" SESS_REMOTE="$PWD/shared"`+"\n"+search)
	if err != nil || !strings.Contains(stdout, ":assistant:The build passes.") || strings.Contains(stdout, leaky) {
		t.Errorf("elsewhere: %v: %s%s", err, stderr, stdout)
	}
}
