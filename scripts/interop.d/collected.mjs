// Collects the session of a real agent after each of its turns, of which one is killed in the midst and the next goes on, and has
// it pushed without secrets, too: what is stored only ever grows, and in the end is what one import makes, names beside the log apart.
//
//   node collected.mjs WORK NAME=PROGRAM...
//
// A NAME is one of programs.mjs; Claude Code, codex, opencode and pi are looked at. The tools are in PATH, and WORK is a directory for
// homes. Prints one line a check and ends with status 1 if one fails.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "./agents.mjs";
import { programs as agents } from "./programs.mjs";
import { Tally, drawn, eachOf, run } from "./real.mjs";

const [work, ...given] = process.argv.slice(2);
const names = { claude: "claude", codex: "codex", "pi-1.5": "pi", opencode: "opencode" };
const paths = Object.fromEntries(given.map((g) => g.split(/=(.*)/s)).filter(([name]) => names[name]));
const server = await serve(), tally = new Tally();
const turns = Number(process.env.SESS_TURNS ?? 6), dies = 3;

// files returns the sessions of a store: their text by their names.
const files = (dir) => !existsSync(dir) ? {} : Object.fromEntries(readdirSync(dir, { recursive: true }).filter((f) => /(^|\/)2[^/]*\.jsonl$/.test(f))
	.map((f) => [f, readFileSync(join(dir, f), "utf8")]));
// plain is a session without the entries that are beside the log.
const plain = (text) => text.split("\n").filter((l) => !/"type":"session_info"|"customType":"\w+:(leaf|lines|name|about)"/.test(l)).join("\n");

// begin starts a run that is killed when its model has stopped in the midst of a reply.
async function killed(argv, options, who) {
	const child = spawn(argv[0], argv.slice(1), { ...options, stdio: "ignore", detached: true });
	const ended = new Promise((resolve) => child.on("close", resolve));
	await Promise.race([server.stopped(who), ended]);
	await new Promise((resolve) => setTimeout(resolve, 300));
	try {
		process.kill(-child.pid, "SIGKILL");
	} catch { /* it has ended by itself */ }
	await ended;
}

async function wrong(name) {
	const a = agents[name], agent = names[name], dir = join(work, name), who = `collected-${name}`, project = join(dir, "project");
	const env = { PATH: process.env.PATH, ...a.home(dir, server.url(who)) };
	mkdirSync(project, { recursive: true });
	const key = ["ghp_1a2B3c4D5e6F7g8H9i0J", "kLmNoPqRsTuVwXyZ"].join(""), remote = join(dir, "remote");
	writeFileSync(join(project, "a.txt"), `the key is ${key}\n`);
	const tool = (store, ...argv) => spawnSync(argv[0], argv.slice(1), { encoding: "utf8", cwd: project, maxBuffer: 1 << 28, env: { ...env, SESS_DIR: join(dir, store), SESS_REMOTE: remote } });
	tool("open", "sess-sync", "init", remote);
	const before = { open: {}, clean: {} }, collect = (last) => {
		for (const [store, argv] of [["open", ["sess-import", "--all", "--store", agent]], ["clean", ["sess-sync", "push", "--agent", agent, "--redact"]]]) {
			// What may still change waits for an hour; in the end it is asked for, which is an import.
			const settled = last ? tool(store, "sess-import", "--all", "--store", ...store === "clean" ? ["--redact"] : [], "--settled", "0s", agent) : { status: 0 };
			if (![0, 1].includes(settled.status)) return `sess-import --settled 0s: status ${settled.status}: ${settled.stderr}`;
			const r = tool(store, ...argv);
			if (![0, 1].includes(r.status)) return `${argv.join(" ")}: status ${r.status}: ${r.stderr}`;
			const now = files(join(dir, store));
			for (const [f, text] of Object.entries(before[store])) if (!now[f]?.startsWith(text)) return `${store}: ${f} was rewritten`;
			before[store] = now;
		}
		return "";
	};
	// asked returns the command of a turn, whose answers the model has ready, in the session that is stored.
	const asked = (n) => {
		server.play(who, n === dies
			? [{ text: "I look.", calls: [a.read(join(project, "a.txt"))] }, { text: "And now I am in the midst of", hang: true }]
			: [{ text: `Turn ${n}.`, calls: [a.read(join(project, "a.txt")), a.bash(`echo ${n}`)] }, { text: `Answer ${n}.` }]);
		const [, ...stored] = a.stored(dir), resume = !stored[0] ? undefined : agent === "pi" ? stored[0]
			: agent === "opencode" ? JSON.parse(tool("open", "sess-import", "-q", agent, "--list").stdout.split("\n")[0] || "{}").session
			: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\.jsonl$)/.exec(stored[0])[0];
		return [a.argv(paths[name], `Question ${n}.`, { resume }), { cwd: project, env }];
	};
	for (let n = 0; n < turns; n++) {
		if (n === dies) await killed(...asked(n), who);
		else {
			let r = await run(...asked(n));
			if (r.status !== 0) { // a program may fail, as a user knows: what it has stored is collected, too
				const bad = collect(false);
				if (bad) return `turn ${n}, which ended with ${r.status}: ${bad}`;
				console.log(`${name}: turn ${n} ended with ${r.status}, and is asked again: ${r.stderr || r.stdout.trim().split("\n").at(-1)}`);
				r = await run(...asked(n));
			}
			if (r.status !== 0) return `turn ${n}: status ${r.status}: ${r.stderr || r.stdout.trim().split("\n").at(-1)}`;
		}
		const bad = collect(false);
		if (bad) return `turn ${n}: ${bad}`;
	}
	const bad = collect(true);
	if (bad) return bad;
	if (Object.keys(before.open).length !== 1) return `stored are ${Object.keys(before.open)}`;
	for (const [store, flags] of [["open", []], ["clean", ["--redact"]]]) {
		tool(`once-${store}`, "sess-import", "-q", "--all", "--store", "--settled", "0s", ...flags, agent);
		const once = files(join(dir, `once-${store}`));
		for (const [f, text] of Object.entries(before[store])) {
			if (plain(text) !== plain(once[f] ?? "")) return `${store}: ${f} is not what one import makes`;
			for (let n = 0; n < turns; n++) if (!text.includes(`Question ${n}.`)) return `${store}: question ${n} is lost`;
			if (text.includes(key) !== (store === "open")) return `${store}: the secret`;
		}
	}
	const [id] = Object.values(before.clean).map((text) => JSON.parse(text.split("\n")[0]).id), there = tool("clean", "sess-sync", "cat", id);
	return there.stdout === Object.values(before.clean)[0] ? "" : `the remote has something else: ${there.stderr}`;
}

await eachOf(drawn(Object.keys(paths)), async (name) => tally.check(`${name}: collected after each of ${turns} turns, one killed`, await wrong(name)));
tally.end("collected");
process.exit();
