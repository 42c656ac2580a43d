// Reads sessions that people made with Claude Code, codex and opencode, and looks whether they come back as they were,
// whether what they used is what another program has counted, and whether people see what was said alone.
//
//   node wild.mjs WORK DIRECTORY
//
// DIRECTORY has a session in each AGENT/REPOSITORY/SESSION/full.json or full.jsonl, and beside it in metadata.json what the
// other program has read. They are not ours to keep. The tools are in PATH. Prints one line a check and ends with status 1 if one fails.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Tally } from "./real.mjs";

const [work, directory] = process.argv.slice(2);

// How a session comes back if not byte for byte, and why, by the beginning of its name. A last line without a line feed gets one.
const back = {
	"2026-01-05-": { without: "its last line feed is missing" }, "2026-01-19-": { without: "its last line feed is missing" },
	"019ed836-": { without: "its last line feed is missing" },
	ses_: { adds: ["cost", "tokens"], why: "opencode 1.4.3 had no sums in its info, and the version that is written has" },
};
// What else differs from the other program's count, and why.
const counts = {
	"5c7298d0-": { later: "the session went on after it was counted" },
	ses_: { thoughts: "opencode counts the tokens of thinking apart, and so does the other program" },
};
// What is no session of the agent.
const strange = { "2026-01-10-": "is of Gemini CLI", "29eb990e-": "is a session of the other program" };

const entry = (table, id) => Object.entries(table).find(([name]) => id.startsWith(name))?.[1] ?? {};

