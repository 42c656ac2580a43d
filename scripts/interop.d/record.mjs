// Has sess-record record real agents, and compares the session, message by message, with what
// the agent itself stored, as sess-import reads it. Then another agent goes on with the recording.
//
//   node record.mjs WORK NAME=PROGRAM...
//
// A NAME is one of programs.mjs; Claude Code, codex, opencode and pi are looked at. The tools are in PATH, and WORK is a directory
// for homes. Prints one line a check and ends with status 1 if one fails.
//
// What a stream does not have is left out on both sides: words in the user's name, thinking
// where it is not printed, replies that say nothing, details. Codex prints a log: of it the texts and
// the commands are compared.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { serve } from "./agents.mjs";
import { programs as agents, warned } from "./programs.mjs";
import { Tally, eachOf, homes, model, run } from "./real.mjs";

const [work, ...given] = process.argv.slice(2);
const programs = Object.fromEntries(given.map((g) => g.split(/=(.*)/s)).filter(([name]) => ["claude", "codex", "opencode", "pi-0.73", "pi-0.87", "pi-1.5"].includes(name)));
const server = await serve();
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const scenarios = {
	turn: (a, dir) => [
		{ thinking: "Two reads.", text: "Reading both.", calls: [a.read(join(dir, "project/a.txt")), a.read(join(dir, "project/missing.txt"))] },
		{ calls: [a.bash("echo out; exit 3")] },
		{ text: "One was missing and the command failed. 😀" },
	],
	image: (a, dir) => a.log ? [{ text: "It is a pixel." }] : [{ text: "Looking.", calls: [a.read(join(dir, "project/p.png"))] }, { text: "It is a pixel." }],
	error: () => [{ text: "First." }, { status: 400 }, { status: 400 }, { status: 400 }],
	retry: (a) => [{ text: "Looking.", calls: [a.bash("echo out")] }, { status: 500 }, { text: "After a retry." }],
	background: (a) => [{ text: "Starting.", calls: [a.background("sleep 1; echo late")] }, { text: "It runs." }, { text: "It has ended.", always: true }],
	interrupt: () => [{ text: "Once upon a time there was a fox who never finished this", hang: true }],
};

