// Has real agents use sess-mcp: what --print-config says is taken, the tools are listed, one is called and answers with the earlier
// session, and not with the running one. Then each finds a session by what was said in it, lists what failed there, reads it, and says
// what failed: its model takes each step from the answer before.
//
//   node mcp.mjs WORK NAME=PROGRAM...
//
// A NAME is one of programs.mjs; Claude Code, codex and opencode are looked at. The tools are in PATH, and WORK is a directory for
// homes. Prints one line a check and ends with status 1 if one fails.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { serve } from "./agents.mjs";
import { programs as agents } from "./programs.mjs";
import { Tally, drawn, eachOf, run } from "./real.mjs";

const [work, ...given] = process.argv.slice(2);
// call is a call of the tool as the agent's model makes it.
const clients = {
	claude: { call: (tool) => ({ name: `mcp__sess__${tool}` }) },
	codex: { call: (tool) => ({ name: tool, namespace: "mcp__sess" }) },
	opencode: { call: (tool) => ({ name: `sess_${tool}` }) },
};
const paths = Object.fromEntries(given.map((g) => g.split(/=(.*)/s)).filter(([name]) => clients[name]));
const server = await serve(), tally = new Tally();

async function wrong(name) {
	const a = agents[name], dir = join(work, name), who = `mcp-${name}`, project = join(dir, "project"), bin = join(dir, "bin"), word = "Quittenbaum";
	for (const d of [project, bin]) mkdirSync(d, { recursive: true });
	writeFileSync(join(bin, name), `#!/bin/sh\nexec '${paths[name]}' "$@"\n`);
	chmodSync(join(bin, name), 0o755);
	const env = { ...a.home(dir, server.url(who)), PATH: `${bin}:${process.env.PATH}`, SESS_DIR: join(dir, "store") };
	const config = spawnSync("sh", ["-c", name === "opencode" ? "sess-mcp --print-config opencode >opencode.json" : `sess-mcp --print-config ${name} | sh`], { cwd: project, env, encoding: "utf8" });
	if (config.status !== 0) return `--print-config: status ${config.status}: ${config.stderr}`;
	// ask has the agent answer a question, once more if it began without the tools: Claude Code waits five seconds for a server,
	// and a machine that does much else takes longer to start one.
	const ask = async (question, script) => {
		let r, missing;
		for (let n = 1; n <= 3; n++) {
			server.play(who, script);
			r = await run(a.argv(paths[name], `${question} (${n})`), { cwd: project, env });
			const listed = JSON.stringify(server.asked(who).slice(-script.length));
			missing = ["sessions", "search", "calls", "read"].filter((tool) => !new RegExp(`(?:"name":"|mcp__sess__|sess_)${tool}\\b`).test(listed));
			if (missing.length === 0) return { ...r, question: `${question} (${n})` };
		}
		throw new Error(`${missing} are not among the tools, status ${r.status}: ${r.stderr}`.slice(0, 2000));
	};
	await ask(`The word is ${word}`, [{ text: "I build it.", calls: [a.bash("printf 'bro%s' ken; exit 3")] }, { text: "Noted." }]);
	const r = await ask(`Where does ${word} stand?`, [{ text: "I look.", calls: [{ ...clients[name].call("search"), args: { pattern: word } }] }, { text: "So it is." }]);
	const answer = answered(server.asked(who).at(-1));
	if (!answer) return `no answer, status ${r.status}: ${r.stderr}`.slice(0, 2000);
	if (!answer.includes(`The word is ${word}`)) return `the earlier session is not found: ${answer}`;
	if (answer.includes(r.question)) return `the running session is found: ${answer}`;
	const took = (tool, args) => ({ text: `I ask ${tool}.`, calls: [{ ...clients[name].call(tool), args }] });
	let session, entry, status, command;
	const told = await ask(`What failed where ${word} was named first?`, [
		took("search", { pattern: `The word is ${word}` }),
		(body) => { [, session] = /^(\w+:[\w-]+):[^:]+:user:"?The word is/m.exec(answered(body)) ?? []; return took("calls", { status: "fail" }); },
		(body) => {
			[, entry, status, command] = new RegExp(`^${session}:([^:]+):run:(\\d+):(.*)`, "m").exec(answered(body)) ?? [];
			return took("read", { session, entry, tokens: 500 });
		},
		(body) => ({ text: `In ${session} ${command} failed with ${status}. Read: ${/broken/.test(answered(body))}.` }),
	]);
	const says = `In ${session} printf 'bro%s' ken; exit 3 failed with 3. Read: true.`;
	if (process.env.SESS_TRANSCRIPT) console.log(told.stdout);
	return told.stdout.includes(says) ? "" : `it says ${told.stdout.slice(-1500)}, not ${says}: ${answered(server.asked(who).at(-1))}`;
}

// answered is the newest answer of sess-mcp in a request, "" without one.
const answered = (body) => texts(body).flatMap((t) => t.match(/Between the lines (\w+) [^]*?\1[^]*?\1/g) ?? []).at(-1) ?? "";
const texts = (value) => typeof value === "string" ? [value] : value && typeof value === "object" ? Object.values(value).flatMap(texts) : [];

await eachOf(drawn(Object.keys(paths)), async (name) => {
	let why;
	try { why = await wrong(name); } catch (e) { why = e.stack; }
	tally.check(`${name}: sess-mcp is added, listed and called, and finds the earlier session alone`, why);
});
tally.end("sess-mcp");
process.exit();