function sess(tool, ...args) {
	const r = spawnSync(tool, args, { encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status !== 0) throw new Error(`${tool} ${args.join(" ")}: status ${r.status}: ${r.stdout.slice(0, 1000)}${r.stderr}`);
	return r.stdout;
}

// returns says what is wrong with what an export made of an import.
function returns(id, was, is) {
	const how = entry(back, id);
	if (how.adds) {
		const [a, b] = [was, is].map((text) => JSON.parse(text));
		const added = Object.keys(b.info).filter((name) => !(name in a.info)).sort();
		for (const name of added) delete b.info[name];
		return isDeepStrictEqual(added, how.adds) && isDeepStrictEqual(a, b) ? "" : `not what it was, with ${how.adds}, but with ${added}`;
	}
	if (how.without && !was.endsWith("\n")) was += "\n";
	else if (how.without) return "it has its last line feed";
	const at = [...was].findIndex((c, i) => c !== is[i]);
	return was === is ? "" : `it differs at ${at}: ${JSON.stringify(was.slice(at, at + 200))} is ${JSON.stringify(is.slice(at, at + 200))}`;
}

// counted says what is wrong with the sums of a session.
function counted(id, file, usage) {
	const told = JSON.parse(sess("sess-stat", "--usage", "--json", file).trim().split("\n").at(-1)).tokens, how = entry(counts, id);
	const total = told ?? { input: 0, cacheWrite: 0, cacheRead: 0, output: 0, reasoning: 0 };
	const ours = [total.input, total.cacheWrite, total.cacheRead, total.output - (how.thoughts ? total.reasoning : 0)];
	const theirs = [usage.input_tokens, usage.cache_creation_tokens, usage.cache_read_tokens, usage.output_tokens];
	if (how.later) return ours.every((n, i) => n >= theirs[i]) && !isDeepStrictEqual(ours, theirs) ? "" : `it did not go on: ${ours}, ${theirs}`;
	return isDeepStrictEqual(ours, theirs) ? "" : `input, written to caches, read from them, output: ${ours}, counted otherwise ${theirs}`;
}

// What programs say in the user's name, at the beginning of what "the user" says.
const harness = "<system-reminder>|<command-name>|<local-command-|Caveat: The messages below|<environment_context>|<user_instructions>|<skills_instructions>|<permissions instructions>|# AGENTS\\.md instructions|<turn_aborted>";
const kept = /(claude|codex|opencode):(lines?|context)\b/;

// titled says what is wrong with what a session is called: words of a program are no title, as frames around a prompt are none.
function titled(file) {
	const row = JSON.parse(sess("sess-ls", "--json", file).trim().split("\n").at(-1)), title = row.name || row.firstMessage || "";
	return new RegExp(`^\\s*(${harness}|<[a-z]+[-_][a-z-]+[ >]|</?image\\b|# Files mentioned|# In app browser|\\{"task_id")`).test(title) ? `it is called ${title.slice(0, 200)}` : "";
}

// shown says what people see and should not.
function shown(file) {
	const wrong = [];
	const users = JSON.parse(sess("sess-path", "--as", "openai", file)).filter((m) => m.role === "user");
	if (users.length === 0) wrong.push("the user says nothing");
	const told = users.flatMap((m) => typeof m.content === "string" ? [m.content] : m.content.map((b) => b.text ?? "")).find((text) => new RegExp(`^\\s*(${harness})`).test(text));
	if (told) wrong.push(`the user says ${told.slice(0, 200)}`);
	for (const [tool, ...args] of [["sess-path", "--as", "text"], ["sess-show"], ["sess-tree"]]) {
		const lines = sess(tool, ...args, file).split("\n"), i = lines.findIndex((l) => kept.test(l) && !/toolResult|assistant/.test(l));
		if (i >= 0) wrong.push(`${tool} has ${lines[i].slice(0, 200)}`);
		const user = lines.findIndex((l, i) => /(^|\s)(user|User|You)\b[^a-z]*$/.test(lines[i - 1] ?? "") && new RegExp(`^\\s*(${harness})`).test(l) || new RegExp(`\\buser: *(${harness})`).test(l));
		if (user >= 0) wrong.push(`${tool} has as the user's ${lines[user].slice(0, 200)}`);
	}
	const found = spawnSync("sess-grep", ["-c", "--role", "user", `^\\s*(${harness})`, file], { encoding: "utf8" });
	if (found.status !== 1) wrong.push(`sess-grep finds ${found.stdout}${found.stderr} such words`);
	return wrong.join("; ");
}

const tally = new Tally();
const guarded = (what, f) => {
	let why;
	try { why = f(); } catch (e) { why = e.stack; }
	tally.check(what, why);
};
mkdirSync(work, { recursive: true });
for (const path of readdirSync(directory, { recursive: true }).filter((f) => /[/\\]full\.jsonl?$/.test(f)).sort()) {
	const [kind, , id] = path.split(/[/\\]/), format = /^(claude|codex|opencode)/.exec(kind)?.[0], what = `${kind} ${id.slice(0, 24)}`;
	if (!format) continue; // no format of ours
	const source = join(directory, path), file = join(work, `${id}.jsonl`);
	const r = spawnSync("sess-import", ["-q", "-o", file, format, source], { encoding: "utf8" });
	const other = entry(strange, id);
	if (typeof other === "string") {
		tally.check(`${what} ${other}, and is refused`, r.status === 3 && /no session of Claude Code/.test(r.stderr) ? "" : `status ${r.status}: ${r.stderr}`);
		continue;
	}
	if (!tally.check(`${what} is read`, r.status === 0 ? "" : `status ${r.status}: ${r.stderr}`)) continue;
	guarded(`${what} has no error`, () => void sess("sess-check", file));
	guarded(`${what} comes back`, () => returns(id, readFileSync(source, "utf8"), sess("sess-export", "-q", format, file)));
	const usage = JSON.parse(readFileSync(join(source, "../metadata.json"), "utf8")).token_usage;
	if (usage) guarded(`${what} used what was counted`, () => counted(id, file, usage));
	guarded(`${what} shows what was said`, () => shown(file));
	guarded(`${what} has a title that somebody said`, () => titled(file));
}
tally.end("sessions of people");
