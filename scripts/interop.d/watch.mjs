// Watches real agents with sess-watch, while a mock of their model answers them: it may not say that a turn has ended, or that
// a question is asked, before the mock has sent the last byte of the reply that does so, and has to say it within two seconds
// after that; on a machine that has more to do than it has processors, within as many times two seconds.
//
//   node watch.mjs WORK NAME=PROGRAM...
//
// A NAME is one of programs.mjs; Claude Code, codex, opencode and pi are looked at, side by side. The tools are in PATH, and
// WORK is a directory for homes. Prints one line a check and ends with status 1 if one fails.
//
// Each turn is a process that goes on with one session; opencode's server has most of its turns. One sess-watch follows all of it, and three are started for each turn
// while the model keeps the agent waiting: one waits for work, one for any end, and one for the end that has to come.
//
// In print mode nobody can be asked. Claude Code asks who talks to it on standard input, codex the client of its server, and
// opencode that of its own. pi has no tool that asks: an extension brings one, as its users have them.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { availableParallelism, loadavg } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { serve } from "./agents.mjs";
import { programs as agents } from "./programs.mjs";
import { Tally, drawn, run } from "./real.mjs";

const [work, ...given] = process.argv.slice(2);
const watched = { claude: "claude", codex: "codex", opencode: "opencode", "pi-0.87": "pi", "pi-1.5": "pi" };
const paths = Object.fromEntries(drawn(given.map((g) => g.split(/=(.*)/s)).filter(([name]) => watched[name])));
const server = await serve(), tally = new Tally();
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const deferred = () => {
	let resolve;
	return { promise: new Promise((r) => { resolve = r; }), resolve };
};
const late = () => 2000 * Math.max(1, loadavg()[0] / availableParallelism());

// A door stands between an agent and the mock. It keeps the first request of a turn until it is opened, slows replies down,
// and knows when each was sent.
const doors = new Map();
const front = createServer({ keepAliveTimeout: 0 }, async (req, res) => {
	const chunks = [];
	for await (const c of req) chunks.push(c);
	const door = doors.get(req.url.split("/")[1]);
	if (req.method === "POST" && door) {
		door.asked.resolve();
		await door.opened.promise;
		await pause(door.slow);
	}
	const to = new URL(server.url("")), up = request({ host: to.hostname, port: to.port, path: req.url, method: req.method, headers: req.headers }, async (reply) => {
		const got = [];
		for await (const c of reply) got.push(c);
		const whole = Buffer.concat(got), half = whole.length >> 1;
		res.writeHead(reply.statusCode, reply.headers);
		res.write(whole.subarray(0, half));
		await pause(door?.slow ?? 0);
		door?.sent.push(Date.now()); // not later: what is behind may be read at once
		res.end(whole.subarray(half));
	});
	up.end(Buffer.concat(chunks));
});
await new Promise((resolve) => front.listen(0, "127.0.0.1", resolve));
const url = (who) => `http://127.0.0.1:${front.address().port}/${who}`;

// What a question is called, and how its call looks.
const options = [{ label: "Red", description: "as fire" }, { label: "Blue", description: "as water" }];
const asks = {
	claude: { name: "AskUserQuestion", args: { questions: [{ question: "Which colour?", header: "Colour", multiSelect: false, options }] } },
	codex: { name: "request_user_input", args: { questions: [{ id: "colour", header: "Colour", question: "Which colour?", options }] } },
	opencode: { name: "question", args: { questions: [{ question: "Which colour?", header: "Colour", options }] } },
	...Object.fromEntries(["pi-0.87", "pi-1.5"].map((name) => [name, { name: "ask_user_question", args: { question: "Which colour?" } }])),
};

