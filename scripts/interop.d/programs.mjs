// The agents that are run: a home in which each knows one model, that of agents.mjs, its command lines, its
// names for tools, and where it stores its sessions.
//
// home(DIR, URL) makes the home and returns the environment. argv(PROGRAM, PROMPT, {image, resume}) is
// the command that prints events; without PROMPT it reads it on standard input.
// pieces says that texts are printed as they come, polite that it exits with 0 though the model has failed, stubborn
// that it goes on trying, nameless that it does not print which model answers, mute that it prints no tokens, and attaches that
// it prints the prompt with the image that goes with it. own is what it says in the user's name itself.
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { homes, model } from "./real.mjs";

// found returns the files below a directory whose name matches.
export const found = (dir, name) => !existsSync(dir) ? [] : readdirSync(dir, { recursive: true, withFileTypes: true })
	.filter((e) => e.isFile() && name.test(e.name)).map((e) => join(e.parentPath ?? e.path, e.name)).filter((f) => !f.includes("subagents"));

const put = (file, value) => {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, JSON.stringify(value, null, 1));
};
const some = (prompt) => prompt === undefined ? [] : [prompt];

const pi = {
	home: (dir, url) => homes.pi(dir, `${url}/v1`),
	argv: (program, prompt, { image, resume } = {}) => [program, "--mode", "json", "--provider", "mock", "--model", model,
		...resume ? ["--session", resume] : [], ...image ? [`@${image}`] : [], ...some(prompt)],
	read: (path) => ({ name: "read", args: { path } }), bash: (command) => ({ name: "bash", args: { command } }),
	stored: (dir) => ["pi", ...found(join(dir, "agent/sessions"), /\.jsonl$/)],
	pieces: true, polite: true, attaches: true,
	piece: /text_delta/, // on a busy machine its message_start has the text already
};

// warned returns what is wrong with the warnings of sess-record about a program that has answered: there has to be one
// of what the program does not print, and no other.
export function warned(a, stderr) {
	const lacks = [...a.mute ? ["how many tokens were used"] : [], ...a.nameless ? ["which model answered"] : []];
	const said = stderr.split("\n").filter((l) => l.startsWith("sess-record:"));
	const right = lacks.length === 0 ? said.length === 0 : said.length === 1 && said[0].includes(`: the stream does not say ${lacks.join(" and ")}, so what it cost is not known`);
	return right ? "" : `it should have warned of ${JSON.stringify(lacks)}, and said ${JSON.stringify(said)}`;
}

