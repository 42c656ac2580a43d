// Runs the CI job of README.md with a real Claude Code, as a runner does: with a model that answers, one that is overloaded, a key that
// is wrong, and without the program. Looks at the status, the log and the summary: whoever opens a job that failed has to see why.
//
//   node jobs.mjs WORK README NAME=PROGRAM...
//
// README is the text of README.md; of the programs, claude is run. The tools are in PATH, and WORK is a directory for homes. Prints one
// line a check and ends with status 1 if one fails.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { refusal, serve } from "./agents.mjs";
import { programs } from "./programs.mjs";
import { Tally, run } from "./real.mjs";

const [work, readme, ...given] = process.argv.slice(2);
const { claude } = Object.fromEntries(given.map((g) => g.split(/=(.*)/s)));
const [, commands] = /^## One CI job\n[^]*?^```sh[^\n]*\n([^]*?)^```/m.exec(readme);
const server = await serve();

// A case has what the model says; the status; what the summary has; and what the log of the step has.
const cases = {
	"a model that answers": { script: [{ text: "Nothing is broken." }], status: 0, summary: /^\*\*Answered:\*\* Nothing is broken/m, log: /clean\.jsonl/ },
	"a model that is overloaded": { script: [{ status: 529, always: true }], status: 1, summary: new RegExp(`^\\*\\*Ended:\\*\\* status 1 after \\d+ s: .*(529|${refusal(529)})`, "m"), log: /^sess-record: .*529/m },
	"a wrong key": { script: [{ status: 401, always: true }], status: 1, summary: /^\*\*Ended:\*\* status 1 after \d+ s: .*(401|key)/mi, log: /^sess-record: .*(401|key)/mi },
	"no program": { script: [], status: 5, log: /^sess-record: running claude: executable file not found/m, alone: true },
};

async function wrong(what) {
	const c = cases[what], who = what.replaceAll(" ", "-"), dir = join(work, who), cwd = join(dir, "project"), bin = join(dir, "bin"), summary = join(dir, "summary.md");
	const env = { PATH: `${bin}:${process.env.PATH}`, ...programs.claude.home(dir, server.url(who)), SESS_DIR: join(dir, "store"), GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary };
	server.play(who, c.script);
	mkdirSync(bin);
	if (c.script.length > 0) {
		writeFileSync(join(bin, "claude"), `#!/bin/sh\nexec '${claude}' "$@"\n`);
		chmodSync(join(bin, "claude"), 0o755);
	}
	const r = await run(["bash", "-e", "-c", commands], { cwd, env }), log = r.stdout + r.stderr;
	const said = existsSync(summary) ? readFileSync(summary, "utf8") : "", wrong = [];
	const expect = (ok, what) => ok || wrong.push(what);
	expect(r.status === c.status, `status ${r.status}, not ${c.status}`);
	expect(c.log.test(log), `the log has no ${c.log}`);
	expect(!c.alone || log.trim().split("\n").length === 1, "the log has more than the cause");
	expect(c.summary ? c.summary.test(said) : said === "", `the summary has no ${c.summary}`);
	expect(c.status !== 0 || !said.includes("**Ended:**"), "the summary has an error");
	expect(!c.summary || existsSync(join(cwd, "clean.jsonl")), "there is no clean.jsonl");
	return wrong.length > 0 ? `${wrong.join("; ")}\n  log: ${log}\n  summary: ${said}` : "";
}

const tally = new Tally();
for (const what of claude ? Object.keys(cases) : []) {
	let why;
	try { why = await wrong(what); } catch (e) { why = e.stack; }
	tally.check(`the job of README.md with Claude Code: ${what}`, why);
}
tally.end("jobs");
process.exit();
