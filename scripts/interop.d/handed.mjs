// Has a real agent make a session, hands it to others with sess-export, and lets each go on with the command that
// sess-export prints. What the first agent said in the user's name may reach nobody else: not the model, and not
// the tools that show a session to people.
//
//   node handed.mjs WORK NAME=PROGRAM...
//
// A NAME is one of programs.mjs. The tools are in PATH, and WORK is a directory for homes. Prints one line a
// check and ends with status 1 if one fails.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "./agents.mjs";
import { foreign, programs, standIn } from "./programs.mjs";
import { Tally, drawn, eachOf, model, run } from "./real.mjs";

const [work, ...given] = process.argv.slice(2);
const paths = Object.fromEntries(given.map((g) => g.split(/=(.*)/s)));
const server = await serve();
const question = "Which words stand in a.txt, and what does the command say?", again = "And what did I ask first?";
const answers = ["Looking at both.", "It says eins, and the command says zwei."];

// Where each looks for sessions in its home.
const homes = { codex: ".codex", opencode: ".", "pi-0.87": "agent/sessions", "pi-1.5": "agent/sessions", claude: "config/projects", omp: "agent/sessions" };

function sess(tool, ...args) {
	const r = spawnSync(tool, args, { encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status !== 0) throw new Error(`${tool} ${args.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout;
}

const textOf = (content) => typeof content === "string" ? content : content.map((b) => b.text ?? "").join("\n");
// strings are all texts in a value.
const strings = (v) => typeof v === "string" ? [v] : v && typeof v === "object" ? Object.values(v).flatMap(strings) : [];

// A source is an agent's session, imported: the words of the agent in it, and those of their lines that nobody else
// would say.
async function made(name) {
	const a = programs[name], dir = join(work, name, "home"), who = `made-${name}`, project = join(dir, "project"), file = join(work, name, "session.jsonl");
	const env = { PATH: process.env.PATH, ...a.home(dir, server.url(who)) };
	writeFileSync(join(project, "a.txt"), "eins\n");
	server.play(who, [{ text: answers[0], calls: [a.read(join(project, "a.txt")), a.bash("echo zwei")] }, { text: answers[1] }]);
	const r = await run(a.argv(paths[name], question), { cwd: project, env });
	const [format, stored] = a.stored(dir);
	if (r.status !== 0 || !stored) throw new Error(`status ${r.status}: ${r.stderr}`);
	sess("sess-import", "-q", "-o", file, format, stored);
	const entries = readFileSync(file, "utf8").split("\n").filter(Boolean).map((l) => JSON.parse(l));
	const notes = entries.filter((e) => e.type === "custom_message" && e.customType === `${format}:context`).map((e) => textOf(e.content));
	const blocks = entries.filter((e) => e.message?.role === "user" && Array.isArray(e.message.content)).flatMap((e) => e.message.content.filter((b) => b.harness).map((b) => b.text));
	const system = entries.filter((e) => e.message?.role === "developer").map((e) => textOf(e.message.content));
	const words = [...notes, ...blocks, ...system];
	const lines = words.flatMap((w) => w.split("\n")).map((l) => l.trim()).filter((l) => l.length > 24 && !l.includes(question) && !l.includes(project));
	return { name, format, project, file, words, lines };
}

// shown: the tools for people have what user and model said, and nothing of the agent's.
function shown({ name, file, lines }) {
	const wrong = [];
	for (const [tool, ...args] of [["sess-path", "--as", "text"], ["sess-show"], ["sess-tree"]]) {
		const out = sess(tool, ...args, file), flat = out.replace(/\s+/g, " ");
		const line = lines.find((l) => flat.includes(l.replace(/\s+/g, " ")));
		if (line) wrong.push(`${tool} has ${JSON.stringify(line)}`);
		if (/(claude|codex|opencode):(lines?|context)\b/.test(out)) wrong.push(`${tool} has what was kept for ${name}`);
		// The tree folds runs, and the question may be within one.
		for (const said of tool === "sess-tree" ? [answers[1]] : [question, answers[1]]) if (!flat.includes(said.slice(0, 30))) wrong.push(`${tool} does not have ${JSON.stringify(said)}`);
	}
	const found = (text) => Number(spawnSync("sess-grep", ["-c", "-F", "-e", text, file], { encoding: "utf8" }).stdout.trim().split(":").at(-1));
	for (const line of new Set(lines)) if (found(line) !== 0) wrong.push(`sess-grep finds ${JSON.stringify(line)}`);
	if (found(question) !== 1) wrong.push("sess-grep does not find the question once");
	return wrong.join("; ");
}

// handed exports a session to another agent, runs what sess-export says, and looks at what reaches the model.
async function handed(source, name) {
	const a = programs[name], who = `${source.name}-to-${name}`, dir = join(work, who), to = join(dir, homes[name]);
	const env = { ...a.home(dir, server.url(who)), PATH: `${standIn(name, dir, paths[name])}:${process.env.PATH}`, again };
	mkdirSync(to, { recursive: true });
	server.play(who, [{ text: "You asked for the words." }]);
	const made = spawnSync("sess-export", ["-o", to, name.startsWith("pi-") ? "pi" : name, source.file], { encoding: "utf8", env, cwd: dir });
	if (made.status !== 0) return `exporting: status ${made.status}: ${made.stderr}`;
	const wrong = [], kB = source.words.reduce((n, w) => n + Buffer.byteLength(w), 0) / 1000;
	const left = /\b(\d+) notes? of .*?, ([\d.]+) (kB|bytes), left out/.exec(made.stderr);
	if (source.words.length > 0 && (!left || Number(left[1]) !== source.words.length)) wrong.push(`left out, it says: ${made.stderr}`);
	if (left && Math.abs(Number(left[2]) / (left[3] === "kB" ? 1 : 1000) - kB) > 0.06) wrong.push(`left out, it says, is ${left[2]} ${left[3]}, and it is ${kB} kB`);
	const command = /go on with: (.*)/.exec(made.stderr)?.[1];
	if (!command) return `it does not say what to type: ${made.stderr}`;
	const r = await run(["sh", "-c", command.replace("PROVIDER/MODEL", `mock/${model}`)], { cwd: dir, env });
	const request = server.asked(who).find((body) => strings(body).some((s) => s.includes(again)));
	if (r.status !== 0 || !request) return `${command}: status ${r.status}: ${r.stderr || r.stdout}`;
	const said = strings((request.messages ?? request.input).filter((m) => m.role !== "system" && m.role !== "developer"));
	const all = said.join("\n").replaceAll(a.own ?? /$^/g, "");
	for (const text of [question, ...answers, "eins", "zwei", again]) if (!all.includes(text)) wrong.push(`the model is not told ${JSON.stringify(text)}`);
	const line = source.lines.find((l) => all.includes(l));
	if (line) wrong.push(`the model is told ${JSON.stringify(line)}`);
	const strange = foreign[source.name].exec(all);
	if (strange) wrong.push(`the model is told ${JSON.stringify(all.slice(Math.max(0, strange.index - 100), strange.index + 300))}`);
	if (said.filter((s) => s.includes(question)).length !== 1) wrong.push("the question is not there once");
	return wrong.length > 0 ? `${wrong.join("; ")}\n  ${command}` : "";
}

const ways = { claude: ["codex", "opencode", "pi-0.87", "pi-1.5", "omp"], codex: ["claude"], opencode: ["codex"] };

const tally = new Tally();
async function check(what, f) {
	let why;
	try { why = await f(); } catch (e) { why = e.stack; }
	return tally.check(what, why);
}
const jobs = [];
await eachOf(Object.keys(ways).filter((name) => paths[name]), async (name) => {
	let source;
	await check(`a session of ${name}, imported`, async () => {
		source = await made(name);
		const least = { claude: 5, codex: 1, opencode: 0 }[name];
		return source.words.length < least ? `it has ${source.words.length} notes of the agent` : shown(source);
	});
	if (source) jobs.push(...ways[name].filter((to) => paths[to]).map((to) => [source, to]));
});
await eachOf(drawn(jobs), ([source, to]) => check(`a session of ${source.name} goes on in ${to}`, () => handed(source, to)));
tally.end("sessions handed on");
process.exit();
