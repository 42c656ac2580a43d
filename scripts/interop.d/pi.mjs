// Runs the session code of a real pi on copies of files. It reads requests, one a line of standard input, each a
// list of words in JSON, and prints for each one line: what it sees as JSON.
//
//   node pi.mjs PACKAGE
//
//   ["open",FILE]
//   ["entries",FILE]
//   ["plan",FILE,KEEP]
//   ["branch",FILE,OLD,TARGET]
//   ["listed",FILE]
//   ["totals",FILE]
//   ["fork",FILE,LEAF]
//   ["forked",FILE]          all branches
//   ["continue",FILE]        appends to FILE itself
//   ["compact",FILE]         so does this, a compaction
//
// Others use it by [asked], which starts it once: a pi takes a second of the processor to start.
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

// asked starts the pi in a directory, and returns what asks it one thing.
export function asked(root) {
	const child = spawn(process.execPath, [fileURLToPath(import.meta.url), root], { stdio: ["pipe", "pipe", "inherit"] });
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const ask = async (...words) => {
		child.stdin.write(JSON.stringify(words) + "\n");
		const { value, done } = await lines.next();
		if (done) throw new Error(`pi ended when it was asked ${words.join(" ")}`);
		return JSON.parse(value);
	};
	ask.end = () => child.stdin.end();
	return ask;
}

async function answer(root) {
	const core = join(root, "dist/core");
	const { SessionManager } = await import(join(core, "session-manager.js"));
	const scratch = mkdtempSync(join(tmpdir(), "sess-interop-"));
	process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
	const copied = (file) => { // since pi mends a torn last line where it reads
		const copy = join(scratch, basename(file));
		copyFileSync(file, copy);
		return copy;
	};
	const opened = (file, ...dir) => SessionManager.open(copied(file), ...dir);
	const compaction = await import(join(core, "compaction/compaction.js"));
	const { computeFileLists, serializeConversation } = await import(join(core, "compaction/utils.js"));
	const { convertToLlm } = await import(join(core, "messages.js"));
	const text = (messages) => serializeConversation(convertToLlm(messages));
	const images = (messages) => /"type":"image"/.test(JSON.stringify(messages));
	const answers = {
		open(file) {
			const m = opened(file), context = m.buildSessionContext();
			return {
				labels: Object.fromEntries(m.getEntries().flatMap((e) => m.getLabel(e.id) ? [[e.id, m.getLabel(e.id)]] : [])),
				tokens: m.buildSessionProjection ? compaction.estimateProjectedContextTokens(m.buildSessionProjection(), m.getBranch()).tokens : null,
				leaf: m.getLeafId(), name: m.getSessionName() ?? null, path: m.getBranch().map((e) => e.id),
				messages: context.messages, model: context.model, thinkingLevel: context.thinkingLevel,
			};
		},
		entries(file) {
			const m = opened(file);
			return { entries: m.getEntries().map((e) => e.id), leaf: m.getLeafId(), path: m.getBranch().map((e) => e.id) };
		},
		async plan(file, keep) {
			const { DEFAULT_COMPACTION_SETTINGS, prepareCompaction } = compaction;
			const p = prepareCompaction(opened(file).getBranch(), { ...DEFAULT_COMPACTION_SETTINGS, keepRecentTokens: Number(keep) });
			return p ? { plan: { firstKeptEntryId: p.firstKeptEntryId, isSplitTurn: p.isSplitTurn, tokensBefore: p.tokensBefore,
				summarize: p.messagesToSummarize.length, prefix: p.turnPrefixMessages.length, previousSummary: p.previousSummary ?? null,
				files: computeFileLists(p.fileOps) },
			texts: images([...p.messagesToSummarize, ...p.turnPrefixMessages]) ? [] : [text(p.messagesToSummarize), text(p.turnPrefixMessages)].filter(Boolean) } : null;
		},
		async branch(file, old, target) {
			const b = await import(join(core, "compaction/branch-summarization.js"));
			const { entries } = b.collectEntriesForBranchSummary(opened(file), old, target);
			let messages = [];
			try { ({ messages } = b.prepareBranchEntries(entries, 0)); } catch (e) { if (!(e instanceof TypeError)) throw e; }
			return { entries: entries.length, empty: entries.some((e) => e.type === "branch_summary" && !e.summary), text: messages.length === 0 || images(messages) ? "" : text(messages) };
		},
		async listed(file) {
			const dir = mkdtempSync(join(scratch, "list-"));
			copyFileSync(file, join(dir, basename(file)));
			return (await SessionManager.listAll(dir)).map((s) => ({ id: s.id, messages: s.messageCount, name: s.name ?? null, modified: s.modified.toISOString() }));
		},
		async totals(file) {
			const { getUsageCostBreakdown } = await import(join(core, "usage-totals.js"));
			try {
				return getUsageCostBreakdown(opened(file).getEntries()).reduce((sum, e) => ({ tokens: sum.tokens + e.tokens, cost: sum.cost + e.cost }), { tokens: 0, cost: 0 });
			} catch {
				return null; // a usage without a cost is too much for pi
			}
		},
		forked(file) {
			const out = SessionManager.forkFrom(copied(file), scratch, mkdtempSync(join(scratch, "fork-"))).getSessionFile();
			return existsSync(out) ? readFileSync(out, "utf8").trimEnd().split("\n").map((l) => JSON.parse(l)) : null;
		},
		fork(file, leaf) {
			const out = opened(file, scratch).createBranchedSession(leaf);
			return existsSync(out) ? readFileSync(out, "utf8").trimEnd().split("\n").map((l) => JSON.parse(l)) : null;
		},
		continue(file) {
			const m = SessionManager.open(file);
			const id = m.appendMessage({ role: "user", content: [{ type: "text", text: "continued by pi" }], timestamp: Date.now() });
			return { id, path: m.getBranch().map((e) => e.id) };
		},
		compact(file) {
			const m = SessionManager.open(file);
			return { id: m.appendCompaction("compacted by pi", m.getBranch().at(-1).id, 1000) };
		},
	};
	for await (const line of createInterface({ input: process.stdin })) {
		const [what, ...words] = JSON.parse(line);
		// To node's readline U+2028 and U+2029 end lines, too.
		process.stdout.write(JSON.stringify(await answers[what](...words)).replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`) + "\n");
	}
}
if (process.argv[1] === fileURLToPath(import.meta.url)) await answer(process.argv[2]);
