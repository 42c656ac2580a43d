// Asks agents which of their sessions is the newest, and compares it with the one that NAME: is in the tools.
//
//   node newest.mjs WORK NAME=PROGRAM...
//
// A NAME is one of programs.mjs; those that continue their last session by themselves are asked. Each makes a session about alpha and
// one about beta in a directory, goes on with the first, and makes one about gamma elsewhere. The tools are in PATH, and WORK is a
// directory for homes. Prints one line a check and ends with status 1 if one fails.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { serve } from "./agents.mjs";
import { programs } from "./programs.mjs";
import { Tally, drawn, eachOf, model, run } from "./real.mjs";

const [work, ...given] = process.argv.slice(2);
const paths = Object.fromEntries(given.map((g) => g.split(/=(.*)/s)));
const server = await serve();

// last continues the last session, and one continues the session that a row of sess-ls has; once says that no one session is asked to
// go on, since that does not end by itself, and anywhere that the last session is that of all directories: it is compared with the
// first row of sess-ls --agent, since NAME: is the newest of the directory.
const pi = {
	last: (program, prompt) => [program, "-c", "-p", "--provider", "mock", "--model", model, prompt],
	one: (program, row, prompt) => programs["pi-0.87"].argv(program, prompt, { resume: row.path }),
};
const asked = {
	"pi-0.73": pi, "pi-0.87": pi, "pi-1.5": pi,
	claude: { last: (program, prompt) => [program, "-p", "-c", prompt] },
	codex: { last: (program, prompt) => [program, "exec", "resume", "--last", "--skip-git-repo-check", "--", prompt] },
	opencode: { last: (program, prompt) => [program, "run", "-c", prompt] },
	omp: { last: (program, prompt) => [program, "-c", "-p", "--model", `mock/${model}`, "--no-title", "--no-lsp", prompt] },
	qwen: {
		last: (program, prompt) => [program, "--yolo", "--auth-type", "openai", "-c", "-p", prompt],
		one: (program, row, prompt) => [program, "--yolo", "--auth-type", "openai", "-r", row.session, "-p", prompt],
	},
	kimi: {
		last: (program, prompt) => [program, "-c", "-p", prompt],
		one: (program, row, prompt) => [program, "-S", row.session, "-p", prompt],
	},
	copilot: {
		last: (program, prompt) => [program, "--allow-all-tools", "--no-color", "--continue", "-p", prompt],
		one: (program, row, prompt) => [program, "--allow-all-tools", "--no-color", `--resume=${row.session}`, "-p", prompt],
		anywhere: true,
	},
	gemini: { last: (program, prompt) => [program, "-m", "gemini-2.5-pro", "--yolo", "-o", "json", "-r", "latest", "-p", prompt], once: true },
};

function newest(name, env, cwd, anywhere) {
	const which = anywhere ? ["--agent", name] : [`${name.startsWith("pi-") ? "pi" : name}:`];
	const r = spawnSync("sess-ls", ["-q", "--json", ...which], { cwd, env, encoding: "utf8" });
	if (r.status !== 0) throw new Error(`sess-ls: status ${r.status}: ${r.stderr}`);
	return JSON.parse(r.stdout.split("\n")[0]);
}

// words are those of the subjects that stand in a text.
const words = (text) => ["alpha", "beta", "gamma"].filter((word) => text.includes(word)).join(" and ");

// wrong has one agent make its sessions, and says how its last one is another than ours.
async function wrong(name, twice) {
	const a = programs[name], how = asked[name], program = paths[name], who = `newest-${name}-${twice}`, dir = join(work, name, twice ? "twice" : "once");
	const env = { PATH: process.env.PATH, ...a.home(dir, server.url(who)) }, project = join(dir, "project"), elsewhere = join(dir, "elsewhere");
	for (const d of [project, elsewhere]) mkdirSync(d, { recursive: true });
	const go = async (argv, cwd) => {
		server.play(who, [{ text: "Well." }]);
		const r = await run(argv, { cwd, env });
		const sent = server.asked(who).map((body) => JSON.stringify(body)).join("\n");
		if (!sent) throw new Error(`${argv.slice(1).join(" ")}: it asked nothing, status ${r.status}: ${r.stderr}${r.stdout}`.slice(0, 1500));
		return sent;
	};
	await go(a.argv(program, "Tell about alpha"), project);
	const first = newest(name, env, project);
	await go(a.argv(program, "Tell about beta"), project);
	const one = how.one ?? ((p, row, prompt) => a.argv(p, prompt, { resume: row.session }));
	if (twice) await go(one(program, first, "and more?"), project);
	await go(a.argv(program, "Tell about gamma"), elsewhere);
	const ours = newest(name, env, project, how.anywhere);
	const shown = spawnSync("sess-path", ["-q", "--as", "messages", ours.address ?? ours.path], { env, cwd: project, encoding: "utf8" });
	if (shown.status !== 0) return `sess-path: status ${shown.status}: ${shown.stderr}`;
	const theirs = words(await go(how.last(program, "and now?"), project)), here = words(shown.stdout);
	return theirs === here ? "" : `it goes on with the session about ${theirs || "nothing"}, and ${name}: is the one about ${here || "nothing"}`;
}

const tally = new Tally();
const jobs = Object.keys(paths).filter((name) => asked[name]).flatMap((name) => asked[name].once ? [[name, false]] : [[name, false], [name, true]]);
await eachOf(drawn(jobs), async ([name, twice]) => {
	let why;
	try { why = await wrong(name, twice); } catch (e) { why = e.stack; }
	tally.check(`${name}: its newest session is ${twice ? "the one that was used last" : "the last one"}`, why);
});
for (const name of Object.keys(paths).filter((name) => !asked[name])) console.log(`skip ${name} is not asked for its newest session`);
tally.end("newest sessions");
process.exit();
