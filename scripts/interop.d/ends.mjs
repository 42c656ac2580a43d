// Has sess-record record real agents that answer, fail, are killed, or say nothing, and looks whether the
// session says what happened: the prompt once, in the user's words; the answer, or why there is none; the
// status; and the tokens that the model's server counted. Then the whole job of docs/ci.md, with a model
// that fails.
//
//   node ends.mjs WORK CI NAME=PROGRAM...
//
// CI is the text of docs/ci.md, and a NAME is one of programs.mjs. The tools are in PATH, and WORK is a directory for
// homes. Prints one line a check and ends with status 1 if one fails.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { refusal, serve } from "./agents.mjs";
import { programs, warned } from "./programs.mjs";
import { Tally, drawn, eachOf, run } from "./real.mjs";

const [work, ci, ...given] = process.argv.slice(2);
const paths = Object.fromEntries(given.map((g) => g.split(/=(.*)/s)).filter(([name]) => !programs[name]?.unrecorded));
const server = await serve();
const prompt = "Read a.txt <now> & say what \"it\" says: é 😀";
const story = "Once upon a time there was a fox who never finished this";

// What is asked of a program that is killed reaches it by this: a shell that becomes the program says its id.
const known = (file, argv) => ["sh", "-c", 'echo $$ >"$0"; exec "$@"', file, ...argv];

// A case is a script of the model; how the prompt is given; and what the session and the status have to be.
// Programs that try again and again are stopped; how long they may take says nothing about what is recorded.
const answers = (a, dir) => [{ text: "I will read it.", calls: [a.read(join(dir, "project/a.txt"))] }, { text: "It says eins. 😀" }];
const cases = {
	answer: { script: answers, is: answered },
	stdin: { script: answers, stdin: true, is: answered },
	500: { script: () => [{ status: 500, always: true }], flags: ["--fail-on-error"], stop: 15, is: refused },
	429: { script: () => [{ status: 429, always: true }], flags: ["--fail-on-error"], stop: 15, is: refused },
	killed: { script: () => [{ text: story, hang: true, always: true }], kill: "SIGKILL", is: killed },
	silent: { script: () => [{ silent: true, always: true }], stop: 8, is: silent },
};

