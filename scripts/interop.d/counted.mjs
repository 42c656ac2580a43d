// Holds sess-stat to what the model served, where an agent tells it in more than one way:
//
//   counted.mjs WORK NAME=PROGRAM...
//
// codex compacts at its provider, reviews, asks a sub-agent and works in code mode; Claude Code asks a model by an alias, and is recorded; Grok
// Build is recorded and stores. A NAME is one of programs.mjs; the tools are in PATH.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "./agents.mjs";
import { programs } from "./programs.mjs";
import { Tally, run } from "./real.mjs";

const [work, ...given] = process.argv.slice(2);
const program = Object.fromEntries(given.map((g) => g.split(/=(.*)/s)));
const tally = new Tally(), server = await serve();

// sums returns what sess-stat counts, and what was served, in the same words.
function sums(who, args, env) {
	const r = spawnSync("sess-stat", ["--usage", "--json", ...args], { env, encoding: "utf8" });
	const rows = r.stdout.trim().split("\n").filter(Boolean).map(JSON.parse), total = rows.find((row) => row.kind === "total");
	const served = server.spent(who), t = total?.tokens ?? {};
	const words = (input, cached, output) => `${input} read, ${cached} of a cache, ${output} written`;
	return [words(t.input + t.cacheRead, t.cacheRead, t.output), words(served.input, served.cached, served.output), r.stderr];
}

// counted checks the sums.
function counted(what, who, args, env) {
	const [got, want, said] = sums(who, args, env);
	tally.check(`${what}: what was used is what was served`, got === want ? "" : `sess-stat has ${got}; served were ${want}\n${said}`);
}

// codex runs prompts, each a list of arguments, in a home of its own, whose provider is one that compacts. It returns the environment.
async function codex(name, script, prompts, features = "") {
	const dir = join(work, name), agent = programs.codex;
	rmSync(dir, { recursive: true, force: true });
	mkdirSync(dir, { recursive: true });
	server.play(name, script);
	const env = { PATH: process.env.PATH, ...agent.home(dir, server.url(name)) }, config = join(dir, ".codex/config.toml"), cwd = join(dir, "project");
	writeFileSync(config, `model_auto_compact_token_limit = 1500\n${readFileSync(config, "utf8").replace('name = "mock"', 'name = "OpenAI"').replace("[features]", `[features]\nenable_request_compression = false${features}`)}`);
	execFileSync("git", ["init", "-q"], { cwd });
	writeFileSync(join(cwd, "fox.txt"), "a fox\n");
	for (const args of prompts) {
		const r = await run([program.codex, "exec", ...args], { cwd, env });
		if (r.status !== 0) tally.check(`${name}: codex answers`, `status ${r.status}\n${r.stderr}\n${r.stdout.slice(-500)}`);
	}
	return env;
}

const first = (prompt) => ["--json", "--skip-git-repo-check", "-s", "danger-full-access", "--", prompt];
const next = (prompt) => ["resume", "--last", "--json", "--skip-git-repo-check", "--", prompt];
const last = (body) => body.input?.at(-1);

