// Has a real Claude Code, and a codex, run the programs of docs/hooks.md as their hooks: hooks.mjs CLAUDE ROOT WORK [CODEX], with the
// tools in PATH.
import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { serve } from "./agents.mjs";
import { programs } from "./programs.mjs";
import { run } from "./real.mjs";

const [claude, root, work, codex] = process.argv.slice(2);
let wrong = 0;
const check = (what, ok, more = "") => ok || (wrong++, console.log(`interop: hooks: ${what}: ${more}`));

rmSync(work, { recursive: true, force: true });
const home = join(work, "home"), project = join(work, "project"), bin = join(work, "bin");
for (const dir of [home, project, bin, join(home, ".claude")]) mkdirSync(dir, { recursive: true });
const page = readFileSync(join(root, "docs/hooks.md"), "utf8");
for (const [, name, text] of page.matchAll(/^```sh tool (\S+)\n([^]*?)^```/gm)) writeFileSync(join(bin, name), text, { mode: 0o755 });
writeFileSync(join(home, ".claude/settings.json"), page.match(/^```json settings\n([^]*?)^```/m)[1]);

// The model wants to push, sees what came of it, and ends.
const asked = [];
const server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
	let text = "";
	req.on("data", (more) => { text += more; }).on("end", () => {
		if (req.method !== "POST" || !req.url.startsWith("/v1/messages")) return res.writeHead(404).end("{}");
		const body = JSON.parse(text), results = body.messages.flatMap((m) => [m.content].flat()).filter((b) => b.type === "tool_result");
		asked.push(...results.map((r) => JSON.stringify(r.content)));
		const call = body.tools?.length && results.length === 0;
		const block = call ? { type: "tool_use", id: "toolu_1", name: "Bash", input: {} } : { type: "text", text: "" };
		const delta = call ? { type: "input_json_delta", partial_json: JSON.stringify({ command: "git push origin main", description: "push" }) } : { type: "text_delta", text: "It was not pushed." };
		const stop = { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null };
		const message = { id: `msg_${asked.length}_${Boolean(call)}`, type: "message", role: "assistant", model: body.model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 5 } };
		if (!body.stream) return res.setHeader("content-type", "application/json").end(JSON.stringify({ ...message, ...stop, content: [{ type: "text", text: "fine" }] }));
		res.setHeader("content-type", "text/event-stream");
		for (const e of [{ type: "message_start", message }, { type: "content_block_start", index: 0, content_block: block }, { type: "content_block_delta", index: 0, delta },
			{ type: "content_block_stop", index: 0 }, { type: "message_delta", delta: stop, usage: { output_tokens: 5 } }, { type: "message_stop" }]) res.write(`event: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`);
		res.end();
	});
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const env = {
	...process.env, HOME: home, PATH: `${bin}:${process.env.PATH}`, SESS_DIR: join(work, "store"), CLAUDE_CONFIG_DIR: join(home, ".claude"), ANTHROPIC_API_KEY: "dummy",
	ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.address().port}`, IS_SANDBOX: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1", DISABLE_TELEMETRY: "1",
};
const sh = (script, options = {}) => execFileSync("sh", ["-c", script], { cwd: project, env, encoding: "utf8", ...options });
const token = `ghp_${Array.from({ length: 36 }, (_, i) => "aZ3kQ9xW7bN1"[(i * 5 + (i >> 2)) % 12]).join("")}`;
sh(`git init -q . && sess-new | sess-append -r user -t 'the token is ${token}' > s.jsonl && git add s.jsonl`);

const child = spawn(claude, ["-p", "--dangerously-skip-permissions", `push it with ${token}`], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
let said = "";
for (const stream of [child.stdout, child.stderr]) stream.on("data", (more) => { said += more; });
const status = await new Promise((resolve) => child.on("close", resolve));
server.close();

check("Claude Code", status === 0, said);
check("PreToolUse keeps it from pushing, and says why", asked.some((r) => r.includes("s.jsonl")) && !asked.some((r) => r.includes(token)), asked.join("\n"));
const clean = join(home, "clean"), copies = existsSync(clean) ? readdirSync(clean) : [];
check("Stop collects a copy", copies.length === 1, `${copies}; ${said}`);
if (copies.length === 1) {
	const id = copies[0].replace(".jsonl", ""), text = readFileSync(join(clean, copies[0]), "utf8");
	check("the copy has no secret", text.includes("push it with") && !text.includes(token), text.slice(0, 2000));
	check("the store has the session", sh(`sess-path --as text ${id}`).includes("It was not pushed."), sh(`sess-path --as text ${id}`));
	const line = sh(`printf '{"session_id":"%s"}' ${id} | sess-statusline`);
	check("the statusline has tokens", /^[1-9]\d* tokens, \$/.test(line), line);
}
// Codex runs notify after its turn, and does not wait for it.
if (codex) {
	const dir = join(work, "codex"), model = await serve(), project = join(dir, "project");
	mkdirSync(project, { recursive: true });
	const its = { ...programs.codex.home(dir, model.url("hooks")), PATH: env.PATH, SESS_DIR: join(dir, "store") }, config = join(dir, ".codex/config.toml");
	writeFileSync(config, page.match(/^```toml\n([^]*?)^```/m)[1] + readFileSync(config, "utf8"));
	model.play("hooks", [{ text: "It is noted." }]);
	const r = await run(programs.codex.argv(codex, `note ${token}`), { cwd: project, env: its });
	const copies = () => existsSync(join(dir, "clean")) ? readdirSync(join(dir, "clean")).filter((f) => f.endsWith(".jsonl")) : [];
	for (let n = 0; n < 50 && copies().length === 0; n++) await new Promise((resolve) => setTimeout(resolve, 200));
	check("codex", r.status === 0, r.stderr);
	check("notify collects a copy", copies().length === 1, `${copies()}; ${r.stderr}`);
	if (copies().length === 1) {
		const text = readFileSync(join(dir, "clean", copies()[0]), "utf8"), id = copies()[0].replace(".jsonl", "");
		check("the copy of codex's session has no secret", text.includes("It is noted.") && !text.includes(token), text.slice(0, 2000));
		check("the store has codex's session", execFileSync("sess-path", ["--as", "text", id], { env: its, encoding: "utf8" }).includes("It is noted."));
	}
}
if (wrong === 0 && codex) console.log("interop: codex runs the notify of docs/hooks.md: a copy without a secret after the turn");
if (wrong === 0) console.log("interop: Claude Code runs the hooks of docs/hooks.md: no push with a secret, a copy without it in the store, a statusline");
process.exit(wrong ? 1 : 0);