// The turns. A part of one is what the model says until it is the user's turn, and which state that is.
const kinds = {
	plain: () => [{ script: [{ thinking: "Easy.", text: "Done." }] }],
	slow: () => [{ script: [{ text: "This took me some time." }], slow: 1500 }],
	tool: (a) => [{ script: [{ text: "I will sleep.", calls: [a.bash("sleep 2")] }, { text: "I have slept." }] }],
	parallel: (a) => [{ script: [{ calls: [a.bash("sleep 1"), a.bash("sleep 2; echo two"), a.bash("echo three")] }, { text: "All three ran." }] }],
	chain: (a) => [{ script: [{ text: "One.", calls: [a.bash("echo 1")] }, { text: "Two.", calls: [a.bash("exit 3")] }, { text: "And three." }], slow: 300 }],
	refused: () => [{ script: [{ status: 400, always: true }], end: "failed" }],
	"tried again": () => [{ script: [{ status: 500 }, { text: "At last." }] }],
	question: (a, name) => [{ script: [{ text: "I have to ask.", calls: [asks[name]] }], end: "asks" }, { script: [{ text: "That it is." }] }],
};
const plan = ["plain", "tool", "slow", "parallel", "chain", "question", "plain", "refused", "plain", "tried again"];
if (process.env.SESS_DRAW === "full") plan.push("tool", "chain", "slow", "parallel", "question", "plain", "chain", "tool", "slow", "parallel");

// talker starts a program that is talked to in lines of JSON, and gives each line it prints to hear.
function talker(argv, { cwd, env }, hear) {
	const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
	let stderr = "";
	child.stderr.setEncoding("utf8").on("data", (s) => { stderr += s; });
	const say = (value) => child.stdin.write(`${JSON.stringify(value)}\n`);
	createInterface({ input: child.stdout }).on("line", (line) => { if (line.startsWith("{")) hear(JSON.parse(line), say, child); });
	return { child, say, done: new Promise((resolve) => child.on("close", (status, signal) => resolve({ status: status ?? signal, stderr }))) };
}

