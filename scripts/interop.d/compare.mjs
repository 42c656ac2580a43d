// Compares what a real pi says of a session with what our tools say.
//
//   node compare.mjs VERSION PACKAGE DIR FILE...
//
// DIR holds sess-path, sess-fork, sess-compact, sess-ls and sess-stat. Prints one line a check and
// ends with status 1 if one fails.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { asked } from "./pi.mjs";

const [version, root, bin, ...files] = process.argv.slice(2);
const pi = asked(root);
const printed = (tool, ...args) => {
	const r = spawnSync(join(bin, tool), args, { encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status > 1) throw new Error(`${tool} ${args.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout;
};
const sess = (...args) => printed(...args).split("\n").filter(Boolean).map((l) => JSON.parse(l));

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
	check(`${name}: labels`, theirs.labels, state.labels);
	if (theirs.messages.some((m) => m.role === "assistant")) { // else pi defers writing
		const copy = join(scratch, name);
		copyFileSync(file, copy);
		const after = await pi("continue", copy);
		check(`${name}: continued by pi`, after.path, sess("sess-path", "-q", "--no-header", copy).map((e) => e.id));
	}
	if (version.startsWith("0.73")) continue; // its cut and its forks differ by design
	check(`${name}: tokens of the context`, theirs.tokens, state.contextTokens);
	for (const keep of ["200", "2000", "20000"]) {
		const [plan] = sess("sess-compact", "-q", "--plan", "--keep", keep, file);
		const made = await pi("plan", file, keep);
		check(`${name}: plan, keep ${keep}`, made?.plan ?? null, plan ? {
			firstKeptEntryId: plan.firstKeptEntryId, isSplitTurn: plan.isSplitTurn, tokensBefore: plan.tokensBefore,
			summarize: plan.messagesToSummarize.length, prefix: plan.turnPrefixMessages.length, previousSummary: plan.previousSummary, files: lists(plan.fileOps),
		} : null);
		if (!plan || !made || made.texts.length === 0 || !version.startsWith("1.")) continue; // 0.87 has thinking in it
		const prompt = printed("sess-compact", "-q", "--print-prompt", "--max-prompt", "1000000", "--keep", keep, file);
		check(`${name}: text for the summarizer, keep ${keep}`, made.texts.filter((text) => !prompt.includes(text)), []);
	}
	for (const head of version.startsWith("1.") ? state.heads.filter((id) => id !== state.leaf) : []) {
		const left = await pi("branch", file, state.leaf, head);
		if (left.empty || !left.text) continue; // an empty summary is left out here, and content that is none is too much for pi
		const prompt = printed("sess-compact", "-q", "--print-prompt", "--max-prompt", "1000000", "--branch", head, file);
		check(`${name}: text for the summary of a branch, back to ${head}`, prompt.includes(left.text) ? "" : left.text, "");
	}
	const [row] = sess("sess-ls", "-q", "--json", file);
	if (!/[\u2028\u2029]/.test(readFileSync(file, "utf8"))) { // which end lines for pi's listing
		// An agent's own words, and copies that a compaction put back, are no messages here.
		const other = readFileSync(file, "utf8").split("\n").filter((l) => /"harness"|"copy"/.test(l)).map((l) => JSON.parse(l))
			.filter((e) => e.type === "message" && (e.copy === true || [e.message.content].flat().every((b) => b?.harness))).length;
		const rows = await pi("listed", file); // none for a session with invalid content, which is listed here
		if (rows.length > 0) check(`${name}: listing`, rows.map((r) => ({ ...r, name: r.name?.replace(/\s+/g, " ") ?? null })), [{ id: row.session, messages: row.messages + other, name: row.titleFrom === "stored" ? row.title : null, modified: row.modified }]);
	}
	if (version.startsWith("1.")) { // 0.87 has no such sums
		const total = sess("sess-stat", "-q", "--usage", "--cost", "stored", "--json", file).find((r) => r.kind === "total");
		const sums = await pi("totals", file), cost = (n) => Math.round((n ?? 0) * 1e9);
		if (sums) check(`${name}: totals`, [sums.tokens, cost(sums.cost)], [total?.tokens?.total ?? 0, cost(total?.stored)]);
	}
	if (!state.leaf || state.problems > 0) continue;
	const fork = await pi("fork", file, state.leaf); // null for one without words of the user, which pi keeps for itself
	if (fork) check(`${name}: fork`, masked(fork), masked(untitled(sess("sess-fork", "-q", file))));
	check(`${name}: fork of all branches`, (await pi("forked", file))?.slice(1), untitled(sess("sess-fork", "-q", "--branches", file)).slice(1));
}
console.log(`interop: pi ${version}: ${checks - failed} of ${checks} checks agree`);
process.exit(failed ? 1 : 0);

// lists are the lists of files that a summary has of what calls did.
function lists({ read, written, edited }) {
	const modified = [...new Set([...written, ...edited])].sort();
	return { readFiles: [...new Set(read)].filter((f) => !modified.includes(f)).sort(), modifiedFiles: modified };
}

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