export const programs = {
	"pi-0.73": pi, "pi-0.87": pi, "pi-1.5": pi,
	omp: {
		home(dir, url) {
			const env = homes.pi(dir, `${url}/v1`);
			put(join(dir, "agent/config.yml"), { retry: { enabled: false, maxRetries: 0 }, modelRoles: { default: `mock/${model}`, smol: `mock/${model}` } });
			return env;
		},
		argv: (program, prompt, { resume } = {}) => [program, "--mode", "json", "-p", "--model", `mock/${model}`, "--no-title", "--no-lsp",
			...resume ? ["--resume", resume] : [], ...some(prompt)],
		read: pi.read, bash: pi.bash, stored: pi.stored, pieces: true, piece: pi.piece, stubborn: true,
		own: /<system-reminder>\nToday: [^]*?<\/system-reminder>/g,
	},
	claude: {
		home: (dir, url) => ({ ...homes.pi(dir, ""), CLAUDE_CONFIG_DIR: join(dir, "config"), ANTHROPIC_API_KEY: "dummy", ANTHROPIC_BASE_URL: url, IS_SANDBOX: "1",
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1", DISABLE_TELEMETRY: "1", CLAUDE_CODE_MAX_RETRIES: "0" }),
		argv: (program, prompt, { resume } = {}) => [program, "-p", "--dangerously-skip-permissions", "--output-format", "stream-json", "--verbose", "--include-partial-messages",
			...resume ? ["--resume", resume] : [], ...some(prompt)],
		read: (file_path) => ({ name: "Read", args: { file_path } }), background: (command) => ({ name: "Bash", args: { command, description: "run", run_in_background: true } }), bash: (command) => ({ name: "Bash", args: { command, description: "run" } }),
		stored: (dir) => ["claude", ...found(join(dir, "config/projects"), /\.jsonl$/)],
		pieces: true,
	},
	codex: {
		home: (dir, url) => homes.codex(dir, `${url}/v1`),
		argv: (program, prompt = "-", { image, resume } = {}) => [program, "exec", ...resume ? ["resume", resume] : [], "--json", "--skip-git-repo-check",
			...resume ? [] : ["-s", "danger-full-access"], ...image ? [`--image=${image}`] : [], "--", prompt],
		read: (path) => ({ name: "exec_command", args: { cmd: `cat ${path}` } }), bash: (cmd) => ({ name: "exec_command", args: { cmd } }),
		stored: (dir) => ["codex", ...found(join(dir, ".codex/sessions"), /\.jsonl$/)], log: true, nameless: true,
		words: /high demand/, // of a model that fails with 500
	},
	opencode: {
		home: (dir, url) => ({ ...homes.opencode(dir, `${url}/v1`), OPENCODE_PERMISSION: '{"edit":"allow","bash":"allow","external_directory":"allow"}' }),
		argv: (program, prompt, { image, resume } = {}) => [program, "run", "--format", "json", "--thinking", ...resume ? ["-s", resume] : [], ...some(prompt), ...image ? ["-f", image] : []],
		read: (filePath) => ({ name: "read", args: { filePath } }), bash: (command) => ({ name: "bash", args: { command, description: "run" } }),
		stored: (dir) => ["opencode", ...found(join(dir, "data"), /^opencode.*\.db$/)],
		nameless: true, stubborn: true,
	},
	gemini: {
		home(dir, url) {
			const env = homes.pi(dir, "");
			put(join(dir, ".gemini/settings.json"), { security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
				general: { disableAutoUpdate: true, enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 1 },
				privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false }, tools: { useRipgrep: false, shell: { enableInteractiveShell: false } } });
			return { ...env, GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_NO_RELAUNCH: "1", GEMINI_CLI_TRUST_WORKSPACE: "true" };
		},
		argv: (program, prompt) => [program, "-m", "gemini-2.5-pro", "--yolo", "-o", "stream-json", ...prompt === undefined ? [] : ["-p", prompt]],
		read: (file_path) => ({ name: "read_file", args: { file_path } }), bash: (command) => ({ name: "run_shell_command", args: { command, description: "run" } }),
		pieces: true,
	},
	qwen: {
		home(dir, url) {
			const { HOME, TMPDIR, LANG } = homes.pi(dir, ""); // it takes no notice of NO_PROXY
			put(join(dir, ".qwen/settings.json"), { security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } }, general: { disableAutoUpdate: true, enableAutoUpdate: false },
				privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false }, tools: { useRipgrep: false }, model: { generationConfig: { maxRetries: 0 } } });
			return { HOME, TMPDIR, LANG, OPENAI_API_KEY: "dummy", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: model, QWEN_CODE_NO_RELAUNCH: "1", GEMINI_CLI_NO_RELAUNCH: "1" };
		},
		argv: (program, prompt) => [program, "--yolo", "--auth-type", "openai", "-o", "stream-json", "--include-partial-messages", ...prompt === undefined ? [] : ["-p", prompt]],
		read: (file_path) => ({ name: "read_file", args: { file_path } }), bash: (command) => ({ name: "run_shell_command", args: { command, description: "run", is_background: false } }),
		pieces: true, stubborn: true,
	},
	kimi: { // only what it stores is looked at
		home(dir, url) {
			const env = homes.pi(dir, "");
			mkdirSync(join(dir, ".kimi-code"), { recursive: true });
			writeFileSync(join(dir, ".kimi-code/config.toml"), `default_model = "mock"
telemetry = false
[providers.mock]
type = "openai"
base_url = "${url}/v1"
api_key = "dummy"
[models.mock]
provider = "mock"
model = "${model}"
max_context_size = 200000
`);
			return { ...env, KIMI_CODE_HOME: join(dir, ".kimi-code"), NO_PROXY: "127.0.0.1,localhost" };
		},
		argv: (program, prompt) => [program, "-p", prompt, "--output-format", "stream-json"],
		read: (path) => ({ name: "Read", args: { path } }), bash: (command) => ({ name: "Bash", args: { command } }),
		unrecorded: true,
	},
	copilot: {
		home: (dir, url) => ({ ...homes.pi(dir, ""), COPILOT_HOME: join(dir, ".copilot"), COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false",
			COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_API_KEY: "dummy", COPILOT_MODEL: model }),
		argv: (program, prompt) => [program, "--output-format", "json", "--allow-all-tools", "--allow-all-paths", "--no-color", ...prompt === undefined ? [] : ["-p", prompt]],
		read: (path) => ({ name: "view", args: { path } }), bash: (command) => ({ name: "bash", args: { command, description: "run" } }),
		pieces: true, stubborn: true, mute: true,
	},
};

// What makes of the command for a terminal, which a user is told to type, one that runs without, and asks $again.
const headless = {
	codex: (real) => `shift; exec '${real}' exec resume --skip-git-repo-check "$@" -- "$again"`,
	opencode: (real) => `case $1 in import) exec '${real}' "$@" ;; -s) set -- run "$@" ;; esac; exec '${real}' "$@" "$again"`,
	...Object.fromEntries(["pi-0.87", "pi-1.5"].map((name) => [name, (real) => `exec '${real}' "$@" -p --provider mock --model ${model} "$again"`])),
	omp: (real) => `exec '${real}' "$@" -p --model mock/${model} --no-title --no-lsp "$again"`,
	claude: (real) => `exec '${real}' -p "$@" "$again"`,
};

// standIn makes a directory for PATH in which the agent is such a command.
export function standIn(name, dir, real) {
	const bin = join(dir, "bin"), file = join(bin, name.startsWith("pi-") ? "pi" : name);
	mkdirSync(bin, { recursive: true });
	writeFileSync(file, `#!/bin/sh\n${headless[name](real)}\n`);
	chmodSync(file, 0o755);
	return bin;
}

// foreign are words of an agent, beside those in its session, that no other one says.
export const foreign = {
	claude: /<system-reminder>|deferred tools|\bOpus\b|Claude Code/,
	codex: /<environment_context>|<skills_instructions>|<permissions instructions>|<user_instructions>/,
	opencode: /You are opencode|<env>/i,
};
