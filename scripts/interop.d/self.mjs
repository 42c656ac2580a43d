// Has real agents run sess-path self: and sess-grep --no-self with their shell tool: self: is the session that the agent says and
// stores, and the word of the prompt is found nowhere else. An agent that does not say which session runs gets status 2 and the
// hint what does.
//
//   node self.mjs WORK NAME=PROGRAM...
//
// A NAME is one of programs.mjs; Claude Code, codex, opencode and pi are looked at. The tools are in PATH, and WORK is a directory
// for homes. Prints one line a check and ends with status 1 if one fails.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "./agents.mjs";
import { programs as agents } from "./programs.mjs";
import { Tally, eachOf, run } from "./real.mjs";

const [work, ...given] = process.argv.slice(2);
const names = { claude: "claude", codex: "codex", opencode: "opencode", "pi-1.5": "pi" };
const paths = Object.fromEntries(given.map((g) => g.split(/=(.*)/s)).filter(([name]) => names[name]));
const server = await serve(), tally = new Tally();

// foreign are the ids that an outer agent leaves to the agents that it starts.
const foreign = {
	claude: { CODEX_THREAD_ID: "ffffffff-1111-4111-8111-111111111111" },
	codex: { CLAUDE_CODE_SESSION_ID: "ffffffff-1111-4111-8111-111111111111" },
};

async function wrong(name, nested) {
	const a = agents[name], agent = names[name], dir = join(work, nested ? `${name}-nested` : name), who = `self-${name}-${nested}`, project = join(dir, "project");
	const env = { PATH: process.env.PATH, ...a.home(dir, server.url(who)), SESS_DIR: join(dir, "store"), ...nested ? foreign[agent] : {} };
	mkdirSync(project, { recursive: true });
	const address = nested ? `self:${agent}` : "self:", word = "Quittenbaum", file = (f) => join(dir, f);
	const command = `export PATH="${process.env.PATH}"; sess-path ${address} >${file("session")} 2>${file("said")}; echo $? >${file("path")}; sess-grep -q --no-self --agent ${agent} ${word} >/dev/null 2>&1; echo $? >${file("grep")}; sess-grep -q --agent ${agent} ${word} >/dev/null 2>&1; echo $? >${file("all")}`;
	server.play(who, [{ text: "I look.", calls: [a.bash(command)] }, { text: "So it is." }]);
	const r = await run(a.argv(paths[name], `Where does ${word} stand?`), { cwd: project, env });
	const text = (f) => (existsSync(file(f)) ? readFileSync(file(f), "utf8") : "missing").trim();
	if (r.status !== 0 || text("path") === "missing") return `status ${r.status}: ${r.stderr || r.stdout.slice(-500)}`;
	if (text("all") !== "0") return `the prompt is not found without --no-self: status ${text("all")}`;
	if (agent === "opencode") return text("path") === "2" && text("said").includes("SESS_SELF") ? "" : `status ${text("path")}: ${text("said")}`;
	if (text("path") !== "0") return `${address}: status ${text("path")}: ${text("said")}`;
	const id = JSON.parse(text("session").split("\n")[0]).id, [, ...stored] = a.stored(dir);
	if (!stored.some((f) => f.includes(id))) return `${address} is ${id}, and stored is ${stored}`;
	return text("grep") === "1" ? "" : `--no-self: status ${text("grep")}, so the running session was searched`;
}

await eachOf(Object.keys(paths), async (name) => {
	tally.check(`${name}: self: and --no-self`, await wrong(name, false));
	if (foreign[names[name]]) tally.check(`${name}: the same with the id of an outer agent`, await wrong(name, true));
});
tally.end("self");
process.exit();
