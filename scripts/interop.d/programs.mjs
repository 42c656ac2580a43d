// The agents that are run: a home in which each knows one model, that of agents.mjs, its command lines, its
// names for tools, and where it stores its sessions.
//
// home(DIR, URL) makes the home and returns the environment. argv(PROGRAM, PROMPT, {image, resume, talk}) is
// the command that prints events; without PROMPT it reads it on standard input, and with talk prompts as JSON while it works.
// pieces says that texts are printed as they come, polite that it exits with 0 though the model has failed, stubborn
// that it goes on trying, nameless that it does not print which model answers, mute that it prints no tokens, and attaches that
// it prints the prompt with the image that goes with it. own is what it says in the user's name itself. brief says that it prints
// results as a user is shown them, and thoughtless that it prints no thinking.
//
// What it has when it prints a stream, as docs/formats/streams.md has it: background(COMMAND) and helper(PROMPT) are calls of tools.
// ends says that it prints how a command in the background ended, inside that it prints the calls of a sub-agent, and apart that what
// a sub-agent used is printed nowhere. small(DIR) has it compact soon, full is from how many tokens on, late says that it does so when
// it has answered, and compacts is what it prints of that: "entry", "beside", its "tokens" or "". talks says that it takes prompts while
// it works, and replays that it prints them. silent says that it stores no status of a command that fails without a word. again(DIR) has it try again, and returns what that adds to the environment.
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { homes, model } from "./real.mjs";

// found returns the files below a directory whose name matches.
export const found = (dir, name) => !existsSync(dir) ? [] : readdirSync(dir, { recursive: true, withFileTypes: true })
	.filter((e) => e.isFile() && name.test(e.name)).map((e) => join(e.parentPath ?? e.path, e.name)).filter((f) => !f.includes("subagents"));

const put = (file, value) => {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value, null, 1));
};
const change = (file, f) => {
	const value = JSON.parse(readFileSync(file, "utf8"));
	f(value);
	put(file, value);
};
const some = (prompt) => prompt === undefined ? [] : [prompt];

