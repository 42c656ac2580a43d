// Asks sess-git which sessions led to the commits of public repositories, and compares that with the trailers that a second
// program has put into them.
//
//   node commits.mjs WORK DIRECTORY
//
// DIRECTORY has in each REPOSITORY/ a repo.bundle, in sessions/ the sessions that were about it, AGENT__ID.jsonl, and in truth.tsv
// the commits, their author times, and the sessions that a trailer names. A trailer may be wrong. They are not ours to keep. The tools
// are in PATH. Prints one line a check and ends with status 1 if one fails.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, utimesSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { Tally } from "./real.mjs";

const [work, directory] = process.argv.slice(2).map((name) => resolve(name));

// What is known of a repository: how many commits were found of those with a trailer, and of those without, when each was
// looked at; how many lines of its last commit were typed; and the commits whose trailer is wrong, with the reason.
const known = { "auth-go": { agree: 13, more: 2, typed: 778, wrong: {} } };

// Where agents keep their sessions.
const homes = { "claude-code": ".claude/projects/p", pi: ".pi/agent/sessions/p" };
const formats = { "claude-code": "claude" };

function tool(env, cwd, argv, input) {
	const r = spawnSync(argv[0], argv.slice(1), { cwd, env, input, encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status > 1 || r.status === null) throw new Error(`${argv.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout;
}
const rows = (text) => text.split("\n").filter(Boolean).map((line) => JSON.parse(line));

// keep puts the sessions where their agents have them, and where sess-import would have put them.
function keep(repository, home) {
	const env = { PATH: process.env.PATH, HOME: home, SESS_DIR: join(home, "none") }, stored = { ...env, SESS_DIR: join(home, "store") };
	const files = new Map();
	mkdirSync(join(stored.SESS_DIR, "p"), { recursive: true });
	for (const name of readdirSync(join(repository, "sessions"))) {
		const [agent, id] = basename(name, ".jsonl").split("__"), source = join(repository, "sessions", name), copy = join(home, homes[agent], `${id}.jsonl`);
		const text = readFileSync(source, "utf8"), ended = Date.parse(text.match(/"timestamp":"[^"]+"/g).at(-1).slice(13, -1)) / 1000;
		const own = join(stored.SESS_DIR, "p", `${id}.jsonl`);
		cpSync(source, copy);
		if (formats[agent]) tool(env, home, ["sess-import", "-q", "-o", own, formats[agent], source]);
		else cpSync(source, own);
		for (const file of [copy, own]) utimesSync(file, ended, ended);
		files.set(id, text);
	}
	return { env, stored, files };
}

// typed returns what is wrong with the lines that blame says were typed: each has to stand in the arguments of a call of that session.
function typed(repo, env, files, count) {
	const wrong = [];
	for (const name of tool(env, repo, ["git", "ls-files", "-z"]).split("\0").filter(Boolean)) {
		for (const r of rows(tool(env, repo, ["sess-git", "blame", "--json", `./${name}`]))) {
			if (r.rule !== "lines") continue;
			count.typed++;
			const line = JSON.stringify(r.text).slice(1, -1), doubled = JSON.stringify(line).slice(1, -1);
			if (!files.get(r.session)?.split("\n").some((l) => l.includes(line) || l.includes(doubled) || decoded(l).includes(r.text))) {
				wrong.push(`${name}:${r.line} is not in ${r.session}: ${r.text}`);
			}
		}
	}
	return wrong.join("\n");
}

// decoded are all texts of a line of JSON: not every program writes a character as another does.
function decoded(line) {
	const texts = [], walk = (v) => typeof v === "string" ? texts.push(v) : v && typeof v === "object" && Object.values(v).forEach(walk);
	try { walk(JSON.parse(line)); } catch { return ""; }
	return texts.join("\n");
}

const tally = new Tally();
for (const name of readdirSync(directory).filter((n) => existsSync(join(directory, n, "repo.bundle"))).sort()) {
	const repository = join(directory, name), home = join(work, name), repo = join(home, "src", name), want = known[name] ?? { wrong: {} };
	mkdirSync(join(home, "src"), { recursive: true });
	const { env, stored, files } = keep(repository, home);
	tool(env, home, ["git", "clone", "-q", join(repository, "repo.bundle"), repo]);
	const truth = readFileSync(join(repository, "truth.tsv"), "utf8").trim().split("\n").slice(1).map((l) => l.split("\t"));
	const ids = new Set(truth.map(([id]) => id)), log = (env, ...flags) => rows(tool(env, repo, ["sess-git", "log", "--json", "--limit", "1000000", ...flags, ...ids])).filter((r) => ids.has(r.commit));
	const found = log(env);
	const of = (id) => found.filter((r) => r.commit === id && (r.relation === "made" || r.relation === "wrote"));

	const count = { agree: 0, contradict: 0, miss: 0, more: 0, none: 0, typed: 0 };
	for (const [id, , sessions, subject] of truth) {
		const linked = sessions.split(/[ ,]+/).filter(Boolean), evidence = of(id), said = evidence.map((r) => `${r.session} ${r.relation} ${r.rule} ${r.certainty}`);
		const how = linked.length === 0 ? evidence.length ? "more" : "none" : evidence.length === 0 ? "miss" : evidence.some((r) => linked.includes(r.session)) ? "agree" : "contradict";
		count[how]++;
		if (how === "none") continue;
		const why = how !== "contradict" ? "" : !want.wrong[id] ? `nothing is known that speaks against its trailer, ${linked}: ${said.join(", ")}` : evidence.some((r) => r.certainty === "sure") ? "" : "the evidence is not sure";
		tally.check(`${name} ${id.slice(0, 12)} ${how}: ${subject}`, why);
	}
	const total = `${count.agree} agree, ${count.contradict} contradict, ${count.miss} missed, ${count.more} more without a trailer`;
	tally.check(`${name}: ${truth.length} commits, ${files.size} sessions: ${total}`, count.agree < (want.agree ?? 0) || count.more < (want.more ?? 0) ? `it was ${want.agree} and ${want.more} more` : "");

	const brief = (list) => list.map((r) => [r.commit, r.relation, r.rule, r.certainty, r.session, r.entry, r.lines, r.of].join(" ")).filter((l) => !l.includes(" claimed ")).sort().join("\n");
	const imported = log(stored, "-a");
	tally.check(`${name}: sessions that were imported say the same`, brief(found) === brief(imported) ? "" : `${brief(found)}\nimported:\n${brief(imported)}`);
	const wrong = typed(repo, env, files, count);
	tally.check(`${name}: ${count.typed} lines of the last commit were typed, and each stands in its session`, wrong || (count.typed < (want.typed ?? 0) ? `there were ${want.typed}` : ""));
	const taken = new Map(found.filter((r) => r.entry).map((r) => [`${r.address} ${r.entry}`, r]));
	const refused = [...taken.values()].flatMap((r) => [["sess-path", "--leaf"], ["sess-show", "--leaf"], ["sess-fork", "--at"]].map(([program, flag]) => {
		const got = spawnSync(program, [flag, r.entry, r.address], { cwd: repo, env, encoding: "utf8", maxBuffer: 1 << 28 });
		return got.status === 0 ? "" : `${program} ${flag} ${r.entry} ${r.address}: ${got.stderr}`;
	})).filter(Boolean);
	tally.check(`${name}: ${taken.size} entries are taken by sess-path, sess-show and sess-fork`, refused.join(""));
}
tally.end("commits and sessions");
