// Runs the session code of a real pi on a copy of a file, and prints what it
// sees as one JSON object; entries does so of many files, one a line.
//
//   node pi.mjs PACKAGE open FILE
//   node pi.mjs PACKAGE entries FILE...
//   node pi.mjs PACKAGE plan FILE KEEP
//   node pi.mjs PACKAGE fork FILE LEAF
//   node pi.mjs PACKAGE continue FILE        appends to FILE itself
//   node pi.mjs PACKAGE compact FILE         so does this, a compaction
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const [root, what, file, arg] = process.argv.slice(2);
const core = join(root, "dist/core");
const { SessionManager } = await import(join(core, "session-manager.js"));
const scratch = mkdtempSync(join(tmpdir(), "sess-interop-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const copied = (file) => {
	const copy = join(scratch, basename(file));
	copyFileSync(file, copy);
	return copy;
};
const copy = copied(file);
const print = (value) => process.stdout.write(JSON.stringify(value) + "\n");

if (what === "open") {
	const m = SessionManager.open(copy);
	const context = m.buildSessionContext();
	print({
		leaf: m.getLeafId(), name: m.getSessionName() ?? null, path: m.getBranch().map((e) => e.id),
		messages: context.messages, model: context.model, thinkingLevel: context.thinkingLevel,
	});
} else if (what === "entries") {
	for (const name of process.argv.slice(4)) {
		const m = SessionManager.open(copied(name));
		print({ entries: m.getEntries().map((e) => e.id), leaf: m.getLeafId(), path: m.getBranch().map((e) => e.id) });
	}
} else if (what === "plan") {
	const { DEFAULT_COMPACTION_SETTINGS, prepareCompaction } = await import(join(core, "compaction/compaction.js"));
	const p = prepareCompaction(SessionManager.open(copy).getBranch(), { ...DEFAULT_COMPACTION_SETTINGS, keepRecentTokens: Number(arg) });
	print(p ? { firstKeptEntryId: p.firstKeptEntryId, isSplitTurn: p.isSplitTurn, tokensBefore: p.tokensBefore,
		summarize: p.messagesToSummarize.length, prefix: p.turnPrefixMessages.length } : null);
} else if (what === "fork") {
	const m = SessionManager.open(copy, scratch);
	const out = m.createBranchedSession(arg);
	print(existsSync(out) ? readFileSync(out, "utf8").trimEnd().split("\n").map((l) => JSON.parse(l)) : null);
} else if (what === "continue") {
	const m = SessionManager.open(file);
	const id = m.appendMessage({ role: "user", content: [{ type: "text", text: "continued by pi" }], timestamp: Date.now() });
	print({ id, path: m.getBranch().map((e) => e.id) });
} else if (what === "compact") {
	const m = SessionManager.open(file);
	print({ id: m.appendCompaction("compacted by pi", m.getBranch().at(-1).id, 1000) });
}
