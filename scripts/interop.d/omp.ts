// Runs the session code of a real oh-my-pi, with the agent directory that
// PI_CODING_AGENT_DIR names, and prints what it sees as lines of JSON.
//
//   bun omp.ts PACKAGE write DIR       makes a session in DIR, prints its path
//   bun omp.ts PACKAGE load FILE...    whether it loads every entry of each
//   bun omp.ts PACKAGE state FILE...   leaf, and roles of the context of each
//   bun omp.ts PACKAGE history DB QUERY...
//                                      adds the prompts of standard input, [prompt, cwd, session] in each line, to a
//                                      database; prints for each query the prompts it finds, "" for the recent ones
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [root, what, ...files] = process.argv.slice(2);
const file = files[0];
const { SessionManager } = await import(join(root, "src/session/session-manager.ts"));
if (what === "history") {
	const { HistoryStorage } = await import(join(root, "src/session/history-storage.ts"));
	const [, ...queries] = files;
	const h = HistoryStorage.open(file);
	for (const line of readFileSync(0, "utf8").split("\n").filter((l) => l !== "")) await h.add(...(JSON.parse(line) as [string, string, string]));
	const found = queries.map((q) => (q === "" ? h.getRecent(1000) : h.search(q, 1000)));
	for (const rows of found) process.stdout.write(JSON.stringify(rows.map((r: { prompt: string }) => r.prompt)) + "\n");
	process.exit();
}
const scratch = mkdtempSync(join(tmpdir(), "sess-interop-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const print = (values: unknown[]) => process.stdout.write(values.map((v) => JSON.stringify(v) + "\n").join(""));

if (what === "write") {
	const m = SessionManager.create("/", file);
	const image = { type: "image", data: Buffer.alloc(1500, "oh-my-pi").toString("base64"), mimeType: "image/webp" };
	m.appendMessage({ role: "user", content: [{ type: "text", text: "look" }, image], timestamp: 1 });
	m.appendMessage({ role: "assistant", content: [{ type: "text", text: "seen" }], api: "a", provider: "p", model: "m",
		usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
		stopReason: "stop", timestamp: 2 });
	await m.flush();
	await m.close();
	process.stdout.write(m.getSessionFile() + "\n");
} else if (what === "load") {
	// Entries a repair leaves alone, since they are sound to others, and that
	// keep it from opening a file: without a message, or without costs.
	const closed = ["edge-msg_entry_no_message.jsonl", "sessions-not-a-session.jsonl", "sessions-v1-compaction.jsonl"];
	for (const [i, name] of files.entries()) {
		if (closed.some((c) => name.endsWith(c))) continue;
		const copy = join(scratch, `${i}.jsonl`);
		copyFileSync(name, copy);
		const lines = readFileSync(name, "utf8").trimEnd().split("\n").map((l) => JSON.parse(l));
		const ours = lines.filter((e) => e.type !== "title" && e.type !== "session").map((e) => e.id);
		let m: any;
		try {
			m = await SessionManager.open(copy, undefined, undefined, { initialCwd: scratch });
		} catch (e) {
			process.stdout.write(`FAIL oh-my-pi cannot open ${name.split("/").at(-1)}: ${e}\n`);
			process.exitCode = 1;
			continue;
		}
		const theirs = m.getEntries().map((e: { id: string }) => e.id);
		const same = JSON.stringify(ours) === JSON.stringify(theirs);
		process.stdout.write(`${same ? "ok  " : "FAIL"} oh-my-pi loads every entry of ${name.split("/").at(-1)}\n`);
		if (!same) process.exitCode = 1;
	}
} else if (what === "state") {
	for (const [i, name] of files.entries()) {
		const copy = join(scratch, `${i}.jsonl`);
		copyFileSync(name, copy);
		const m = await SessionManager.open(copy, undefined, undefined, { initialCwd: scratch });
		print([[m.getLeafId(), m.buildSessionContext().messages.map((x: { role: string }) => x.role)]]);
	}
} else {
	const copy = join(scratch, "s.jsonl");
	copyFileSync(file, copy);
	const m = await SessionManager.open(copy, undefined, undefined, { initialCwd: scratch });
	if (what === "open") {
		print(m.getEntries());
	} else {
		await m.rewriteEntries();
		await m.flush();
		await m.close();
		print(readFileSync(copy, "utf8").trimEnd().split("\n").map((l) => JSON.parse(l)).filter((e) => e.type !== "title" && e.type !== "session"));
	}
}
process.exit();
