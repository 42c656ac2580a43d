// Has sess-record record real agents, and compares the session, message by message, with what
// the agent itself stored, as sess-import reads it. Then another agent goes on with the recording.
//
//   node record.mjs WORK NAME=PROGRAM...
//
// A NAME is one of programs.mjs; Claude Code, codex, copilot, gemini, opencode, pi and qwen are looked at. The tools are in PATH, and WORK
// is a directory for homes. Prints one line a check and ends with status 1 if one fails.
//
// What a stream does not have is left out on both sides: words in the user's name, thinking
// where it is not printed, replies that say nothing, details, results that are those for the user. Codex prints a log: of it
// the texts and the commands are compared. What each program has of a sub-agent, a compaction and so on is in docs/formats/streams.md.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { serve } from "./agents.mjs";
import { programs as agents, warned } from "./programs.mjs";
import { Tally, drawn, eachOf, homes, model, run } from "./real.mjs";

const [work, ...given] = process.argv.slice(2);
const programs = Object.fromEntries(given.map((g) => g.split(/=(.*)/s)).filter(([name]) => ["claude", "codex", "copilot", "gemini", "opencode", "pi-0.73", "pi-0.87", "pi-1.5", "qwen"].includes(name)));
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
	helper: (a) => [...[{ text: "I look.", calls: [a.bash("echo sub")] }, { text: "It looked.", always: true }].map((r) => ({ ...r, only: helps, apart: a.apart })),
		...[{ text: "A helper looks.", calls: [a.helper("look around")] }, { calls: [a.bash("echo main")] }, { text: "Done." }].map((r) => ({ ...r, only: (body) => !helps(body) }))],
	compaction: (a) => {
		const long = Array.from({ length: 300 }, (_, i) => `line ${i} of ${i * 7919 % 1009}`).join(", "), used = { input: a.full ?? 190_000 };
		return [{ text: summary, used, only: summarizes, apart: a.compacts === "", always: true }, ...[{ text: `Looking. ${long}`, calls: [a.bash("echo one")], ...a.late ? {} : { used } },
			{ text: "Once more.", calls: [a.bash("echo two")] }, { text: `Going on. ${long}`, ...a.late ? { used } : {} }].map((r) => ({ ...r, only: (body) => !summarizes(body) }))];
	},
	queue: (a) => [{ text: "Waiting.", calls: [a.bash("node -e 'setTimeout(() => console.log(1), 2000)'")] }, { text: summary, only: summarizes, always: true },
		...["Seen.", "Seen more.", "And now this."].map((text) => ({ text, only: (body) => !summarizes(body) }))],
};

// What a program has when it prints a stream, as programs.mjs says it.
const having = { background: (a) => a.background, helper: (a) => a.helper, compaction: (a) => a.small, queue: (a) => a.talks };

// helps says whether a request is a sub-agent's, and summarizes whether it wants a summary.
const helps = (body) => !JSON.stringify(body.messages ?? body.input ?? body.contents).includes("do the helper");
const summary = "<summary>The user asked, and a command said something.</summary>";
const summarizes = (body) => {
	const last = (body.messages ?? body.input ?? body.contents).at(-1);
	return last.role === "user" && /detailed summary|CONTEXT CHECKPOINT|anchored summary|state_snapshot|summariz/i.test(JSON.stringify(last));
};

const sess = (input, tool, ...args) => sessIn(process.env, input, tool, ...args);

