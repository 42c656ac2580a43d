// Has a real Claude Code resume what sess-export wrote, and compares what it sends to
// its model with what sess-path --as anthropic prints of the session.
//
//   node claude.mjs PROGRAM WORK FILE...
//
// The tools are in PATH, and WORK is a directory for homes. A FILE is a session of ours,
// or one of Claude Code's, which is imported first. Prints one line a check and ends
// with status 1 if one fails.
//
// Both sides become a list of blocks. What Claude Code says by itself, in reminders or in
// the role system, is left out on both sides, and so are thinking without a signature and
// white space around a text; the content of a result is its text; and a summary stands
// between other words there.
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Tally, drawn, eachOf, run, spoken } from "./real.mjs";

const [program, work, ...files] = process.argv.slice(2);
const prompt = "and now?";
const asked = new Map(); // requests by the first element of their path

// A server of the messages API that says "fine" to everybody.
const server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
	let text = "";
	req.on("data", (more) => { text += more; }).on("end", () => {
		const [, who, ...path] = req.url.split("?")[0].split("/");
		if (req.method !== "POST" || path.join("/") !== "v1/messages") {
			res.writeHead(404, { "content-type": "application/json" });
			return res.end("{}");
		}
		const body = JSON.parse(text), id = `msg_${who}`;
		asked.set(who, [...asked.get(who) ?? [], body]);
		const usage = { input_tokens: 1, output_tokens: 1 };
		const message = { id, type: "message", role: "assistant", model: body.model, content: [], stop_reason: null, stop_sequence: null, usage };
		if (!body.stream) {
			res.setHeader("content-type", "application/json");
			return res.end(JSON.stringify({ ...message, content: [{ type: "text", text: "fine" }], stop_reason: "end_turn" }));
		}
		res.writeHead(200, { "content-type": "text/event-stream" });
		const send = (type, more) => res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
		send("message_start", { message });
		send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
		send("content_block_delta", { index: 0, delta: { type: "text_delta", text: "fine" } });
		send("content_block_stop", { index: 0 });
		send("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage });
		send("message_stop", {});
		res.end();
	});
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));

function sess(tool, input, ...args) {
	const r = spawnSync(tool, args, { input, encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status !== 0) throw new Error(`${tool} ${args.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout;
}

const list = (content) => typeof content === "string" ? [{ type: "text", text: content }] : content ?? [];

// said returns the blocks of messages in the form that is compared.
function said(messages, summary) {
	const out = [];
	for (const { role, content } of messages.filter((m) => m.role !== "system")) {
		for (const { cache_control: _, ...block } of list(content)) {
			if (block.type === "text") {
				block.text = block.text.trim();
				if (block.text.startsWith("<system-reminder>") || block.text === "") continue;
				if (summary && block.text.includes(summary)) block.text = summary;
			}
			if (block.type === "thinking" && block.signature === "") continue;
			if (block.type === "tool_result") {
				block.content = list(block.content).map((b) => b.type === "text" ? b.text : JSON.stringify(b)).join("");
				if (!block.is_error) delete block.is_error;
			}
			out.push({ role, ...block });
		}
	}
	return out;
}

async function wrong(file) {
	const who = basename(file, ".jsonl").replace(/[^\w-]/g, "_"), dir = join(work, who);
	const project = join(dir, "project"), config = join(dir, "config");
	mkdirSync(project, { recursive: true });
	mkdirSync(join(config, "projects"), { recursive: true });
	const session = sess("sess-import", undefined, "-q", file);
	const here = sess("sess-fork", session, "-q", "--branches", "--cwd", project);
	const path = sess("sess-export", here, "-q", "-o", join(config, "projects"), "claude").trim();
	const summary = here.split("\n").filter(Boolean).map((l) => JSON.parse(l)).filter((e) => e.type === "compaction").at(-1)?.summary.trim();
	const nobody = "http://127.0.0.1:9";
	const env = { PATH: process.env.PATH, HOME: dir, TMPDIR: dir, LANG: "C.UTF-8", CLAUDE_CONFIG_DIR: config, ANTHROPIC_API_KEY: "dummy",
		ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.address().port}/${who}`, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
		DISABLE_AUTOUPDATER: "1", DISABLE_TELEMETRY: "1", HTTPS_PROXY: nobody, HTTP_PROXY: nobody, NO_PROXY: "127.0.0.1" };
	const r = await run([program, "-p", "--tools", "", "--resume", basename(path, ".jsonl"), prompt], { cwd: project, env });
	const request = (asked.get(who) ?? []).find((b) => JSON.stringify(b.messages.at(-1)).includes(prompt) || JSON.stringify(b.messages.at(-2) ?? "").includes(prompt));
	if (r.status !== 0 || !request) return `status ${r.status}: ${r.stdout} ${r.stderr}`;
	if (!readFileSync(path, "utf8").includes('"fine"')) return "it did not go on with the file";
	const theirs = said(request.messages, summary), last = theirs.pop();
	if (last.text !== prompt) return `last is not the prompt: ${JSON.stringify(last)}`;
	const ours = said(JSON.parse(sess("sess-path", here, "-q", ...spoken("claude", here), "--as", "anthropic")).messages, summary)
		.filter((b) => b.type !== "thinking" || theirs.some((t) => isDeepStrictEqual(t, b)));
	for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
		if (!isDeepStrictEqual(ours[i], theirs[i])) return `block ${i + 1}: sent ${JSON.stringify(theirs[i])?.slice(0, 300)}, ours ${JSON.stringify(ours[i])?.slice(0, 300)}`;
	}
	return "";
}

mkdirSync(work, { recursive: true });
const tally = new Tally();
await eachOf(drawn(files), async (file) => {
	let why;
	try {
		why = await wrong(file);
	} catch (e) {
		why = e.stack;
	}
	tally.check(`Claude Code resumes ${basename(file, ".jsonl")}`, why);
});
tally.end("Claude Code: sessions we exported");
process.exit();
