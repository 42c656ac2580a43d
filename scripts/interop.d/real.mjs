// Homes for real programs, in which they know one model, that of mock.mjs, and
// the running of them.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

// model is the name the server's model has in every home.
export const model = "mock-1";

// homes make a home in the directory DIR whose model is at URL, and return the
// environment that goes with it. A proxy nobody listens at is for what a program
// would ask of other hosts.
export const homes = {
	pi(dir, url) {
		put(dir, "agent/models.json", { providers: { mock: {
			baseUrl: url, api: "openai-completions", apiKey: "dummy",
			models: [{ id: model, input: ["text", "image"], contextWindow: 200000, maxTokens: 2000 }],
		} } });
		put(dir, "agent/settings.json", { defaultProvider: "mock", defaultModel: model, retry: { enabled: false } });
		return { ...common(dir), PI_CODING_AGENT_DIR: join(dir, "agent"), PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" };
	},
	codex(dir, url) {
		put(dir, ".codex/config.toml", `model = "${model}"
model_provider = "mock"
check_for_update_on_startup = false
[model_providers.mock]
name = "mock"
base_url = "${url}"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[analytics]
enabled = false
[features]
apps = false
plugins = false
shell_snapshot = false
`);
		return { ...common(dir), CODEX_HOME: join(dir, ".codex"), MOCK_KEY: "dummy", RUST_LOG: "error" };
	},
	opencode(dir, url) {
		put(dir, "config/opencode/opencode.json", {
			autoupdate: false, share: "disabled", snapshot: false, model: `mock/${model}`, small_model: `mock/${model}`,
			provider: { mock: { npm: "@ai-sdk/openai-compatible", name: "mock", options: { baseURL: url, apiKey: "dummy" },
				models: { [model]: { name: "mock", limit: { context: 200000, output: 8000 }, attachment: true, modalities: { input: ["text", "image"], output: ["text"] } } } } },
		});
		return { ...common(dir), XDG_DATA_HOME: join(dir, "data"), XDG_CONFIG_HOME: join(dir, "config"),
			XDG_STATE_HOME: join(dir, "state"), XDG_CACHE_HOME: join(dir, "cache"), OPENCODE_DISABLE_AUTOUPDATE: "1",
			OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1", OPENCODE_DISABLE_DEFAULT_PLUGINS: "1" };
	},
};

function common(dir) {
	mkdirSync(join(dir, "project"), { recursive: true });
	const nobody = "http://127.0.0.1:9";
	return { HOME: dir, TMPDIR: dir, LANG: "C.UTF-8", HTTP_PROXY: nobody, HTTPS_PROXY: nobody, http_proxy: nobody, https_proxy: nobody,
		NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };
}

function put(dir, name, value) {
	mkdirSync(dirname(join(dir, name)), { recursive: true });
	writeFileSync(join(dir, name), typeof value === "string" ? value : JSON.stringify(value, null, 1));
}

// spoken returns what has sess-path print what AGENT sends of a session, which is a text: its own words
// that it put into the user's mouth, and none of another agent's.
export const spoken = (agent, session) => ["--harness", session.includes(`"${agent}:context"`) || session.includes(`"harness":"${agent}"`) ? "keep" : "drop"];

// What runs when we are ended ends with us.
const running = new Set();
process.on("SIGTERM", () => {
	for (const child of running) child.kill();
	process.exit(143);
});

// run runs a command with nothing on standard input and no other environment, for
// five minutes at most, and returns what it printed and its status.
export function run(argv, { cwd, env }) {
	return new Promise((resolve) => {
		const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 300_000, killSignal: "SIGKILL" });
		running.add(child);
		const out = { stdout: "", stderr: "" };
		for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (s) => { out[name] += s; });
		child.on("error", (e) => resolve({ ...out, status: -1, stderr: `${argv[0]}: ${e.message}` }));
		child.on("close", (status, signal) => {
			running.delete(child);
			resolve({ ...out, status: status ?? signal });
		});
	});
}

// eachOf does the work for every item, a few at a time.
export async function eachOf(items, work, atATime = 2) {
	const waiting = [...items];
	await Promise.all(Array.from({ length: atATime }, async () => {
		while (waiting.length > 0) await work(waiting.shift());
	}));
}

// drawn returns a third of what could be asked, as number tells them apart: another third for each SESS_SEED, and everything
// in three seeds that follow each other. It is one thing at least. With SESS_DRAW=full it returns everything.
export function drawn(items, number = (item, i) => i) {
	if (process.env.SESS_DRAW === "full") return items;
	const seed = Number(process.env.SESS_SEED ?? 0);
	const some = items.filter((item, i) => (number(item, i) + seed) % 3 === 0);
	return some.length > 0 || items.length === 0 ? some : [items[seed % items.length]];
}

// A tally prints one line a check, and counts.
export class Tally {
	checks = 0;
	failed = 0;
	check(what, wrong) {
		this.checks++;
		if (wrong) this.failed++;
		console.log(`${wrong ? "FAIL" : "ok  "} ${what}${wrong ? `\n  ${wrong}`.slice(0, 3000) : ""}`);
		return !wrong;
	}
	end(what) {
		console.log(`interop: ${what}: ${this.checks - this.failed} of ${this.checks} checks agree`);
		process.exitCode = this.failed || this.checks === 0 ? 1 : 0;
	}
}