// served asks opencode's own server, which it starts at first.
async function served(at, path, body) {
	at.server ??= new Promise((resolve, reject) => {
		const child = spawn(at.program, ["serve", "--hostname", "127.0.0.1", "--port", "0"], { ...at, stdio: ["ignore", "pipe", "inherit"] });
		at.end = () => child.kill();
		createInterface({ input: child.stdout }).on("line", (line) => { const m = /(http:\S+)/.exec(line); if (m) resolve(m[1]); });
		child.on("close", (status) => reject(new Error(`its server ended with ${status}`)));
	});
	const r = await fetch(`${await at.server}${path}?directory=${encodeURIComponent(at.cwd)}`,
		body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
	if (!r.ok) throw new Error(`${path}: ${r.status}: ${await r.text()}`);
	return r.json();
}

// asking starts a turn with somebody to ask: answer says what that somebody answers, and done is when the turn is.
const asking = {
	claude(at, id, prompt) {
		let question;
		const argv = agents.claude.argv(at.program, undefined, { resume: id }).filter((w) => w !== "--dangerously-skip-permissions");
		const t = talker([...argv, "--input-format", "stream-json", "--permission-prompt-tool", "stdio"], at, (m, say, child) => {
			if (m.type === "control_request") question = m;
			if (m.type === "result") child.stdin.end();
		});
		t.say({ type: "user", message: { role: "user", content: prompt } });
		return { done: t.done, answer: () => t.say({ type: "control_response", response: { subtype: "success", request_id: question.request_id,
			response: { behavior: "allow", updatedInput: { ...question.request.input, answers: { "Which colour?": "Red" } } } } }) };
	},
	codex(at, id, prompt) {
		let question;
		const t = talker([at.program, "app-server", "-c", "features.default_mode_request_user_input=true"], at, (m, say, child) => {
			if (m.id === 1) say({ method: "initialized" }), say({ id: 2, method: "thread/resume", params: { threadId: id } });
			if (m.id === 2) say({ id: 3, method: "turn/start", params: { threadId: id, input: [{ type: "text", text: prompt }] } });
			if (m.method === "item/tool/requestUserInput") question = m;
			if (m.method === "turn/completed") child.stdin.end();
		});
		t.say({ id: 1, method: "initialize", params: { clientInfo: { name: "mock", version: "1" }, capabilities: { experimentalApi: true } } });
		return { done: t.done, answer: () => t.say({ id: question.id, result: { answers: { colour: { answers: ["Red"] } } } }) };
	},
	opencode: (at, id, prompt) => ({
		done: served(at, `/session/${id}/message`, { parts: [{ type: "text", text: prompt }] }).then((reply) => ({ status: 0, reply }), (e) => ({ status: -1, stderr: e.stack })),
		answer: async () => { const [q] = await served(at, "/question"); await served(at, `/question/${q.id}/reply`, { answers: [["Red"]] }); },
	}),
	"pi-0.87": (at, id, prompt) => extended("pi-0.87", at, id, prompt),
	"pi-1.5": (at, id, prompt) => extended("pi-1.5", at, id, prompt),
};

// extended starts a turn of a pi with an extension that can ask the user.
function extended(name, at, id, prompt) {
	const extension = join(at.dir, `ask-${Date.now()}.ts`);
	writeFileSync(extension, `import { existsSync } from "node:fs";
export default (pi) => pi.registerTool({ name: "ask_user_question", label: "Ask", description: "ask the user",
	parameters: { type: "object", properties: { question: { type: "string" } } },
	async execute() {
	while (!existsSync(${JSON.stringify(`${extension}.answer`)})) await new Promise((resolve) => setTimeout(resolve, 50));
	return { content: [{ type: "text", text: "Red" }] };
	} });\n`);
	const [program, ...argv] = agents[name].argv(at.program, prompt, { resume: id });
	return { done: run([program, "-e", extension, ...argv], at), answer: () => writeFileSync(`${extension}.answer`, "") };
}

// first has the first turn, and returns what the agent calls the session.
async function first(name, at) {
	server.play(name, [{ text: "Hello." }]);
	if (name === "opencode") {
		const { id } = await served(at, "/session", {});
		const { status, stderr } = await asking.opencode(at, id, "Hello?").done;
		if (status !== 0) throw new Error(stderr);
		return id;
	}
	const r = await begun(name, at, "Hello?").done, [, file] = agents[name].stored(at.dir);
	if (!file) throw new Error(`it stored nothing: status ${r.status}, ${r.stderr}`);
	return { claude: () => basename(file, ".jsonl"), codex: () => /[0-9a-f]{8}-[0-9a-f-]{27}(?=\.jsonl$)/.exec(file)[0], "pi-0.87": () => file, "pi-1.5": () => file }[name]();
}

// home makes the home of an agent that tries again once.
function home(name, dir) {
	const env = { PATH: process.env.PATH, ...agents[name].home(dir, url(name)), CLAUDE_CODE_MAX_RETRIES: "2", OPENCODE_ENABLE_QUESTION_TOOL: "1" };
	if (watched[name] === "pi") writeFileSync(join(dir, "agent/settings.json"), JSON.stringify({ retry: { enabled: true, maxRetries: 2, baseDelayMs: 1500 } }));
	return env;
}

// begun starts a turn of print mode.
function begun(name, at, prompt, resume) {
	if (name === "pi-1.5") return extended(name, at, resume, prompt); // a session that had no such tool once does without it
	const [program, ...argv] = agents[name].argv(at.program, prompt, { resume });
	if (name === "codex") argv.unshift("-c", "model_providers.mock.request_max_retries=2");
	return { done: run([program, ...argv], at) };
}

// until runs sess-watch, and says when it has ended and how.
async function until(at, env, ...flags) {
	const r = await run(["sess-watch", "--timeout", "40s", ...flags, at.session], { ...at, env: { ...at.env, ...env } });
	return { ...r, at: Date.now() };
}

// follow keeps the rows that sess-watch prints, each with its time.
function follow(at) {
	const rows = [], child = spawn("sess-watch", ["--json", at.session], { cwd: at.cwd, env: at.env, stdio: ["ignore", "pipe", "inherit"] });
	createInterface({ input: child.stdout }).on("line", (line) => rows.push({ ...JSON.parse(line), at: Date.now() }));
	return { rows, stop: () => child.kill("SIGKILL") };
}

const waits = (state) => state !== "working" && state !== "empty";

// part plays a part of a turn that start begins, and returns what is wrong and how late sess-watch was.
async function part(name, at, rows, { script, slow = 0, end = "answered" }, start) {
	server.play(name, structuredClone(script));
	const door = { asked: deferred(), opened: deferred(), slow, sent: [] };
	doors.set(name, door);
	const turn = await start(), wrong = [];
	await Promise.race([door.asked.promise, turn.done?.then((r) => { throw new Error(`it did not ask the model: ${JSON.stringify(r)}`); }) ?? new Promise(() => {})]);
	const asked = Date.now(), working = await until(at, {}, "-q", "--state", "working");
	if (working.status !== 0 || working.at - asked > late()) wrong.push(`it is not working ${working.at - asked} ms after it asked, status ${working.status}`);
	const settle = end === "failed" ? { SESS_SETTLE: "500ms" } : {}; // a reply that failed counts later
	const ends = ["waiting", end].map((state) => until(at, settle, "--state", state));
	await pause(700);
	const seen = rows.length;
	door.opened.resolve();
	const [any, right] = await Promise.all(ends), lates = [];
	if (script[0].always) await Promise.race([turn.done, pause(20_000)]); // it may ask again
	for (let i = 0; i < 200 && door.sent.length < script.length; i++) await pause(100);
	const sent = script[0].always ? door.sent.at(-1) : door.sent[script.length - 1];
	for (const [what, r] of [["waiting", any], [end, right]]) {
		lates.push(r.at - sent);
		const state = r.stdout.trim().split("\n").at(-1);
		if (r.status !== 0 || !new RegExp(`:state:${end}\\b`).test(state)) wrong.push(`--state ${what}: status ${r.status}, ${JSON.stringify(r.stdout.slice(-300))}`);
		else if (!(r.at >= sent)) wrong.push(`--state ${what} ended ${sent - r.at} ms before the model had`);
		else if (r.at - sent > late()) wrong.push(`--state ${what} ended ${r.at - sent} ms after the model`);
	}
	if (end !== "failed") for (let i = 0; i < 20 && !rows.slice(seen).some((r) => r.state === end); i++) await pause(100);
	const states = rows.slice(seen).filter((r) => r.kind === "state");
	const early = states.find((r) => waits(r.state) && r.at < sent);
	if (early) wrong.push(`a follower was told ${early.state} ${sent - early.at} ms before the model had ended`);
	const told = states.find((r) => r.state === end);
	if (told) lates.push(told.at - sent);
	if (end !== "failed" && !(told?.at - sent <= late())) wrong.push(`a follower was told ${JSON.stringify(states.map((r) => [r.state, r.at - sent]))}`);
	return { turn, wrong, lates };
}

async function watch(name) {
	const dir = join(work, name), env = home(name, dir), at = { program: paths[name], dir, cwd: join(dir, "project"), env, session: `${watched[name]}:` };
	mkdirSync(at.cwd, { recursive: true });
	const id = await first(name, at), follower = follow(at), worst = [];
	for (const [n, kind] of plan.entries()) {
		let turn;
		for (const p of kinds[kind](agents[name], name)) {
			const what = `${name}: turn ${n + 1}, ${kind}, is ${p.end ?? "answered"}`, prompt = `Prompt ${n + 1}`;
			try {
				const before = turn, r = await part(name, at, follower.rows, p, async () => {
					if (!before) return kind === "question" || name === "opencode" && kind !== "plain" ? asking[name](at, id, prompt) : begun(name, at, prompt, id);
					await before.answer();
					return before;
				});
				turn = r.turn;
				worst.push(...r.lates);
				tally.check(`${what}, told ${r.lates.join(", ")} ms after it`, r.wrong.join("\n  "));
			} catch (e) { tally.check(what, e.stack); break; }
		}
		if (turn) await Promise.race([turn.done, pause(20_000)]);
		doors.delete(name);
	}
	follower.stop();
	at.end?.();
	worst.sort((a, b) => a - b);
	console.log(`interop: ${name}: told ${worst[worst.length >> 1]} ms after the model in the median, ${worst.at(-1)} ms at the longest, ${worst.filter((ms) => ms > 2000).length} of ${worst.length} later than 2 s`);
}

await Promise.all(Object.keys(paths).map((name) => watch(name).catch((e) => tally.check(name, e.stack))));
tally.end("agents that are watched");
process.exit();
