// Has a real pi or oh-my-pi write sessions again that were imported from other agents,
// and looks whether what is kept for the way back has come through.
//
//   node kept.mjs pi PACKAGE AGENT=SOURCE...
//   node kept.mjs omp BUN PACKAGE AGENT=SOURCE...
//
// The tools are in PATH. pi migrates a copy whose header says version 2, appends a message,
// compacts it and forks it; oh-my-pi writes its entries anew. The member "kept" of each entry has to be
// the one it was, and an export of what oh-my-pi wrote, and of pi's fork before its message, has to be
// the bytes that an export of the import is. Prints one line a session and ends with status 1 if a check
// fails.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { asked } from "./pi.mjs";
import { Tally } from "./real.mjs";

const [which, ...rest] = process.argv.slice(2);
const bun = which === "omp" ? rest.shift() : "";
const [root, ...sources] = rest;
const here = dirname(fileURLToPath(import.meta.url));
const work = mkdtempSync(join(tmpdir(), "sess-interop-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));

function output(program, args, input = "") {
	const r = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28, input });
	if (r.status !== 0) throw new Error(`${program} ${args.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout;
}
const lines = (text) => text.trimEnd().split("\n").map((l) => JSON.parse(l));
const keeps = (entries) => Object.fromEntries(entries.filter((e) => e.kept).map((e) => [e.id, e.kept]));
const pi = which === "pi" ? asked(root) : undefined;

// rewritten returns the lines of a session as the program has written them again, by what it did.
async function rewritten(file) {
	if (which === "omp") return { "writes anew": lines(output(bun, [join(here, "omp.ts"), root, "persist", file])) };
	const old = join(work, "old.jsonl");
	const [header, ...entries] = readFileSync(file, "utf8").trimEnd().split("\n");
	writeFileSync(old, [header.replace('"version":3', '"version":2'), ...entries].join("\n") + "\n");
	const { leaf } = await pi("open", file);
	const fork = await pi("fork", file, leaf);
	await pi("continue", old);
	await pi("compact", old);
	await pi("continue", old);
	return { forks: fork, "migrates, appends and compacts": lines(readFileSync(old, "utf8")).slice(0, entries.length + 1) };
}

const tally = new Tally();
for (const source of sources) {
	const agent = source.slice(0, source.indexOf("=")), path = source.slice(agent.length + 1);
	const file = join(work, "s.jsonl");
	const imported = output("sess-import", ["-q", agent, path]);
	writeFileSync(file, imported);
	const [header, ...before] = lines(imported);
	const whole = output("sess-export", ["-q", agent], imported);
	for (const [did, written] of Object.entries(await rewritten(file))) {
		const entries = written.filter((e) => e.type !== "session" && e.type !== "title");
		const there = new Set(entries.map((e) => e.id)), want = keeps(before.filter((e) => there.has(e.id)));
		let wrong = "";
		if (Object.keys(want).length === 0) wrong = "the import kept nothing";
		else if (!isDeepStrictEqual(keeps(entries), want)) wrong = `kept ${Object.keys(keeps(entries)).length} of ${Object.keys(want).length}`;
		else if (entries.length === before.length) {
			const text = [header, ...entries].map((l) => JSON.stringify(l) + "\n").join("");
			if (output("sess-export", ["-q", agent], text) !== whole) wrong = "an export is something else now";
		}
		tally.check(`${which} ${did} what ${agent} has in ${basename(path)}`, wrong);
	}
}
pi?.end();
tally.end(`${which}: what is kept of other agents' lines`);