function sess(tool, ...args) {
	const r = spawnSync(tool, args, { encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status !== 0) throw new Error(`${tool} ${args.join(" ")}: status ${r.status}: ${r.stdout}${r.stderr}`);
	return r.stdout;
}

// recorded runs a program in a case, and returns what it printed and its session.
async function recorded(name, which) {
	const c = cases[which], a = programs[name], who = `${name}-${which}`, dir = join(work, name, which), file = join(dir, "session.jsonl");
	const env = { PATH: process.env.PATH, ...a.home(dir, server.url(who)) }, cwd = join(dir, "project"), pid = join(dir, "pid");
	writeFileSync(join(cwd, "a.txt"), "eins\n");
	writeFileSync(join(dir, "prompt"), prompt);
	server.play(who, c.script(a, dir));
	const command = a.argv(paths[name], c.stdin ? undefined : prompt);
	// A machine that is busy may need longer until the program asks at all.
	let r;
	for (let stop = c.stop && (a.stubborn || which === "silent") ? c.stop : 120; ; stop *= 2) {
		const argv = ["sess-record", file, "--create", ...c.stdin ? ["--prompt-file", join(dir, "prompt")] : ["--prompt", prompt],
			...c.flags ?? [], "--timeout", `${stop}s`, "--", ...c.kill ? known(pid, command) : command];
		r = await (c.kill ? ended(argv, { cwd, env }, a, who, pid, c.kill) : run(argv, { cwd, env }));
		if (server.asked(who).length > 0 || stop >= 120) break;
		rmSync(file);
	}
	writeFileSync(join(dir, "events"), r.stdout);
	const entries = readFileSync(file, "utf8").split("\n").filter(Boolean).map((l) => JSON.parse(l));
	const messages = entries.filter((e) => e.type === "message").map((e) => e.message);
	return { ...r, name, which, file, a, asked: server.asked(who).length, spent: server.spent(who), messages, last: messages.findLast((m) => m.role === "assistant"),
		end: entries.findLast((e) => e.customType === "sess:run")?.data };
}

// ended runs a recording whose program is sent a signal, with all that it has started, when the model has
// begun to speak and the program, if it prints texts piece by piece, has printed the line of the first.
function ended(argv, options, a, who, pid, signal) {
	return new Promise((resolve) => {
		const child = spawn(argv[0], argv.slice(1), { ...options, stdio: ["ignore", "pipe", "pipe"] });
		const out = { stdout: "", stderr: "" };
		let spoken = false, done = false;
		const end = () => {
			if (done || !spoken || a.pieces && !(a.piece ?? /Once upon/).test(out.stdout.slice(0, out.stdout.lastIndexOf("\n") + 1))) return;
			done = true;
			process.kill(-readFileSync(pid, "utf8").trim(), signal);
		};
		for (const s of ["stdout", "stderr"]) child[s].setEncoding("utf8").on("data", (d) => { out[s] += d; end(); });
		server.stopped(who).then(() => { spoken = true; end(); });
		child.on("close", (status, by) => resolve({ ...out, status: status ?? by }));
	});
}

const textOf = (m) => typeof m.content === "string" ? m.content : m.content.filter((b) => b.type === "text").map((b) => b.text).join("");
const number = (n) => n ?? 0;

// wrong says what every session has to be, and then what the case is about.
async function wrong(name, which) {
	const r = await recorded(name, which), wrong = [];
	const expect = (ok, what) => ok || wrong.push(what);
	const users = r.messages.filter((m) => m.role === "user").map(textOf);
	expect(isDeepStrictEqual(users, [prompt]), `the user said ${JSON.stringify(users).slice(0, 500)}`);
	expect(r.asked > 0, "the model was not asked");
	expect(r.end?.command?.length > 0, `the last sess:run is ${JSON.stringify(r.end)}`);
	const found = spawnSync("sess-check", [r.file], { encoding: "utf8" }).stdout;
	expect(!/ error |time-backward/.test(found), `sess-check: ${found}`);
	cases[which].is(r, expect);
	if (wrong.length === 0) return "";
	return `${wrong.join("\n  ")}\n  status ${r.status}, ${r.file}, newest answer ${JSON.stringify(r.last)?.slice(0, 600)}, ${JSON.stringify(r.end)}\n  ${r.stderr.slice(-1000)}`;
}

function answered(r, expect) {
	expect(r.status === 0, `status ${r.status}`);
	expect(r.end?.status === 0 && !r.end.signal, `ended ${JSON.stringify(r.end)}`);
	const said = r.messages.filter((m) => m.role === "assistant"), results = r.messages.filter((m) => m.role === "toolResult");
	expect(isDeepStrictEqual(said.map(textOf).filter(Boolean), ["I will read it.", "It says eins. 😀"]), `it said ${JSON.stringify(said.map(textOf))}`);
	expect(said.flatMap((m) => m.content).filter((b) => b.type === "toolCall").length === 1 && results.length === 1, "not one call and its result");
	expect(said.at(-1).stopReason === "stop", `stopReason ${said.at(-1).stopReason}`);
	const used = { input: 0, cached: 0, output: 0 };
	for (const { usage = {} } of said) {
		used.input += number(usage.input) + number(usage.cacheRead) + number(usage.cacheWrite);
		used.cached += number(usage.cacheRead);
		used.output += number(usage.output);
	}
	const spent = r.a.mute ? { input: 0, cached: 0, output: 0 } : r.spent;
	expect(isDeepStrictEqual(used, spent), `recorded ${JSON.stringify(used)}, the model used ${JSON.stringify(spent)}`);
	const left = warned(r.a, r.stderr);
	expect(left === "", left);
}

// refused: the newest answer has the model's words, or those of the program; one that goes on trying is stopped.
function refused(r, expect) {
	const why = r.last?.errorMessage ?? "", status = Number(r.which);
	if (r.end?.timedOut) {
		expect(r.a.stubborn, "it goes on trying");
		expect(r.status === 5, `status ${r.status}, not 5`);
		return expect(/^(aborted|error)$/.test(r.last?.stopReason) && why !== "", "the newest answer is not one that failed");
	}
	expect(r.last?.stopReason === "error", `stopReason ${r.last?.stopReason}`);
	expect(why.includes(refusal(status)) || why.includes(String(status)) || r.a.words?.test(why), `the reason is ${JSON.stringify(why)}`);
	expect(r.status === (r.end?.status || 5), `status ${r.status}, and the program's ${r.end?.status}`);
	expect(r.end?.status === 0 ? r.a.polite : !r.a.polite, `the program ended with ${r.end?.status}`);
}

function killed(r, expect) {
	expect(r.status === 128 + constants.signals.SIGKILL, `status ${r.status}`);
	expect(r.end?.signal === constants.signals.SIGKILL && r.end?.status === r.status && !r.end.timedOut, `ended ${JSON.stringify(r.end)}`);
	expect(r.last?.stopReason === "aborted" && /signal|killed/.test(r.last?.errorMessage), "the newest answer is not aborted");
	if (r.a.pieces) expect(r.last && story.startsWith(textOf(r.last)) && textOf(r.last) !== "", "it has nothing of what was said");
}

function silent(r, expect) {
	expect(r.status === 5 && r.end?.timedOut === true, `status ${r.status}, ended ${JSON.stringify(r.end)}`);
	expect(r.last?.stopReason === "aborted" && textOf(r.last) === "" && r.last.errorMessage, "the newest answer is not an empty one that was aborted");
	expect(/it took longer than \S+ and was stopped/.test(r.stderr), "no word on how long it took");
}

// job is the whole job of docs/ci.md with an agent: it has to fail if the model does, and only then, and the
// session, without secrets, has to reach the remote all the same.
async function job(name, fails) {
	const a = programs[name], who = `job-${name}-${fails}`, dir = join(work, "job", `${name}-${fails ? "fails" : "answers"}`), cwd = join(dir, "project");
	const env = { PATH: `${join(dir, "bin")}:${process.env.PATH}`, ...a.home(dir, server.url(who)), SESS_DIR: join(dir, "store"), SESS_REMOTE: join(dir, "remote") };
	server.play(who, fails ? [{ status: 500, always: true }] : [{ text: "Nothing is broken." }]);
	mkdirSync(join(dir, "bin"));
	for (const [tool, text] of [["my-llm", "cat >/dev/null; echo nothing"], ["claude", `exec ${a.argv(paths[name]).map((w) => `'${w}'`).join(" ")}`]]) {
		writeFileSync(join(dir, "bin", tool), `#!/bin/sh\n${text}\n`);
		chmodSync(join(dir, "bin", tool), 0o755);
	}
	writeFileSync(join(cwd, "prompt.md"), "fix the build\n");
	sess("sess-sync", "init", env.SESS_REMOTE);
	const [, commands] = /^```sh job\n([^]*?)^```/m.exec(ci);
	const r = await run(["sh", "-e", "-c", commands.replace("sess-stat --usage --max-cost 2", "sess-stat --usage")], { cwd, env });
	const wrong = [];
	if (r.status !== (fails ? 5 : 0)) wrong.push(`status ${r.status}, not ${fails ? 5 : 0}`);
	const texts = sess("sess-path", "--as", "messages", join(cwd, "clean.jsonl"));
	for (const text of ["fix the build", fails ? refusal(500) : "Nothing is broken.", "Say in one line what is left to do."]) if (!texts.includes(text)) wrong.push(`${text} is not in the session: ${texts.slice(0, 1000)}`);
	if (!spawnSync("sess-sync", ["ls"], { encoding: "utf8", env: { ...process.env, SESS_REMOTE: env.SESS_REMOTE } }).stdout.trim()) wrong.push("nothing was pushed");
	return wrong.length > 0 ? `${wrong.join("; ")}\n  ${r.stderr}` : "";
}

const tally = new Tally();
async function check(what, f) {
	let why;
	try { why = await f(); } catch (e) { why = e.stack; }
	return tally.check(what, why);
}
// Those that wait cost nothing, and more of them may run at a time.
const all = (whiches) => drawn(Object.keys(paths).flatMap((name, n) => whiches.map((which, m) => [name, which, n + m])), ([, , number]) => number);
await eachOf(all(["500", "429", "silent"]), ([name, which]) => check(`sess-record ${name}: ${which}`, () => wrong(name, which)), 4);
await eachOf(all(["answer", "stdin", "killed"]), ([name, which]) => check(`sess-record ${name}: ${which}`, () => wrong(name, which)));
if (paths["pi-0.87"]) for (const fails of [false, true]) await check(`the job of docs/ci.md with pi, and a model that ${fails ? "fails" : "answers"}`, () => job("pi-0.87", fails));
tally.end("ends of agents");
process.exit();