function sessIn(env, input, tool, ...args) {
	const r = spawnSync(tool, args, { env, input, encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status !== 0) throw new Error(`${tool} ${args.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout;
}

const entriesOf = (text) => text.split("\n").filter(Boolean).map((l) => JSON.parse(l));
const messagesOf = (text) => entriesOf(text).filter((e) => e.type === "message").map((e) => e.message);

// unsaid are replies that are stored and not printed: codex stores a summary as one, and Qwen Code answers one itself.
const unsaid = /^\[\{"type":"text","text":"(?:<summary>|Got it. Thanks for the additional context!)/;

// said returns what is compared of entries.
function said(entries, { log, brief, thoughtless, compacts }) {
	const out = [];
	for (const { type, summary, copy, message: m } of entries) {
		if (type === "compaction" && compacts === "entry") out.push(["compaction", summary]);
		if (type !== "message" || copy) continue;
		if (m.role !== "assistant" && m.role !== "toolResult") continue;
		if (unsaid.test(JSON.stringify(m.content))) continue;
		const content = typeof m.content === "string" ? [{ type: "text", text: m.content }] : m.content;
		if (m.stopReason === "error" && content.every((b) => b.text === m.errorMessage)) continue;
		if (log && m.role === "toolResult") continue;
		if (brief && m.role === "toolResult") {
			out.push([m.role, m.toolCallId, m.isError]);
			continue;
		}
		const said = out.push(["reply"]);
		for (const b of content) {
			if (b.type === "toolCall") out.push(["call", b.name, b.arguments.cmd ?? (b.name === "spawn_agent" ? b.arguments.message ?? b.arguments.prompt : b.arguments), log ? "" : b.id]);
			else if (b.type === "thinking") out.push(...log || thoughtless ? [] : [[m.role, "thinking", b.thinking]]);
			else out.push([m.role, b.type, b.text ?? b.data, m.toolCallId, m.isError]);
		}
		if (log || m.role === "toolResult" || out.length === said) out.splice(said - 1, 1);
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
	if (scenario === "compaction") a.small(dir);
	if (scenario === "retry") Object.assign(env, a.again?.(dir));
	sess("", "sess-new", "--cwd", join(dir, "project"), "-o", file);
	if (scenario === "queue") return queued(name, file, prompt, { cwd: join(dir, "project"), env });
	const image = scenario === "image" && name !== "claude" ? join(dir, "project/p.png") : "";
	const argv = [file, "--prompt", prompt, "--", ...a.argv(programs[name], prompt, { image })];
	if (scenario !== "interrupt") return { prompt, env, ...await run(["sess-record", ...argv], { cwd: join(dir, "project"), env }) };
	return new Promise((resolve) => {
		const child = spawn("sess-record", argv, { cwd: join(dir, "project"), env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
		const out = { prompt, stdout: "", stderr: "" };
		for (const s of ["stdout", "stderr"]) child[s].setEncoding("utf8").on("data", (d) => { out[s] += d; });
		server.stopped(who).then(() => setTimeout(() => process.kill(-child.pid, "SIGINT"), 1500));
		child.on("close", (status, signal) => resolve({ ...out, status: status ?? signal }));
	});
}

// queued runs an agent that takes prompts while it works: the second comes during the first turn. Claude Code is told to compact
// in between.
function queued(name, file, prompt, { cwd, env }) {
	const a = agents[name], later = name === "claude" ? ["/compact", "and now?"] : [];
	return new Promise((resolve) => {
		const child = spawn("sess-record", [file, "--prompt", prompt, "--", ...a.argv(programs[name], undefined, { talk: true })], { cwd, env, timeout: 120_000 });
		const out = { prompt, env, stdout: "", stderr: "" };
		const say = (content) => child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`);
		let asked = false, turns = 0;
		child.stdin.on("error", () => {});
		for (const s of ["stdout", "stderr"]) {
			child[s].setEncoding("utf8").on("data", (d) => {
				out[s] += d;
				if (!asked && /"type":"tool_use"[^]*\n/.test(out.stdout)) {
					asked = true;
					setTimeout(() => say("queued"), 300);
				}
				const ended = out.stdout.split('"type":"result"').length - 1 - (a.replays ? 0 : 1); // without, the queued prompt has a turn of its own
				for (; turns < ended; turns++) turns < later.length ? say(later[turns]) : child.stdin.end();
			});
		}
		say(prompt);
		child.on("close", (status, signal) => resolve({ ...out, status: status ?? signal }));
	});
}

