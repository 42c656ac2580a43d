// Hands sessions over with sess-handoff, from each agent to each other one, lets the real program go on with the line
// that it prints, and looks at what reaches the model: the user's words in order, every call with its result, no call
// under a name of the target's with other arguments, nothing encrypted or signed, no word of another agent.
//
//   node handoff.mjs WORK NAME=PROGRAM... [-- FILE...]
//
// A NAME is one of programs.mjs, and a FILE is a session that is handed over as well. The tools are in PATH, and WORK
// is a directory for homes. Prints one line a check and ends with status 1 if one fails.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "./agents.mjs";
import { foreign, programs, standIn } from "./programs.mjs";
import { Tally, drawn, eachOf, run } from "./real.mjs";

const [work, ...rest] = process.argv.slice(2), cut = rest.indexOf("--");
const given = cut < 0 ? rest : rest.slice(0, cut), files = cut < 0 ? [] : rest.slice(cut + 1);
const paths = Object.fromEntries(given.map((g) => g.split(/=(.*)/s)));
const server = await serve();
const question = "Which words stand in a.txt, and what does the command say?", again = "And what did I ask first?";
const called = (name) => name.startsWith("pi-") ? "pi" : name;

// made has an agent make a session: thinking, two calls at once, one that fails, an answer.
async function made(name) {
	const a = programs[name], dir = join(work, name), who = `from-${name}`, project = join(dir, "project"), file = join(work, `${name}.jsonl`);
	const env = { PATH: process.env.PATH, ...a.home(dir, server.url(who)) };
	writeFileSync(join(project, "a.txt"), "eins\n");
	server.play(who, [
		{ thinking: "SECRET THOUGHTS", text: "Looking at both.", calls: [a.read(join(project, "a.txt")), a.bash("echo zwei")] },
		{ text: "One more.", calls: [a.bash("echo drei; exit 3")] },
		{ thinking: "SECRET THOUGHTS", text: "It says eins, and the command says zwei." },
	]);
	const r = await run(a.argv(paths[name], question), { cwd: project, env });
	const [format, stored] = a.stored(dir);
	if (r.status !== 0 || !stored) throw new Error(`status ${r.status}: ${r.stderr}`);
	const i = spawnSync("sess-import", ["-q", "-o", file, format, stored], { encoding: "utf8" });
	if (i.status !== 0) throw new Error(i.stderr);
	return { name, file };
}

// parts lists what a request has of a conversation, in one form for the three APIs: {user}, {reply}, {call, name, args}
// and {result}, and {strange} for anything else.
function parts(body) {
	const out = [], text = (c) => typeof c === "string" ? c : (c ?? []).map((b) => b.text ?? "").join("\n");
	const reply = (c) => { if (c !== null && c !== undefined && c !== "") out.push({ reply: text(c) }); };
	for (const m of body.messages ?? body.input) {
		if (m.role === "system" || m.role === "developer") continue;
		if (m.type === "function_call" || m.type === "custom_tool_call") out.push({ call: m.call_id, name: m.name, args: m.arguments ?? { input: m.input } });
		else if (m.type === "function_call_output" || m.type === "custom_tool_call_output") out.push({ result: m.call_id });
		else if (m.role === "tool") out.push({ result: m.tool_call_id });
		else if (m.role === "assistant") {
			if (m.reasoning_content || m.reasoning) out.push({ strange: "thinking" });
			if (body.input || typeof m.content === "string" || !m.content?.some?.((b) => b.type === "tool_use" || b.type?.includes("thinking"))) reply(m.content);
			else for (const b of m.content) {
				if (b.type === "text") out.push({ reply: b.text });
				else if (b.type === "tool_use") out.push({ call: b.id, name: b.name, args: b.input });
				else out.push({ strange: b.type });
			}
			for (const c of m.tool_calls ?? []) out.push({ call: c.id, name: c.function.name, args: c.function.arguments });
		} else if (m.role === "user") {
			const list = typeof m.content === "string" ? [{ type: "text", text: m.content }] : m.content;
			for (const b of list) {
				if (b.type === "tool_result") out.push({ result: b.tool_use_id });
				else if (b.type === "text" || b.type === "input_text") out.push({ user: b.text });
				else if (!/image/.test(b.type)) out.push({ strange: b.type });
			}
		} else out.push({ strange: m.type ?? m.role });
	}
	return out;
}