const pi = {
	home: (dir, url) => homes.pi(dir, `${url}/v1`),
	argv: (program, prompt, { image, resume } = {}) => [program, "--mode", "json", "--provider", "mock", "--model", model,
		...resume ? ["--session", resume] : [], ...image ? [`@${image}`] : [], ...some(prompt)],
	read: (path) => ({ name: "read", args: { path } }), bash: (command) => ({ name: "bash", args: { command } }),
	stored: (dir) => ["pi", ...found(join(dir, "agent/sessions"), /\.jsonl$/)],
	small: (dir) => change(join(dir, "agent/settings.json"), (v) => { v.compaction = { enabled: true, keepRecentTokens: 50 }; }), late: true, compacts: "beside",
	again: (dir) => change(join(dir, "agent/settings.json"), (v) => { v.retry = { enabled: true, maxRetries: 2, baseDelayMs: 200 }; }),
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
	"pi-0.73": { ...pi, compacts: "" }, "pi-0.87": pi, "pi-1.5": pi,
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
		argv: (program, prompt, { resume, talk } = {}) => [program, "-p", "--dangerously-skip-permissions", "--output-format", "stream-json", "--verbose", "--include-partial-messages",
			...talk ? ["--input-format", "stream-json", "--replay-user-messages"] : [], ...resume ? ["--resume", resume] : [], ...some(prompt)],
		read: (file_path) => ({ name: "Read", args: { file_path } }), background: (command) => ({ name: "Bash", args: { command, description: "run", run_in_background: true } }), bash: (command) => ({ name: "Bash", args: { command, description: "run" } }),
		stored: (dir) => ["claude", ...found(join(dir, "config/projects"), /\.jsonl$/)],
		helper: (prompt) => ({ name: "Agent", args: { description: "look", prompt, subagent_type: "general-purpose", run_in_background: false } }), inside: true,
		again: () => ({ CLAUDE_CODE_MAX_RETRIES: "2" }), small: () => {}, full: 990_000, compacts: "entry", talks: true, replays: true, ends: true, pieces: true,
	},
	codex: {
		home: (dir, url) => homes.codex(dir, `${url}/v1`),
		argv: (program, prompt = "-", { image, resume } = {}) => [program, "exec", ...resume ? ["resume", resume] : [], "--json", "--skip-git-repo-check",
			...resume ? [] : ["-s", "danger-full-access"], ...image ? [`--image=${image}`] : [], "--", prompt],
		read: (path) => ({ name: "exec_command", args: { cmd: `cat ${path}` } }), bash: (cmd) => ({ name: "exec_command", args: { cmd } }),
		stored: (dir) => ["codex", ...found(join(dir, ".codex/sessions"), /\.jsonl$/)], log: true, nameless: true,
		background: (cmd) => ({ name: "exec_command", args: { cmd, yield_time_ms: 250 } }),
		helper: (message) => ({ name: "spawn_agent", namespace: "multi_agent_v1", args: { message } }), apart: true,
		again: (dir) => put(join(dir, ".codex/config.toml"), readFileSync(join(dir, ".codex/config.toml"), "utf8").replace("request_max_retries = 0", "request_max_retries = 2")),
		small: (dir) => put(join(dir, ".codex/config.toml"), `model_auto_compact_token_limit = 5000\n${readFileSync(join(dir, ".codex/config.toml"), "utf8")}`), compacts: "tokens",
		words: /high demand/, // of a model that fails with 500
	},
	opencode: {
		home: (dir, url) => ({ ...homes.opencode(dir, `${url}/v1`), OPENCODE_PERMISSION: '{"edit":"allow","bash":"allow","external_directory":"allow"}' }),
		argv: (program, prompt, { image, resume } = {}) => [program, "run", "--format", "json", "--thinking", ...resume ? ["-s", resume] : [], ...some(prompt), ...image ? ["-f", image] : []],
		read: (filePath) => ({ name: "read", args: { filePath } }), bash: (command) => ({ name: "bash", args: { command, description: "run" } }),
		stored: (dir) => ["opencode", ...found(join(dir, "data"), /^opencode.*\.db$/)],
		helper: (prompt) => ({ name: "task", args: { description: "look", prompt, subagent_type: "general" } }), apart: true,
		small: (dir) => change(join(dir, "config/opencode/opencode.json"), (v) => { v.provider.mock.models[model].limit = { context: 20_000, output: 2000 }; }), compacts: "entry",
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
		stored: (dir) => ["gemini", ...found(join(dir, ".gemini/tmp"), /^session-.*\.jsonl?$/)],
		background: (command) => ({ name: "run_shell_command", args: { command, description: "run", is_background: true } }),
		helper: (prompt) => ({ name: "invoke_agent", args: { agent_name: "generalist", prompt } }),
		again: (dir) => change(join(dir, ".gemini/settings.json"), (v) => { v.general.maxAttempts = 2; }),
		brief: true, thoughtless: true, pieces: true, codeless: true,
	},
	qwen: {
		home(dir, url) {
			const { HOME, TMPDIR, LANG } = homes.pi(dir, ""); // it takes no notice of NO_PROXY
			put(join(dir, ".qwen/settings.json"), { security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } }, general: { disableAutoUpdate: true, enableAutoUpdate: false },
				privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false }, tools: { useRipgrep: false }, model: { generationConfig: { maxRetries: 0, modalities: { image: true } } } });
			return { HOME, TMPDIR, LANG, OPENAI_API_KEY: "dummy", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: model, QWEN_CODE_NO_RELAUNCH: "1", GEMINI_CLI_NO_RELAUNCH: "1" };
		},
		argv: (program, prompt, { talk } = {}) => [program, "--yolo", "--auth-type", "openai", "-o", "stream-json", "--include-partial-messages",
			...talk ? ["--input-format", "stream-json"] : [], ...prompt === undefined ? [] : ["-p", prompt]],
		read: (file_path) => ({ name: "read_file", args: { file_path } }), bash: (command) => ({ name: "run_shell_command", args: { command, description: "run", is_background: false } }),
		stored: (dir) => ["qwen", ...found(join(dir, ".qwen/projects"), /\.jsonl$/)],
		background: (command) => ({ name: "run_shell_command", args: { command, description: "run", is_background: true } }),
		helper: (prompt) => ({ name: "agent", args: { description: "look", prompt, subagent_type: "general-purpose", run_in_background: false } }), inside: true,
		small: (dir) => change(join(dir, ".qwen/settings.json"), (v) => { v.model.chatCompression = { contextPercentageThreshold: 0.1 }; v.model.generationConfig.contextWindowSize = 20_000; }), compacts: "tokens",
		brief: true, talks: true, pieces: true, stubborn: true,
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
		stored: (dir) => ["kimi", ...found(join(dir, ".kimi-code/sessions"), /^wire\.jsonl$/)],
		unrecorded: true,
	},
	grok: { // only what it stores is looked at
		home(dir, url) {
			const env = homes.pi(dir, "");
			put(join(dir, ".grok/config.toml"), `[models]
default = "${model}"
[model.${model}]
model = "${model}"
name = "${model}"
base_url = "${url}/v1"
api_key = "dummy"
context_window = 200000
`);
			return { ...env, GROK_HOME: join(dir, ".grok"), XAI_API_KEY: "dummy", GROK_MODELS_BASE_URL: `${url}/v1`, GROK_DISABLE_AUTOUPDATER: "1" };
		},
		argv: (program, prompt) => [program, "-p", prompt, "--output-format", "streaming-json", "--always-approve"],
		read: (target_file) => ({ name: "read_file", args: { target_file } }), bash: (command) => ({ name: "run_terminal_command", args: { command, description: "run" } }),
		stored: (dir) => ["grok", ...found(join(dir, ".grok/sessions"), /^updates\.jsonl$/)],
		unrecorded: true,
	},
	cline: { // of this one and those up to openclaw only what they store is looked at
		home(dir, url) {
			const env = homes.pi(dir, "");
			put(join(dir, ".cline/data/settings/providers.json"), { version: 1, lastUsedProvider: "openai-compatible", providers: { "openai-compatible": {
				settings: { provider: "openai-compatible", apiKey: "dummy", model, baseUrl: `${url}/v1` }, updatedAt: "2026-11-01T00:00:00.000Z", tokenSource: "manual" } } });
			return { ...env, CLINE_NO_AUTO_UPDATE: "1", CLINE_SESSION_BACKEND_MODE: "local" };
		},
		argv: (program, prompt) => [program, "--json", "-P", "openai-compatible", "-m", model, prompt],
		read: (path) => ({ name: "read_files", args: { files: [{ path }] } }), bash: (command) => ({ name: "run_commands", args: { commands: [command] } }),
		stored: (dir) => ["cline", ...found(join(dir, ".cline/data/sessions"), /\.messages\.json$/)],
		unrecorded: true,
	},
	continue: {
		home(dir, url) {
			const env = homes.pi(dir, "");
			put(join(dir, ".continue/config.yaml"), `name: mock
version: 1.0.0
schema: v1
models:
  - name: mock
    provider: openai
    model: ${model}
    apiBase: ${url}/v1
    apiKey: dummy
    roles: [chat]
    capabilities: [tool_use]
    useResponsesApi: false
`);
			return { ...env, CONTINUE_GLOBAL_DIR: join(dir, ".continue"), CONTINUE_TELEMETRY_ENABLED: "0" };
		},
		argv: (program, prompt) => [program, "-p", "--auto", "--config", "../.continue/config.yaml", prompt],
		read: (filepath) => ({ name: "Read", args: { filepath } }), bash: (command) => ({ name: "Bash", args: { command } }),
		stored: (dir) => ["continue", ...found(join(dir, ".continue/sessions"), /^[0-9a-f-]{36}\.json$/)],
		unrecorded: true, silent: true,
	},
	droid: {
		home(dir, url) {
			const env = homes.pi(dir, "");
			put(join(dir, ".factory/settings.json"), { cloudSessionSync: false, model: `custom:${model}`,
				customModels: [{ model, displayName: model, baseUrl: `${url}/v1`, apiKey: "dummy", provider: "generic-chat-completion-api", maxOutputTokens: 2000 }] });
			return { ...env, FACTORY_API_KEY: "fk-dummy", FACTORY_DROID_AUTO_UPDATE_ENABLED: "false" };
		},
		argv: (program, prompt) => [program, "exec", "--skip-permissions-unsafe", "-m", `custom:${model}-0`, prompt],
		read: (file_path) => ({ name: "Read", args: { file_path } }), bash: (command) => ({ name: "Execute", args: { command, summary: "run", riskLevelReason: "none", riskLevel: "low" } }),
		stored: (dir) => ["droid", ...found(join(dir, ".factory/sessions"), /\.jsonl$/)],
		unrecorded: true,
	},
	kilo: {
		home(dir, url) {
			const env = homes.opencode(dir, `${url}/v1`), config = readFileSync(join(dir, "config/opencode/opencode.json"), "utf8");
			put(join(dir, "config/kilo/kilo.json"), config);
			return { ...env, KILO_DISABLE_AUTOUPDATE: "1", KILO_DISABLE_MODELS_FETCH: "1", KILO_DISABLE_LSP_DOWNLOAD: "1", KILO_DISABLE_DEFAULT_PLUGINS: "1",
				KILO_DISABLE_SESSION_INGEST: "1", KILO_TELEMETRY_LEVEL: "off" };
		},
		argv: (program, prompt) => [program, "run", "--auto", "--format", "json", prompt],
		read: (filePath) => ({ name: "read", args: { filePath } }), bash: (command) => ({ name: "bash", args: { command, description: "run" } }),
		stored: (dir) => ["kilo", ...found(join(dir, "data/kilo"), /^kilo.*\.db$/)],
		unrecorded: true,
	},
	openclaw: {
		home(dir, url) {
			const env = homes.pi(dir, ""), cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
			put(join(dir, ".openclaw/openclaw.json"), { agents: { defaults: { model: { primary: `mock/${model}` }, workspace: join(dir, "project") } },
				models: { providers: { mock: { baseUrl: `${url}/v1`, apiKey: "dummy", api: "openai-completions",
					models: [{ id: model, name: model, contextWindow: 200000, maxTokens: 2000, input: ["text"], reasoning: false, cost }] } } } });
			return { ...env, OPENCLAW_NO_AUTO_UPDATE: "1", OPENCLAW_NO_RESPAWN: "1" };
		},
		argv: (program, prompt) => [program, "agent", "--local", "--agent", "main", "--message", prompt],
		read: pi.read, bash: (command) => ({ name: "exec", args: { command } }),
		stored: (dir) => ["openclaw", ...found(join(dir, ".openclaw/agents"), /^openclaw-agent\.sqlite$/)],
		unrecorded: true,
	},
	copilot: {
		home: (dir, url) => ({ ...homes.pi(dir, ""), COPILOT_HOME: join(dir, ".copilot"), COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false",
			COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_API_KEY: "dummy", COPILOT_MODEL: model }),
		argv: (program, prompt) => [program, "--output-format", "json", "--allow-all-tools", "--allow-all-paths", "--no-color", ...prompt === undefined ? [] : ["-p", prompt]],
		read: (path) => ({ name: "view", args: { path } }), bash: (command) => ({ name: "bash", args: { command, description: "run" } }),
		stored: (dir) => ["copilot", ...found(join(dir, ".copilot/session-state"), /^events\.jsonl$/)],
		background: (command) => ({ name: "bash", args: { command, description: "run", mode: "async", shellId: "s1" } }), ends: true,
		helper: (prompt) => ({ name: "task", args: { description: "look", prompt, agent_type: "general-purpose", name: "looker", mode: "sync" } }), inside: true,
		small: () => {}, compacts: "",
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
	cline: (real) => `exec '${real}' "$@"`,
	copilot: (real) => `exec '${real}' --allow-all-tools --no-color "$@" -p "$again"`,
	grok: (real) => `exec '${real}' "$@" -p "$again" --output-format streaming-json --always-approve`,
	kilo: (real) => `exec '${real}' run --auto --format json "$@" "$again"`,
	qwen: (real) => `exec '${real}' "$@" --yolo --auth-type openai -p "$again"`,
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