if (program.codex) {
	const compaction = { only: (body) => last(body)?.type === "compaction_trigger", compaction: true, always: true, used: { input: 900, cached: 0, output: 90 } };
	let env = await codex("compacts", [compaction, { text: "one", used: { input: 2000, cached: 100, output: 30 } }, { text: "two", used: { input: 2100, cached: 0, output: 31 } }],
		[first("Say one."), next("Say two."), next("Say three.")]);
	counted("codex compacts at its provider", "compacts", ["--agent", "codex", "-a"], env);
	tally.check("codex compacted", server.asked("compacts").filter((body) => last(body)?.type === "compaction_trigger").length > 0 ? "" : "it did not ask for it");

	env = await codex("reviews", [], [first("Say one."), ["review", "--json", "--uncommitted"]]);
	counted("codex reviews", "reviews", ["--agent", "codex", "-a"], env);

	const child = (body) => body.input.some((item) => item.role === "user" && JSON.stringify(item.content).includes("Find the den"));
	// It is asked between, as a sub-agent that has not answered at the end is ended, too.
	const asks = [programs.codex.helper("Find the den.")], waits = [programs.codex.bash("sleep 3")];
	env = await codex("helped", [...[{ calls: asks }, { calls: waits }].map((r) => ({ ...r, only: (body) => !child(body) })), { only: child, text: "In the hill.", always: true }],
		[first("Ask somebody where it is.")]);
	counted("codex asks a sub-agent", "helped", ["--agent", "codex", "-a"], env);

	const script = (...lines) => ({ calls: [{ name: "exec", input: lines.join("\n") }] });
	env = await codex("scripted", [script('const r = await tools.exec_command({cmd: "echo kettle; exit 3"});', "text(r.output);"), { text: "It failed." }], [first("Run it.")], "\ncode_mode = true");
	const tool = (...args) => spawnSync(args[0], args.slice(1), { env, encoding: "utf8" });
	const made = tool("sess-calls", "--json", "--agent", "codex", "--all").stdout.split("\n").filter(Boolean).map(JSON.parse).filter((c) => c.kind === "run").map((c) => `${c.command}: ${c.status}`);
	tally.check("codex in code mode: the command is a call, with its exit code", made.join() === "echo kettle; exit 3: 3" ? "" : `calls are ${made.join()}`);
	const gate = tool("sess-assert", "--no-call", "run:echo kettle*", `codex:${join(work, "scripted/project")}`);
	tally.check("codex in code mode: a gate sees the command", gate.status === 1 ? "" : `status ${gate.status}: ${gate.stdout}${gate.stderr}`);
}

if (program.claude) {
	const dir = join(work, "alias"), agent = programs.claude;
	rmSync(dir, { recursive: true, force: true });
	mkdirSync(dir, { recursive: true });
	server.play("alias", [{ text: "In the hill.", model: "claude-sonnet-4-5-20250929", always: true }]);
	const env = { PATH: process.env.PATH, ...agent.home(dir, server.url("alias")) }, session = join(dir, "s.jsonl");
	const argv = [...agent.argv(program.claude, "Where is the den?"), "--model", "claude-sonnet-4-5"];
	const r = await run(["sh", "-c", 'out=$1; shift; "$@" | sess-record --create "$out"', "sh", session, ...argv], { cwd: join(dir, "project"), env });
	tally.check("Claude Code is recorded", r.status === 0 ? "" : `status ${r.status}\n${r.stderr}`);
	counted("Claude Code asks by an alias", "alias", [session], env);
}
if (program.grok) {
	const dir = join(work, "grok"), agent = programs.grok, session = join(dir, "s.jsonl");
	rmSync(dir, { recursive: true, force: true });
	mkdirSync(dir, { recursive: true });
	server.play("grok", [{ thinking: "It is near.", text: "I look for it.", calls: [agent.bash("echo den; exit 3"), agent.read("/nowhere")] }, { text: "In the hill." }]);
	const env = { PATH: process.env.PATH, ...agent.home(dir, server.url("grok")) };
	const r = await run(["sh", "-c", 'out=$1; shift; "$@" | sess-record --create --prompt "Where is the den?" --model mock-1 "$out"', "sh", session, ...agent.argv(program.grok, "Where is the den?")], { cwd: join(dir, "project"), env });
	tally.check("Grok Build is recorded", r.status === 0 ? "" : `status ${r.status}\n${r.stderr}`);
	counted("Grok Build, recorded", "grok", [session], env);
	counted("Grok Build, stored", "grok", ["--agent", "grok", "-a"], env);
	const calls = (...args) => spawnSync("sess-calls", ["--plain", ...args], { env, encoding: "utf8" }).stdout;
	const stored = calls("--agent", "grok", "--all"), recorded = calls(session);
	tally.check("Grok Build: the recording has the calls that it stores", stored.includes("run:3:echo den; exit 3") && stored === recorded ? "" : `stored ${stored}recorded ${recorded}`);
}
tally.end("what was used, counted in two ways");
process.exit();
