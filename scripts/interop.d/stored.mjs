// Has real agents that are read by maps make a session, and compares what sess-import reads of what they store with what
// the mock saw and answered: texts, calls, results in their order, failing ones, the statuses of commands, and the usage to the token.
// sess-ls finds the session by the name of the agent, and has its directory, title and times. Where it prints how the session is gone
// on with, that line goes on.
//
//   node stored.mjs WORK NAME=PROGRAM...
//
// A NAME is one of programs.mjs; cline, continue, copilot, droid, gemini, grok, kilo, kimi, openclaw and qwen are looked at. The tools are in PATH, and WORK is a directory
// for homes. Prints one line a check and ends with status 1 if one fails.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { serve } from "./agents.mjs";
import { programs as agents, standIn } from "./programs.mjs";
import { Tally, drawn, eachOf, run } from "./real.mjs";

const [work, ...given] = process.argv.slice(2);
const programs = Object.fromEntries(given.map((g) => g.split(/=(.*)/s)).filter(([name]) => ["cline", "continue", "copilot", "droid", "gemini", "grok", "kilo", "kimi", "openclaw", "qwen"].includes(name)));
const server = await serve();
const prompt = "Which words stand in a.txt, and what does the command say?";

// listed returns the rows of sess-ls that an agent has, and imported the entries of the session of a row.
const listed = (name, env) => lines(sess(env, "sess-ls", "-q", "-a", "--json", "--agent", name));
const imported = (name, row, env) => lines(sess(env, "sess-import", "-q", "-o", "-", name, "--session", row.session));
const lines = (text) => text.split("\n").filter(Boolean).map((l) => JSON.parse(l));