// ended says which call of a recording ended otherwise than in what the agent stored. The work of sub-agents is in sessions of their own,
// a log ends before what it left behind, and a stream without exit codes tells of a command alone that it had a result.
function ended(recorded, stored, { background, codeless }) {
	const rows = (file) => entriesOf(spawnSync("sess-calls", ["--json", file], { encoding: "utf8" }).stdout).filter((c) => !c.in) // status 1 is none
		.map((c) => JSON.stringify([c.kind, c.command ?? (c.kind === "agent" ? null : c.target), ...codeless && c.kind === "run" && c.outcome !== "open" ? [] : [c.outcome, c.status]])).sort();
	const [mine, theirs] = [recorded, stored].map(rows);
	for (let i = 0; i < Math.max(mine.length, theirs.length); i++) {
		if (mine[i] !== theirs[i] && !(background && /"open",null]$/.test(mine[i] ?? ""))) return `a call ended as ${mine[i]}, stored is ${theirs[i]}`;
	}
	return "";
}

// more says what is wrong with what a scenario is about, beside the messages.
function more(name, scenario, file, entries, stored, who) {
	const a = agents[name], wrong = [], count = (text) => entries.filter((e) => e.message?.role === "user" && JSON.stringify(e.message.content).includes(text)).length;
	const calls = () => entriesOf(sess("", "sess-calls", "--json", file));
	if (scenario === "background") {
		const [started] = calls().filter((c) => /echo late/.test(c.command));
		const ended = a.ends || a.log && entries.some((e) => e.message?.role === "toolResult"); // codex says so if it ends within the turn
		if (started?.outcome !== (ended ? "ok" : "open")) wrong.push(`the command in the background is ${JSON.stringify(started)}`);
	} else if (scenario === "helper") {
		const inside = calls().filter((c) => c.in).map((c) => c.command);
		if (!isDeepStrictEqual(inside, a.inside ? ["echo sub"] : [])) wrong.push(`of the sub-agent is recorded ${JSON.stringify(inside)}`);
	} else if (scenario === "queue") {
		if (count("queued") !== (a.replays ? 1 : 0)) wrong.push(`the queued prompt is recorded ${count("queued")} times`);
		const at = entries.findIndex((e) => e.message?.role === "user" && JSON.stringify(e.message.content).includes("queued"));
		if (a.replays && entries[at - 1]?.message?.role !== "toolResult") wrong.push(`the queued prompt is behind ${JSON.stringify(entries[at - 1])}`);
		if (name === "claude" && (count("<") > 0 || count("and now?") !== 1)) wrong.push("the prompts of the user are others");
	} else if (scenario === "compaction") {
		const theirs = stored.find((e) => e.type === "compaction"), [beside] = entries.filter((e) => e.customType === "sess-record:compaction");
		if (!theirs?.summary.includes("a command said something")) wrong.push(`it stored ${JSON.stringify(theirs)}`);
		if (a.compacts === "beside" && beside?.data.summary !== theirs?.summary) wrong.push(`recorded is ${JSON.stringify(beside)}`);
		if (a.compacts === "entry") { // its model sees what the recording says that it sees
			const seen = JSON.stringify(server.asked(who).at(-1)), ours = sess("", "sess-path", "--as", "openai", file);
			for (const [text, there] of [["a command said something", true], ["Looking.", false]]) {
				if (seen.includes(text) !== there || ours.includes(text) !== there) wrong.push(`${text} is ${there ? "not " : ""}in sight`);
			}
		}
	} else if (scenario === "retry") {
		if (!JSON.stringify(entries.findLast((e) => e.message?.role === "assistant").message.content).includes("After a retry.")) wrong.push("it did not try again");
		return wrong.join("; ");
	} else if (scenario !== "turn") return "";
	if (a.mute) return wrong.join("; ");
	const { tokens: t } = JSON.parse(sess("", "sess-stat", "--usage", "--json", file).trim().split("\n").at(-1));
	const used = { input: t.input + t.cacheRead + t.cacheWrite, cached: t.cacheRead, output: t.output };
	if (!isDeepStrictEqual(used, server.spent(who))) wrong.push(`recorded ${JSON.stringify(used)}, the model has counted ${JSON.stringify(server.spent(who))}`);
	return wrong.join("; ");
}

