// Has a real pi continue sessions in print mode, and compares what it sends to
// its model with what sess-path --as openai prints.
//
//   node continue.mjs VERSION PROGRAM WORK FILE...
//
// The tools are in PATH, and WORK is a directory for copies. Our tools have to see what pi
// sent and was answered; and pi continues the file once more, after another
// compaction. Prints one line a session and ends with status 1 if a
// check fails.
//
// Before they are compared, messages are stripped of what is a matter of provider
// and model: the system prompt, thinking, and members other than role, content,
// tool_calls and tool_call_id; a text is the same as a list with that text alone.
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { serve } from "./mock.mjs";
import { Tally, drawn, eachOf, homes, model, run } from "./real.mjs";

const [version, program, work, ...operands] = process.argv.slice(2);
const rounds = 2;
const summarizer = "cat >/dev/null; echo '## Goal'; echo to go on; echo '## Original Request'; echo the same";

const list = (content) => typeof content === "string" ? [{ type: "text", text: content }] : content;
const normal = (messages) => messages.filter((m) => m.role !== "system" && m.role !== "developer").map((m) => ({
	role: m.role, content: list(m.content ?? []), tool_calls: m.tool_calls ?? [], tool_call_id: m.tool_call_id ?? null,
}));

function sess(tool, ...args) {
	const r = spawnSync(tool, args, { encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status !== 0) throw new Error(`${tool} ${args.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout;
}
const ours = (file) => normal(JSON.parse(sess("sess-path", "-q", "--harness", "keep", "--as", "openai", file)));

// differ says where two lists of messages part.
function differ(theirs, ours) {
	if (isDeepStrictEqual(theirs, ours)) return "";
	const at = Math.max(0, Array.from({ length: Math.max(theirs.length, ours.length) }, (_, i) => i).find((i) => !isDeepStrictEqual(theirs[i], ours[i])));
	const show = (m) => (JSON.stringify(m[at]) ?? "nothing").slice(0, 1200);
	return `message ${at + 1} of ${theirs.length} and ${ours.length}\n  pi:   ${show(theirs)}\n  sess: ${show(ours)}`;
}

const tally = new Tally();
const server = await serve();

// continued has pi go on with a copy, and returns what it sent before the prompt,
// the prompt, and what it was answered.
async function continued(copy, who, round) {
	const dir = join(work, who), prompt = `go on, round ${round}`;
	const env = { ...homes.pi(dir, server.url("good", who)), PATH: process.env.PATH };
	const before = readFileSync(copy, "utf8");
	const pi = await run([process.execPath, program, "-p", "--provider", "mock", "--model", model, "-nt", "-ne", "-ns", "-np", "-nc", "--session", copy, prompt],
		{ cwd: join(dir, "project"), env });
	const requests = server.asked(who), sent = normal(requests.at(-1)?.messages ?? []), asked = sent.pop();
	let wrong = "";
	if (pi.status !== 0 || requests.length !== round) wrong = `status ${pi.status}, ${requests.length} requests: ${pi.stderr}`;
	else if (!isDeepStrictEqual(asked, normal([{ role: "user", content: prompt }])[0])) wrong = `last is not the prompt: ${JSON.stringify(asked)}`;
	else if (!readFileSync(copy, "utf8").startsWith(before)) wrong = "pi rewrote lines that were there";
	return { wrong, sent, asked, answer: { role: "assistant", content: pi.stdout.trimEnd() } };
}

// wrong has pi continue one session, and says what is not as it has to be.
async function wrong(file) {
	const who = `${version}-${basename(file, ".jsonl")}`, copy = join(work, `${who}.jsonl`);
	copyFileSync(file, copy);
	for (let round = 1, expected = ours(file); round <= rounds; round++, expected = ours(copy)) {
		const pi = await continued(copy, who, round);
		if (pi.wrong) return `round ${round}: ${pi.wrong}`;
		const sends = differ(pi.sent, expected);
		if (sends) return `round ${round}: pi sends otherwise: ${sends}`;
		const sees = differ([...pi.sent, pi.asked, ...normal([pi.answer])], ours(copy));
		if (sees) return `round ${round}: sess-path sees otherwise what pi wrote: ${sees}`;
		if (round < rounds) sess("sess-compact", "-q", "--keep", "300", copy, "--", "sh", "-c", summarizer);
	}
	return "";
}

await eachOf(drawn(operands), async (file) => {
	tally.check(`pi ${version} continues ${basename(file, ".jsonl")}, twice`, await wrong(file));
});
tally.check(`pi ${version} asks its model for nothing else`, server.strangers.join(", "));
server.close();
tally.end(`pi ${version}: sessions we compacted`);