function sess(env, ...argv) {
	const r = spawnSync(argv[0], argv.slice(1), { env, encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status !== 0) throw new Error(`${argv.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout;
}

// described says what is wrong with the row of a session that was made in a directory since a time in ms.
function described(row, { project, since }) {
	const wrong = [], [created, modified] = [row.created, row.modified].map(Date.parse);
	if (row.cwd !== project) wrong.push(`its directory is ${row.cwd}`);
	if (!row.title) wrong.push("it has no title");
	if (!row.firstMessage?.includes(prompt)) wrong.push(`its first message is ${row.firstMessage}`);
	if (!(created >= since - 1000 && created <= modified && modified <= Date.now() + 1000)) wrong.push(`it was made at ${row.created} and modified at ${row.modified}`);
	return wrong;
}

async function wrong(name) {
	const a = agents[name], dir = join(work, name), who = `stored-${name}`, project = join(dir, "project");
	const env = { PATH: process.env.PATH, ...a.home(dir, server.url(who)) };
	mkdirSync(project, { recursive: true });
	writeFileSync(join(project, "a.txt"), "eins\n");
	const script = [
		{ text: "Looking at both.", calls: [a.read(join(project, "a.txt")), a.bash("echo zwei")] },
		{ text: "One more.", calls: [a.read(join(project, "missing.txt")), a.bash("echo out; exit 3")] },
		{ text: "It says eins, and the command says zwei. 😀" },
	];
	server.play(who, structuredClone(script));
	const since = Date.now(), r = await run(a.argv(programs[name], prompt), { cwd: project, env });
	const [, file] = a.stored(dir);
	if (r.status !== 0 || !file) return `status ${r.status}, and it stored ${file}: ${r.stderr}`;
	const rows = listed(name, env), [row] = rows;
	if (rows.length !== 1) return `sess-ls has ${rows.length} sessions`;
	const entries = imported(name, row, env), messages = entries.filter((e) => e.type === "message").map((e) => e.message);
	const text = (m) => (typeof m.content === "string" ? m.content : m.content.filter((b) => b.type === "text").map((b) => b.text).join(""));
	const differs = described(row, { project, since }), replies = messages.filter((m) => m.role === "assistant"), answers = messages.filter((m) => m.role === "toolResult");
	const calls = replies.flatMap((m) => m.content.filter((b) => b.type === "toolCall"));
	const results = calls.map((c) => answers.find((m) => m.toolCallId === c.id)); // those of calls side by side stand as they came
	if (messages.filter((m) => m.role === "user" && text(m).includes(prompt)).length !== 1) differs.push("the prompt is not there once");
	const texts = replies.map(text).filter(Boolean).join("|"), wanted = script.map((s) => s.text).join("|");
	if (texts !== wanted) differs.push(`the replies are ${texts}`);
	const asked = script.flatMap((s) => s.calls ?? []);
	if (calls.map((c) => c.name).join() !== asked.map((c) => c.name).join()) differs.push(`the calls are ${calls.map((c) => c.name)}`);
	asked.forEach((c, n) => { for (const [k, v] of Object.entries(c.args)) if (!isDeepStrictEqual(calls[n]?.arguments[k], v)) differs.push(`${c.name} has ${k} ${JSON.stringify(calls[n]?.arguments[k])}`); });
	if (answers.length !== 4 || results.length !== 4 || !results.every(Boolean)) differs.push(`the results are of ${answers.map((m) => m.toolCallId)}`);
	for (const [n, has] of [[0, "eins"], [1, "zwei"]]) if (!results[n] || !text(results[n]).includes(has)) differs.push(`result ${n + 1} is ${results[n] && text(results[n])}`);
	if (results[0]?.isError || results[1]?.isError || !results[2]?.isError) differs.push(`the failed results are ${results.map((m) => m?.isError)}`);
	const statuses = lines(sess(env, "sess-calls", "--json", row.address)).filter((c) => c.kind === "run").map((c) => `${c.command}: ${c.status ?? c.outcome}`);
	if (!/^echo zwei: (0|ok),echo out; exit 3: /.test(statuses) || !statuses[1].endsWith(a.silent ? ": ok" : ": 3")) differs.push(`the commands are ${statuses}`);
	const prompts = lines(sess(env, "sess-history", "-q", "-a", "--json", "--agent", name));
	if (prompts.length !== 1 || !prompts[0].text.includes(prompt)) differs.push(`sess-history has ${JSON.stringify(prompts)}`);
	const usages = entries.map((e) => e.message?.usage ?? (e.type === "usage" ? e.usage : undefined)).filter(Boolean), spent = server.spent(who);
	const sum = (f) => usages.reduce((n, u) => n + f(u), 0);
	const used = { input: sum((u) => u.input + u.cacheRead + u.cacheWrite), cached: sum((u) => u.cacheRead), output: sum((u) => u.output) };
	for (const k of Object.keys(used)) if (used[k] !== spent[k]) differs.push(`${k} is ${used[k]} tokens, and the mock counted ${spent[k]}`);
	return differs.length > 0 ? `${differs.join("; ")}\n  ${file}` : "";
}

// goOn is what goes on with the newest session of the directory, for an agent whose sessions have no line that resumes.
const goOn = { continue: ["--resume"], gemini: ["--resume", "latest"], kimi: ["-c"], openclaw: [] };

// What the line that resumes prints where the agent goes on in a terminal alone: it knows the words of the line, and else says so.
const interactive = { cline: /interactive mode requires a TTY/ };

// alone is why an agent cannot go on here.
const alone = { droid: "it asks its account first" };
const again = "And what did I ask first?";

// parts lists what a request has of the conversation: texts of the user and of the model, calls and results.
function parts(body) {
	const out = [], text = (c) => (typeof c === "string" ? c : (c ?? []).map((b) => b.text ?? "").join(""));
	for (const m of body.contents ?? []) {
		for (const p of m.parts) {
			if (p.functionCall) out.push(["call", p.functionCall.name, p.functionCall.args]);
			else if (p.functionResponse) out.push(["result", p.functionResponse.response.output ?? p.functionResponse.response.error]);
			else if (p.text && !p.thought) out.push([m.role === "model" ? "reply" : "user", p.text]);
		}
	}
	for (const m of body.messages ?? []) {
		if (m.role === "tool") out.push(["result", text(m.content)]);
		else if (m.role === "user" || m.role === "assistant") {
			if (text(m.content)) out.push([m.role === "user" ? "user" : "reply", text(m.content)]);
			for (const c of m.tool_calls ?? []) out.push(["call", c.function.name, JSON.parse(c.function.arguments)]);
		}
	}
	return out;
}

// own says what an agent adds when it goes on, beside words in the user's name and in front of a result: Qwen Code answers
// its own first words, and Gemini CLI 0.61 sends each result twice.
const own = {
	qwen: (what) => what === "Got it. Thanks for the context!",
	gemini: (what, n, all) => all[n][0] === "result" && all.findIndex(([k, w]) => k === "result" && JSON.stringify(w) === JSON.stringify(what)) < n,
};

// wentOn has the agent go on with its session. Its model has to see what sess-path says that it sees.
async function wentOn(name) {
	const a = agents[name], dir = join(work, name), who = `stored-${name}`, project = join(dir, "project");
	const env = { PATH: process.env.PATH, ...a.home(dir, server.url(who)) };
	const [row] = listed(name, env), before = parts({ messages: JSON.parse(sess(env, "sess-path", "-q", "--as", "openai", row.address)) });
	server.play(who, [{ text: "You asked for the words." }]);
	const [program, ...argv] = a.argv(programs[name], again);
	if (!row.resume === !goOn[name]) return `the line that resumes is ${row.resume}`;
	if (interactive[name]) {
		const r = await run(["sh", "-c", row.resume], { cwd: dir, env: { ...env, PATH: `${standIn(name, dir, program)}:${env.PATH}` } });
		return interactive[name].test(r.stderr) ? "" : `${row.resume}: status ${r.status}: ${r.stderr}`;
	}
	const r = await (row.resume
		? run(["sh", "-c", row.resume], { cwd: dir, env: { ...env, PATH: `${standIn(name, dir, program)}:${env.PATH}`, again } })
		: run([program, ...goOn[name], ...argv], { cwd: project, env }));
	const request = server.asked(who).find((body) => JSON.stringify(body).includes(again));
	if (r.status !== 0 || !request) return `status ${r.status}: ${(r.stderr || r.stdout).slice(-600)}`;
	const seen = parts(request).filter(([, what], n, all) => !own[name]?.(what, n, all)), wrong = [];
	let at = 0;
	for (const [kind, what, args] of before) {
		const n = seen.findIndex(([k, w], i) => (i >= at || kind === "result") && k === kind && (w === what || ["user", "result"].includes(kind) && String(w).includes(String(what).trim())));
		if (n < 0) wrong.push(`its model is not shown the ${kind} ${JSON.stringify(what).slice(0, 200)}${args ? JSON.stringify(args) : ""}`);
		else if (kind !== "result") at = n + 1; // those of calls side by side stand in any order
	}
	for (const kind of ["reply", "call", "result"]) {
		const [ours, theirs] = [before, seen].map((list) => list.filter(([k]) => k === kind).length);
		if (ours !== theirs) wrong.push(`its model is shown ${theirs} of the kind ${kind}, and sess-path has ${ours}`);
	}
	const after = listed(name, env);
	if (after.length !== 1) wrong.push(`it is ${after.length} sessions now`);
	if (!JSON.stringify(imported(name, row, env)).includes("You asked for the words.")) wrong.push("the answer is not in the session");
	return wrong.slice(0, 5).join("; ");
}

const tally = new Tally();
await eachOf(drawn(Object.keys(programs)), async (name) => {
	let why;
	try { why = await wrong(name); } catch (e) { why = e.stack; }
	if (!tally.check(`what ${name} stores, imported, is what the mock saw`, why)) return;
	if (alone[name]) return console.log(`skip ${name} does not go on: ${alone[name]}`);
	try { why = await wentOn(name); } catch (e) { why = e.stack; }
	tally.check(interactive[name] ? `${name} knows the line that goes on` : `${name} goes on, and its model sees what sess-path --as openai says`, why);
});
tally.end("stored sessions of agents");
process.exit();
