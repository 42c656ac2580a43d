// Has a real opencode import what sess-export wrote, and continue it, and compares what
// it sends to its model with what sess-path --as openai prints of the session.
//
//   node opencode.mjs PROGRAM WORK FILE...
//
// The tools are in PATH, and WORK is a directory for homes. A FILE is a session. What
// opencode exports after importing has to be what it was given; what it exports after
// going on, sess-import has to read as what was sent and answered. Prints one line a check
// and ends with status 1 if one fails.
//
// Before they are compared, messages are stripped of what is not the session's: the
// system prompt, the words around a summary and in front of the images of results, ids of calls, which
// are numbered. Thinking is plain text to opencode if it is another model's; it is made so
// before sess-path looks.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { serve } from "./mock.mjs";
import { Tally, drawn, eachOf, homes, model, run, spoken } from "./real.mjs";

const [program, work, ...files] = process.argv.slice(2);
const prompt = "Onward";

function sess(tool, ...args) {
	const r = spawnSync(tool, args, { encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status !== 0) throw new Error(`${tool} ${args.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout;
}

const before = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n", after = "\n</summary>";
const heading = /^(Images of the result of call .*:|Attached media from tool result:)$/;

// normal returns messages in the form that is compared.
function normal(messages) {
	const ids = new Map();
	const number = (id) => id && (ids.get(id) ?? (ids.set(id, ids.size), ids.get(id)));
	return messages.filter((m) => m.role !== "system").flatMap((m) => {
		const parts = typeof m.content === "string" ? [{ type: "text", text: m.content }] : m.content ?? [];
		const text = parts[0]?.text ?? "";
		if (m.role === "user" && text.startsWith(before) && text.endsWith(after)) {
			return [{ role: "user", content: ["What did we do so far?"] }, { role: "assistant", content: text.slice(before.length, -after.length), calls: [] }];
		}
		const content = parts.filter((p) => !heading.test(p.text ?? "")).map((p) => p.text ?? p.image_url.url);
		switch (m.role) {
		case "assistant":
			return { role: m.role, content: content.join(""), calls: (m.tool_calls ?? []).map((c) => [number(c.id), c.function.name, JSON.parse(c.function.arguments)]) };
		case "tool":
			return { role: m.role, call: number(m.tool_call_id), content: content.join("").replace(/^\(images follow\)$/, "") };
		}
		return { role: m.role === "developer" ? "user" : m.role, content }; // opencode has no other role for it
	});
}

// plain returns a session with the thinking of other models as text.
function plain(text) {
	return text.split("\n").map((line) => {
		let entry;
		try { entry = JSON.parse(line); } catch { return line; }
		const { role, content, provider, model: name } = entry.message ?? {};
		if (role !== "assistant" || !Array.isArray(content) || provider === "mock" && name === model) return line;
		entry.message.content = content.flatMap((b) => b.type !== "thinking" ? b : b.thinking.trim() ? { type: "text", text: b.thinking } : []);
		return JSON.stringify(entry);
	}).join("\n");
}

function ours(file, copy) {
	const session = plain(readFileSync(file, "utf8"));
	writeFileSync(copy, session);
	return normal(JSON.parse(sess("sess-path", "-q", ...spoken("opencode", session), "--as", "openai", copy)));
}

// differ says where two lists part.
function differ(theirs, ours) {
	if (isDeepStrictEqual(theirs, ours)) return "";
	const at = Array.from({ length: Math.max(theirs.length, ours.length) }, (_, i) => i).find((i) => !isDeepStrictEqual(theirs[i], ours[i]));
	const show = (m) => (JSON.stringify(m[at]) ?? "nothing").slice(0, 1200);
	return `message ${at + 1} of ${theirs.length} and ${ours.length}\n  opencode: ${show(theirs)}\n  sess:     ${show(ours)}`;
}

// own returns an export without what belongs to the place it was imported to.
function own(text) {
	const { info: { projectID, directory, path, time, ...info }, messages } = JSON.parse(text);
	return { info: { ...info, created: time.created, archived: time.archived }, messages };
}

const tally = new Tally();
const server = await serve();

// goesOn has opencode import a session and go on with it.
async function goesOn(file) {
	const who = basename(file, ".jsonl"), dir = join(work, who);
	const env = { ...homes.opencode(dir, server.url("good", who)), PATH: process.env.PATH }, cwd = join(dir, "project");
	const opencode = (...args) => run([program, ...args], { cwd, env });
	// Its output is cut off on a pipe, so it goes to a file.
	const exported = async (id, to) => {
		const r = await run(["sh", "-c", 'exec "$0" export "$1" >"$2"', program, id, to], { cwd, env });
		if (r.status !== 0) throw new Error(`exporting again: ${r.stderr}`);
		return readFileSync(to, "utf8");
	};
	const given = join(dir, "given.json");
	sess("sess-export", "-q", "-o", given, "opencode", file);
	const { info: { id, title } } = JSON.parse(readFileSync(given, "utf8"));
	const imported = await opencode("import", given);
	if (!imported.stdout.includes(`Imported session: ${id}`)) return `not imported: ${imported.stdout}${imported.stderr}`;
	const again = own(await exported(id, join(dir, "again.json"))), first = own(readFileSync(given, "utf8"));
	if (!isDeepStrictEqual(again, first)) return `exported again it is another: ${differ([again.info, ...again.messages], [first.info, ...first.messages])}`;
	const r = await opencode("run", "-s", id, "-m", `mock/${model}`, prompt);
	const request = server.asked(who).find((b) => JSON.stringify(b.messages.at(-1)).includes(prompt) && b.tools?.length);
	if (r.status !== 0 || !request) return `not continued: status ${r.status}: ${r.stderr}`;
	const sent = normal(request.messages), expected = [...ours(file, join(dir, "plain.jsonl")), { role: "user", content: [prompt] }];
	const sends = differ(sent, expected);
	if (sends) return `sends otherwise: ${sends}`;
	await exported(id, join(dir, "after.json"));
	sess("sess-import", "-q", "-o", join(dir, "after.jsonl"), "opencode", join(dir, "after.json"));
	const read = ours(join(dir, "after.jsonl"), join(dir, "after-plain.jsonl")), answer = read.pop();
	if (answer?.role !== "assistant" || !answer.content.startsWith("## Goal")) return `the answer is read as ${JSON.stringify(answer)}`;
	const reads = differ(sent, read);
	if (reads) return `is read otherwise: ${reads}`;
	return title ? "" : "it has no title";
}

await eachOf(drawn(files), async (file) => {
	const what = `opencode goes on with ${basename(file)}`;
	try {
		tally.check(what, await goesOn(file));
	} catch (e) {
		tally.check(what, String(e));
	}
});
server.close();
tally.end("sessions in opencode");
process.exit();