// refused returns what an API would refuse of a request, or a model would be misled by.
function refused(body, agents) {
	const wrong = [], list = parts(body), open = new Map(), seen = new Set();
	const tools = new Map((body.tools ?? []).map((t) => [t.name ?? t.function?.name, t.input_schema ?? t.parameters ?? t.function?.parameters]));
	for (const p of list) {
		if (p.strange) wrong.push(`there is a part of the kind ${p.strange}`);
		if (p.call !== undefined) {
			if (!/^[A-Za-z0-9_-]{1,40}$/.test(p.call)) wrong.push(`the id ${p.call} is none for every API`);
			if (seen.has(p.call)) wrong.push(`two calls have the id ${p.call}`);
			seen.add(p.call);
			open.set(p.call, p);
			const args = typeof p.args === "string" ? JSON.parse(p.args) : p.args, schema = tools.get(p.name);
			if (!/^[A-Za-z0-9_-]{1,64}$/.test(p.name)) wrong.push(`the name ${p.name} is none for every API`);
			if (schema?.properties) {
				const strange = Object.keys(args).filter((k) => !(k in schema.properties)), missing = (schema.required ?? []).filter((k) => !(k in args));
				if (strange.length > 0) wrong.push(`${p.name} has no argument ${strange}`);
				if (missing.length > 0 && !/^(description|i|_i)$/.test(missing.join())) wrong.push(`${p.name} is called without ${missing}`);
			} else if (!schema && !agents.some((a) => p.name.startsWith(`${a}_`))) wrong.push(`${p.name} is no tool here, and does not say whose it is`);
		}
		if (p.result !== undefined && !open.delete(p.result)) wrong.push(`a result of ${p.result}, which is no open call`);
		if ((p.user ?? p.reply)?.trim() === "") wrong.push("an empty text");
		if ((p.user !== undefined || p.reply !== undefined) && open.size > 0 && p.user !== undefined) wrong.push("the user speaks while a call is open");
	}
	if (open.size > 0) wrong.push(`${open.size} calls without a result`);
	return wrong;
}

// over hands a session over and goes on with it.
async function over({ name, file, words }, to) {
	const a = programs[to], who = `${name.replace(/\W+/g, "-")}-to-${to}`, dir = join(work, who);
	const env = { ...a.home(dir, server.url(who)), again };
	env.PATH = `${standIn(to, dir, paths[to])}:${process.env.PATH}`;
	mkdirSync(join(dir, "project"), { recursive: true });
	server.play(who, [{ text: "You asked for the words." }]);
	const before = readFileSync(file);
	const made = spawnSync("sess-handoff", ["--to", called(to), "--cwd", join(dir, "project"), file], { encoding: "utf8", env, cwd: dir });
	if (made.status === 1 && words && /no words of the user/.test(made.stderr)) return "";
	if (made.status !== 0) return `status ${made.status}: ${made.stderr}`;
	const twice = spawnSync("sess-handoff", ["--to", called(to), "--cwd", join(dir, "project"), file], { encoding: "utf8", env, cwd: dir });
	const wrong = [];
	if (twice.stdout !== made.stdout || !/is there already/.test(twice.stderr)) wrong.push(`the second time it says ${twice.stdout}${twice.stderr}`);
	if (!before.equals(readFileSync(file))) wrong.push("the source has changed");
	const r = await run(["sh", "-c", made.stdout], { cwd: dir, env });
	const request = server.asked(who).find((body) => JSON.stringify(body).includes(again));
	if (r.status !== 0 || !request) return `${made.stdout}: status ${r.status}: ${r.stderr || r.stdout}`;
	wrong.push(...refused(request, ["claude", "codex", "opencode", "pi", "omp"].filter((x) => x !== called(to))));
	const users = parts(request).filter((p) => p.user !== undefined).map((p) => p.user), all = JSON.stringify(request.messages ?? request.input);
	let at = 0;
	for (const text of [...words ?? [question], "[Moved here by sess-handoff", again]) {
		const found = users.findIndex((u, i) => i >= at && u.includes(text));
		if (found < 0) wrong.push(`the model is not told ${JSON.stringify(text.slice(0, 80))}, or not in its place`);
		else at = found;
	}
	if (!words) for (const text of ["Looking at both.", "One more.", "eins", "zwei", "drei"]) if (!all.includes(text)) wrong.push(`the model is not told ${text}`);
	for (const text of ["SECRET THOUGHTS", "encrypted_content", "gAAAA", "|fc_"]) if (all.includes(text)) wrong.push(`the model is told ${text}`);
	const said = users.join("\n").replaceAll(a.own ?? /$^/g, "");
	const strange = foreign[name]?.exec(said);
	if (strange && !words) wrong.push(`the model is told ${strange[0]}`);
	return wrong.length > 0 ? `${wrong.slice(0, 6).join("; ")}\n  ${made.stdout}` : "";
}

const tally = new Tally();
async function check(what, f) {
	let why;
	try { why = await f(); } catch (e) { why = e.stack; }
	return tally.check(what, why);
}
const agents = ["claude", "codex", "opencode", "pi-0.87", "pi-1.5", "omp"].filter((name) => paths[name]), jobs = [];
const pairs = (source, n, wanted) => agents.flatMap((to, m) => wanted(to) ? [[source, to, n + m]] : []);
await eachOf(agents, (name) => check(`a session of ${name} to hand over`, async () => {
	const source = await made(name);
	jobs.push(...pairs(source, agents.indexOf(name), (to) => to !== name));
}));
for (const [n, file] of files.entries()) {
	const source = join(work, `of-people-${n}.jsonl`), of = spawnSync("sess-import", ["--detect", file], { encoding: "utf8" }).stdout.trim();
	if (spawnSync("sess-import", ["-q", "-o", source, file]).status !== 0) continue;
	jobs.push(...pairs({ name: `session ${n} of people, of ${of},`, file: source, words: [] }, n, (to) => called(to) !== of));
}
await eachOf(drawn(jobs, ([, , number]) => number), ([source, to]) => check(`${source.name} handed over to ${to}`, () => over(source, to)));
tally.end("hand-offs");
process.exit();