function sess(input, tool, ...args) {
	const r = spawnSync(tool, args, { input, encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status !== 0) throw new Error(`${tool} ${args.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout;
}

const messagesOf = (text) => text.split("\n").filter(Boolean).map((l) => JSON.parse(l)).filter((e) => e.type === "message").map((e) => e.message);

// said returns what is compared of messages.
function said(messages, log) {
	const out = [];
	for (const m of messages) {
		if (m.role !== "assistant" && m.role !== "toolResult") continue;
		const content = typeof m.content === "string" ? [{ type: "text", text: m.content }] : m.content;
		if (m.stopReason === "error" && content.every((b) => b.text === m.errorMessage)) continue;
		if (log && m.role === "toolResult") continue;
		for (const b of content) {
			if (b.type === "toolCall") out.push(["call", b.name, b.arguments.cmd ?? b.arguments, log ? "" : b.id]);
			else if (b.type === "thinking") out.push(...log ? [] : [[m.role, "thinking", b.thinking]]);
			else out.push([m.role, b.type, b.text ?? b.data, m.toolCallId, m.isError]);
		}
	}
	const kind = log ? "call" : "toolResult"; // calls that run side by side are printed as they begin
	for (let i = 0; i < out.length; i++) { // some store results as they came
		let n = i;
		while (n < out.length && out[n][0] === kind) n++;
		if (n > i) out.splice(i, n - i, ...out.slice(i, n).sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
		i = Math.max(i, n - 1);
	}
	return out;
}

// recorded runs an agent below sess-record; an interrupt goes to both, as from a terminal.
async function recorded(name, scenario, dir, file) {
	const a = agents[name], who = `${name}-${scenario}`, prompt = `do the ${scenario}`;
	const env = { PATH: process.env.PATH, ...a.home(dir, server.url(who)) };
	mkdirSync(join(dir, "project"), { recursive: true });
	writeFileSync(join(dir, "project/a.txt"), "eins\nzwei 😀\n");
	writeFileSync(join(dir, "project/p.png"), Buffer.from(png, "base64"));
	server.play(who, scenarios[scenario](a, dir));
	sess("", "sess-new", "--cwd", join(dir, "project"), "-o", file);
	const image = scenario === "image" && name !== "claude" ? join(dir, "project/p.png") : "";
	const argv = [file, "--prompt", prompt, "--", ...a.argv(programs[name], prompt, { image })];
	if (name === "codex" && scenario === "retry") argv.splice(argv.indexOf("--") + 2, 0, "-c", "model_providers.mock.request_max_retries=2");
	if (scenario !== "interrupt") return { prompt, ...await run(["sess-record", ...argv], { cwd: join(dir, "project"), env }) };
	return new Promise((resolve) => {
		const child = spawn("sess-record", argv, { cwd: join(dir, "project"), env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
		const out = { prompt, stdout: "", stderr: "" };
		for (const s of ["stdout", "stderr"]) child[s].setEncoding("utf8").on("data", (d) => { out[s] += d; });
		server.stopped(who).then(() => setTimeout(() => process.kill(-child.pid, "SIGINT"), 1500));
		child.on("close", (status, signal) => resolve({ ...out, status: status ?? signal }));
	});
}

async function wrong(name, scenario) {
	const dir = join(work, name, scenario), file = join(work, name, `${scenario}.jsonl`);
	mkdirSync(dir, { recursive: true });
	const r = await recorded(name, scenario, dir, file);
	if (!r.stdout && scenario !== "interrupt") return `it printed nothing, status ${r.status}: ${r.stderr}`;
	if (scenario !== "interrupt") {
		const wrong = warned(agents[name], r.stderr);
		if (wrong) return wrong;
	}
	sess("", "sess-check", file);
	const ours = messagesOf(readFileSync(file, "utf8"));
	const asked = ours.filter((m) => m.role === "user" && JSON.stringify(m.content).includes(r.prompt)).length;
	const twice = scenario === "image" && agents[name].attaches ? 2 : 1; // the second one is with the image
	if (asked !== twice) return `the prompt is recorded ${asked} times`;
	const [format, ...stored] = agents[name].stored(dir);
	if (scenario === "interrupt") {
		const streams = name !== "codex" && name !== "opencode"; // they print whole texts only
		const last = ours.at(-1), story = ours.find((m) => JSON.stringify(m.content).includes("Once upon"));
		return streams && story?.stopReason !== "aborted" ? `the interrupted reply is ${JSON.stringify(story ?? last).slice(0, 300)}: ${r.stderr}` : "";
	}
	if (stored.length === 0) return "it stored nothing";
	const log = agents[name].log, mine = said(ours, log);
	const theirs = said(messagesOf(sess("", "sess-import", "-q", format, stored[0])), log);
	for (let i = 0; i < Math.max(mine.length, theirs.length); i++) {
		if (!isDeepStrictEqual(mine[i], theirs[i])) return `part ${i + 1}: recorded ${JSON.stringify(mine[i])?.slice(0, 400)}, stored ${JSON.stringify(theirs[i])?.slice(0, 400)}`;
	}
	if (mine.length === 0 && scenario !== "error") return "nothing was said";
	return "";
}

// resumed has pi go on with a recording: it has to send its model all that was said.
async function resumed(name, pi) {
	const file = join(work, name, `turn-${pi}.jsonl`), dir = join(work, name, `resumed-${pi}`), who = `resumed-${name}-${pi}`;
	copyFileSync(join(work, name, "turn.jsonl"), file);
	server.play(who, [{ text: "Going on." }]);
	const env = { PATH: process.env.PATH, ...homes.pi(dir, `${server.url(who)}/v1`) };
	const r = await run([programs[pi], "--mode", "json", "--session", file, "--provider", "mock", "--model", model, "and now?"], { cwd: join(work, name, "turn/project"), env });
	const request = JSON.stringify(server.asked(who).at(-1)?.messages ?? []);
	for (const text of ["do the turn", "Reading both.", "zwei 😀", "One was missing and the command failed. 😀", "and now?"]) {
		if (!request.includes(JSON.stringify(text).slice(1, -1))) return `status ${r.status}: ${JSON.stringify(text)} was not sent: ${request.slice(0, 2000)} ${r.stderr}`;
	}
	return readFileSync(file, "utf8").includes("Going on.") ? "" : "it did not go on with the file";
}

// totals has Claude Code make nine calls, two of them by a sub-agent: what is recorded has to add up to what it says at its end
// that it cost and used, and to what the model server has counted.
async function totals(more) {
	const a = agents.claude, who = `claude-totals-${more.length}`, dir = join(work, "claude", who), file = `${dir}.jsonl`;
	const env = { PATH: process.env.PATH, ...a.home(dir, server.url(who)) };
	mkdirSync(join(dir, "project"), { recursive: true });
	const helper = { name: "Agent", args: { description: "look", prompt: "look around", subagent_type: "general-purpose" } };
	const helps = (body) => !JSON.stringify(body.messages).includes("do it all"); // it works beside the conversation, in any order
	server.play(who, [...[{ calls: [a.bash("echo sub")] }, { text: "It looked." }].map((r) => ({ ...r, only: helps })), ...[{ text: "A helper looks.", calls: [helper] },
		...[1, 2, 3, 4, 5].map((n) => ({ text: `Step ${n}.`, calls: [a.bash(`echo ${n}`)] })), { text: "Done." }].map((r) => ({ ...r, only: (body) => !helps(body) }))]);
	sess("", "sess-new", "--cwd", join(dir, "project"), "-o", file);
	const argv = a.argv(programs.claude, "do it all").filter((word) => !more.includes(word));
	const r = await run(["sess-record", file, "--prompt", "do it all", "--", ...argv], { cwd: join(dir, "project"), env });
	const result = r.stdout.split("\n").filter(Boolean).map((l) => JSON.parse(l)).find((e) => e.type === "result");
	if (!result) return `status ${r.status}, no result: ${r.stderr}`;
	const sum = JSON.parse(sess("", "sess-stat", "--usage", "--json", file).trim().split("\n").at(-1));
	const used = { input: 0, cached: 0, output: 0 };
	for (const m of Object.values(result.modelUsage)) {
		used.input += m.inputTokens + m.cacheReadInputTokens + m.cacheCreationInputTokens;
		used.cached += m.cacheReadInputTokens;
		used.output += m.outputTokens;
	}
	const ours = { input: sum.tokens.input + sum.tokens.cacheRead + sum.tokens.cacheWrite, cached: sum.tokens.cacheRead, output: sum.tokens.output };
	if (server.asked(who).length < 9) return `only ${server.asked(who).length} calls: ${JSON.stringify(result).slice(0, 500)}`;
	if (!isDeepStrictEqual(ours, used)) return `recorded ${JSON.stringify(ours)}, Claude Code says ${JSON.stringify(used)}`;
	if (!isDeepStrictEqual(ours, server.spent(who))) return `recorded ${JSON.stringify(ours)}, the model has counted ${JSON.stringify(server.spent(who))}`;
	if (!(result.total_cost_usd > 0) || Math.abs(sum.cost - result.total_cost_usd) > 1e-9) return `recorded $${sum.cost}, Claude Code says $${result.total_cost_usd}`;
	const calls = sess("", "sess-calls", "--json", file).trim().split("\n").map((l) => JSON.parse(l));
	const started = calls.find((c) => c.kind === "agent"), inside = calls.filter((c) => c.in);
	if (inside.length !== 1 || inside[0].in !== started?.callId || inside[0].command !== "echo sub" || inside[0].status !== 0) return `of the sub-agent is recorded ${JSON.stringify(inside)}`;
	const gate = spawnSync("sess-assert", ["--strict", "--no-call", "run:echo sub*", file], { encoding: "utf8" });
	if (gate.status !== 1 || !gate.stdout.includes("Bash echo sub") || gate.stderr) return `a gate says ${gate.status}: ${gate.stdout}${gate.stderr}`;
	const listed = JSON.parse(sess("", "sess-ls", "--json", file));
	return listed.tokens.total === sum.tokens.total && Math.abs(listed.cost - sum.cost) < 1e-9 ? "" : `a listing has ${JSON.stringify(listed.tokens)} and $${listed.cost}`;
}

const tally = new Tally();
const guarded = async (what, f) => {
	let why;
	try { why = await f(); } catch (e) { why = e.stack; }
	return tally.check(what, why);
};
await eachOf(Object.keys(programs), async (name) => {
	for (const scenario of Object.keys(scenarios)) {
		if (scenario === "background" && !agents[name].background) continue; // it has none, or none that ends in a stream
		await guarded(`sess-record ${name}: ${scenario}`, () => wrong(name, scenario));
	}
	for (const more of name === "claude" ? [[], ["--include-partial-messages"]] : []) {
		await guarded(`what is recorded of ${name} adds up${more.map((flag) => `, without ${flag}`)}`, () => totals(more));
	}
	for (const pi of ["pi-0.87", "pi-1.5"].filter((pi) => programs[pi])) await guarded(`${pi} goes on with what is recorded of ${name}`, () => resumed(name, pi));
});
tally.end("recordings of agents");
process.exit();