async function wrong(name, scenario) {
	const dir = join(work, name, scenario), file = join(work, name, `${scenario}.jsonl`);
	mkdirSync(dir, { recursive: true });
	const r = await recorded(name, scenario, dir, file);
	if (!r.stdout && scenario !== "interrupt") return `it printed nothing, status ${r.status}: ${r.stderr}`;
	if (scenario !== "interrupt") {
		const stderr = scenario === "compaction" && agents[name].compacts === "beside" ? r.stderr.replace(/^.*a compaction is recorded as a custom entry.*$/m, "") : r.stderr;
		const wrong = warned(agents[name], stderr);
		if (wrong) return wrong;
	}
	sess("", "sess-check", file);
	const entries = entriesOf(readFileSync(file, "utf8")), ours = entries.filter((e) => e.type === "message").map((e) => e.message);
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
	const id = entries.find((e) => e.customType === "sess:run")?.data.sessionId;
	const own = entriesOf(sess(sessIn(r.env, "", "sess-import", "-q", format, ...id ? [`--session=${id}`] : [stored[0]]), "sess-path", "-q", "--as", "entries"));
	const mine = said(entries, agents[name]), theirs = said(own, agents[name]);
	for (let i = 0; i < Math.max(mine.length, theirs.length); i++) {
		if (!isDeepStrictEqual(mine[i], theirs[i])) return `part ${i + 1}: recorded ${JSON.stringify(mine[i])?.slice(0, 400)}, stored ${JSON.stringify(theirs[i])?.slice(0, 400)}`;
	}
	if (mine.length === 0 && scenario !== "error") return "nothing was said";
	const kept = join(work, name, `${scenario}-stored.jsonl`);
	writeFileSync(kept, sessIn(r.env, "", "sess-import", "-q", format, ...id ? [`--session=${id}`] : [stored[0]]));
	const differ = ended(file, kept, { background: scenario === "background" && agents[name].log, codeless: agents[name].codeless });
	if (differ) return differ;
	return more(name, scenario, file, entries, own, `${name}-${scenario}`);
}

// resumed has pi go on with a recording: it has to send its model all that was said.
async function resumed(name, pi) {
	const file = join(work, name, `turn-${pi}.jsonl`), dir = join(work, name, `resumed-${pi}`), who = `resumed-${name}-${pi}`;
	copyFileSync(join(work, name, "turn.jsonl"), file);
	server.play(who, [{ text: "Going on." }]);
	const env = { PATH: process.env.PATH, ...homes.pi(dir, `${server.url(who)}/v1`) };
	const r = await run([programs[pi], "--mode", "json", "--session", file, "--provider", "mock", "--model", model, "and now?"], { cwd: join(work, name, "turn/project"), env });
	const request = JSON.stringify(server.asked(who).at(-1)?.messages ?? []);
	for (const text of ["do the turn", "Reading both.", ...agents[name].brief ? [] : ["zwei 😀"], "One was missing and the command failed. 😀", "and now?"]) {
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
// A third is drawn, but for turns: others go on with them.
const could = Object.keys(programs).flatMap((name) => [...Object.keys(scenarios), "pi-0.87", "pi-1.5"].filter((what) => what !== "turn" && (!having[what] || having[what](agents[name]))).map((what) => `${name} ${what}`));
const asked = drawn(could);
await eachOf(Object.keys(programs), async (name) => {
	for (const scenario of Object.keys(scenarios)) {
		if (scenario !== "turn" && !asked.includes(`${name} ${scenario}`)) continue;
		await guarded(`sess-record ${name}: ${scenario}`, () => wrong(name, scenario));
	}
	for (const more of name === "claude" ? [[], ["--include-partial-messages"]] : []) {
		await guarded(`what is recorded of ${name} adds up${more.map((flag) => `, without ${flag}`)}`, () => totals(more));
	}
	for (const pi of ["pi-0.87", "pi-1.5"].filter((pi) => programs[pi] && asked.includes(`${name} ${pi}`))) await guarded(`${pi} goes on with what is recorded of ${name}`, () => resumed(name, pi));
});
tally.end("recordings of agents");
process.exit();
