// Compares what a real pi says of a session with what our tools say.
//
//   node compare.mjs VERSION PACKAGE DIR FILE...
//
// DIR holds sess-path, sess-fork and sess-compact. Prints one line a check and
// ends with status 1 if one fails.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { asked } from "./pi.mjs";

const [version, root, bin, ...files] = process.argv.slice(2);
const pi = asked(root);
const sess = (tool, ...args) => {
	const r = spawnSync(join(bin, tool), args, { encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status > 1) throw new Error(`${tool} ${args.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout.split("\n").filter(Boolean).map((l) => JSON.parse(l));
};

const scratch = mkdtempSync(join(tmpdir(), "sess-interop-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
let failed = 0, checks = 0;
function check(what, theirs, ours) {
	checks++;
	const same = isDeepStrictEqual(theirs, ours);
	if (!same) failed++;
	console.log(`${same ? "ok  " : "FAIL"} pi ${version}: ${what}`);
	if (!same) console.log(`  pi:   ${JSON.stringify(theirs)}`.slice(0, 2000) + `\n  sess: ${JSON.stringify(ours)}`.slice(0, 2000));
}

for (const file of files) {
	const name = file.split("/").at(-1);
	const theirs = await pi("open", file);
	const [state] = sess("sess-path", "-q", "--as", "state", file);
	const [context] = sess("sess-path", "-q", "--as", "context", file);
	const path = sess("sess-path", "-q", "--no-header", file).map((e) => e.id);
	check(`${name}: leaf`, theirs.leaf, state.leaf);
	check(`${name}: path`, theirs.path, path);
	check(`${name}: name`, theirs.name, state.title);
	check(`${name}: context`, [theirs.messages, theirs.model, theirs.thinkingLevel], [context.messages, context.model, context.thinkingLevel]);
	if (theirs.messages.some((m) => m.role === "assistant")) { // else pi defers writing
		const copy = join(scratch, name);
		copyFileSync(file, copy);
		const after = await pi("continue", copy);
		check(`${name}: continued by pi`, after.path, sess("sess-path", "-q", "--no-header", copy).map((e) => e.id));
	}
	if (version.startsWith("0.73")) continue; // its cut and its forks differ by design
	for (const keep of ["200", "2000", "20000"]) {
		const [plan] = sess("sess-compact", "-q", "--plan", "--keep", keep, file);
		check(`${name}: plan, keep ${keep}`, await pi("plan", file, keep), plan ? {
			firstKeptEntryId: plan.firstKeptEntryId, isSplitTurn: plan.isSplitTurn, tokensBefore: plan.tokensBefore,
			summarize: plan.messagesToSummarize.length, prefix: plan.turnPrefixMessages.length,
		} : null);
	}
	if (!state.leaf || state.problems > 0) continue;
	check(`${name}: fork`, masked(await pi("fork", file, state.leaf)), masked(untitled(sess("sess-fork", "-q", file))));
}
console.log(`interop: pi ${version}: ${checks - failed} of ${checks} checks agree`);
process.exit(failed ? 1 : 0);

// untitled leaves out the entry with the new name, which a fork of ours ends in
// if the session has a name.
function untitled(lines) {
	return lines[0].title && lines.at(-1).type === "session_info" ? lines.slice(0, -1) : lines;
}

// masked leaves out what is new in every fork: the header, and the ids of the
// labels that are set anew.
function masked(lines) {
	if (!lines) return null;
	const kept = lines.slice(1);
	const fresh = new Map(kept.filter((e) => e.type === "label").map((e, i) => [e.id, `label ${i}`]));
	const mask = (id) => fresh.get(id) ?? id;
	return kept.map((e) => ({ ...e, id: mask(e.id), parentId: mask(e.parentId) }));
}
