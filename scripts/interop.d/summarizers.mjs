// Has real programs write the summaries of sess-compact, with a model that
// answers, has nothing to say, does not know the key, has no room, or never
// answers.
//
//   node summarizers.mjs WORK PROGRAM...
//
// A program is pi, codex or opencode. They and the tools are in PATH, and WORK is a
// directory for sessions and homes. What the programs do then is their own: pi
// says nothing of a prompt that is too long and ends with 0. Prints one line a
// check and ends with status 1 if one fails.
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "./mock.mjs";
import { Tally, eachOf, homes, run } from "./real.mjs";

const [work, ...programs] = process.argv.slice(2);

const commands = {
	pi: ["pi", "-p", "--no-session", "-nt", "-ne", "-ns", "-np", "-nc"],
	codex: ["codex", "exec", "--ephemeral", "--skip-git-repo-check", "-s", "read-only", "-"],
	opencode: ["opencode", "run"],
};

// what is in the error message of each
const blank = /the reply is blank/, mute = /the reply is blank and no error was printed; the prompt may be too long/;
const errors = {
	pi: { empty: mute, key: /exit status 1: 401: .*Incorrect API key/, overflow: mute },
	codex: { empty: blank, key: /exit status 1.*401 Unauthorized/s, overflow: /exit status 1.*ran out of room in the model's context window/s, never: /no answer within/ },
	opencode: { empty: blank, key: /exit status 1.*Incorrect API key/s, overflow: /exit status 1.*maximum context length/s },
};

// A case of a program: what the model answers, the session, and what comes of it:
// in requests the number of them, if the program asks for nothing but the summary.
const cases = {
	good: { answer: "good", session: "short", requests: 1 },
	split: { answer: "good", session: "long", requests: 2 },
	environment: { answer: "good", session: "short", requests: 1, environment: true },
	room: { answer: "good-9000", session: "long" },
	empty: { answer: "empty", session: "short", fails: true, requests: 1 },
	key: { answer: "key", session: "short", fails: true, requests: 1 },
	overflow: { answer: "overflow", session: "short", fails: true, requests: 1 },
	never: { answer: "never", session: "short", fails: true, flags: ["--timeout", "8s"] },
};
const jobs = { // opencode takes its time to start
	opencode: ["good", "empty", "key", "overflow"],
	codex: ["good", "split", "room", "empty", "key", "overflow", "never"],
	pi: ["good", "split", "environment", "empty", "key", "overflow"],
};

const keep = { short: "600", long: "300" };

function sess(input, tool, ...args) {
	const r = spawnSync(tool, args, { input, encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status !== 0) throw new Error(`${tool} ${args.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout;
}

// Of the short session one message is summarized, too little to leave any out; the
// long one is cut within a turn.
function sessions() {
	const words = (n) => Array.from({ length: n }, (_, i) => `word${i}`).join(" ");
	const user = (n) => ({ role: "user", content: `what about ${n}? ${words(250)}` });
	const reply = (n) => ({ role: "assistant", content: [{ type: "text", text: `this about ${n}: ${words(250)}` }] });
	const turns = [1, 2, 3, 4, 5, 6].flatMap((n) => [user(n), reply(n)]);
	for (const [name, messages] of [["short", [user(0), ...turns.slice(0, 2)]], ["long", turns]]) {
		const file = join(work, `${name}.jsonl`);
		sess("", "sess-new", "--cwd", "/", "-o", file);
		sess(messages.map((m) => JSON.stringify(m) + "\n").join(""), "sess-append", "--entries", "-f", "-", file);
		const plan = JSON.parse(sess("", "sess-compact", "--plan", "--keep", keep[name], file));
		if (plan.isSplitTurn !== (name === "long") || name === "short" && plan.messagesToSummarize.length !== 1) {
			throw new Error(`the ${name} session is cut otherwise: ${JSON.stringify(plan)}`);
		}
	}
}
const tally = new Tally();
const server = await serve();
sessions();
await eachOf(programs.flatMap((program) => jobs[program].map((name) => [program, name])), check, 3);
tally.check("the summarizers ask their models for nothing else", server.strangers.join(", "));
server.close();
tally.end(`summaries by ${programs.join(", ")}`);
process.exit();

async function check([program, name]) {
	const c = cases[name], who = `${program}-${name}`, dir = join(work, who), file = join(work, `${who}.jsonl`);
	const env = { ...homes[program](dir, server.url(c.answer, who)), PATH: process.env.PATH };
	copyFileSync(join(work, `${c.session}.jsonl`), file);
	const before = readFileSync(file, "utf8"), flags = ["--keep", keep[c.session], "--retries", "0", ...c.flags ?? ["--timeout", "4m"]];
	const prompt = sess("", "sess-compact", "--print-prompt", "--keep", keep[c.session], file).trim();
	if (c.environment) env.SESS_SUMMARIZER = commands[program].join(" ");
	const r = await run(["sess-compact", ...flags, file, ...c.environment ? [] : ["--", ...commands[program]]], { cwd: join(dir, "project"), env });
	const requests = server.asked(who), after = readFileSync(file, "utf8");
	const wrong = [];
	const expect = (ok, what) => ok || wrong.push(what);
	if (c.fails) {
		expect(r.status === 5, `status ${r.status}, not 5`);
		expect(r.stdout === "", "something on standard output");
		expect(r.stderr.startsWith(`sess-compact: running ${program}: `), "the message does not begin with the program");
		expect(errors[program][name].test(r.stderr), `the message is not ${errors[program][name]}`);
		expect(after === before, "the session has changed");
	} else {
		expect(r.status === 0, `status ${r.status}`);
		expect(after.startsWith(before) && after.slice(before.length).split("\n").length === 2, "not one line more");
		wrong.push(...entryErrors(name, after.slice(before.length), r.stdout));
	}
	if (c.session === "short" && name !== "never") expect(requests.some((body) => said(body).some((text) => text.includes(prompt))), "the prompt did not arrive as --prompt prints it");
	if (c.requests && program !== "opencode") expect(requests.length === c.requests, `${requests.length} requests, not ${c.requests}`);
	if (name === "room") expect(/the oldest \d messages? left out of the prompt/.test(r.stderr), "no word on what was left out");
	expect(!r.stderr.includes("word200"), "the prompt is on standard error");
	expect(await server.idle(who), "a request is still open");
	tally.check(`${program}: ${name}`, wrong.length > 0 && `${wrong.join("; ")}\n  status ${r.status}: ${r.stderr}`);
}

// entryErrors are what is wrong with the entry that was appended.
function entryErrors(name, line, id) {
	let entry;
	try {
		entry = JSON.parse(line);
	} catch {
		return ["the line is no JSON"];
	}
	const wrong = [];
	if (entry.type !== "compaction" || entry.id !== id.trim()) wrong.push("not the entry whose id was printed");
	if (!entry.summary?.startsWith("## Goal\nWhat the mock model was asked for.\n")) wrong.push(`the summary is ${entry.summary}`);
	if (name === "split" && !entry.summary?.includes("\n## Original Request\nWhat the turn began with.")) wrong.push("no summary of the turn");
	if (entry.details?.summarizer !== "command") wrong.push("not a command's summary");
	if (name === "room" && !(entry.details?.dropped > 0)) wrong.push("nothing was left out");
	if (name !== "room" && entry.details?.dropped) wrong.push("something was left out");
	return wrong;
}

// said are the texts of the user in a request.
function said(body) {
	return (body.messages ?? body.input).filter((m) => m.role === "user").flatMap((m) => typeof m.content === "string" ? [m.content] : m.content.map((b) => b.text ?? ""));
}
