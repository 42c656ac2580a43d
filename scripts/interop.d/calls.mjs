// Counts the calls of sessions in the files that their agents wrote, and compares that with what sess-calls lists of them: how many
// there are, and how each command ended. sess-grep has to find the same.
//
//   node calls.mjs WORK DIRECTORY...
//
// The sessions below a DIRECTORY are known by their names; they are not ours to keep. The tools are in PATH. Prints one line a
// session and ends with status 1 if one differs.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Tally } from "./real.mjs";

const [work, ...directories] = process.argv.slice(2);

const lines = (text) => text.split("\n").filter((l) => l.trim()).flatMap((l) => { try { return [JSON.parse(l)]; } catch { return []; } });
const texts = (v) => typeof v === "string" ? v : Array.isArray(v) ? v.map((b) => b.text ?? b.content?.text ?? "").join("\n") : "";
const number = (text, pattern) => { const m = pattern.exec(text); return m ? Number(m.slice(1).find((n) => n !== undefined)) : undefined; };

// An agent's reader returns the calls of a file: by id, {name, status}; status is that of a command as the agent itself has it, undefined
// if it does not say. made is true for a call whose result says that it ended, or did not, false for one without a result.
class Calls extends Map {
	call(id, name) { if (!this.has(id)) this.set(id, { name, made: false }); }
	result(id, status) {
		const c = this.get(id);
		if (c && !c.made) Object.assign(c, { status, made: true });
	}
}

// gemini and qwen keep the response of a function.
const response = (name, r) => !/^run_shell_command$/.test(name) || r?.error !== undefined || typeof r?.output !== "string" ? undefined
	: number(r.output, /\nExit Code: (-?\d+)(?:\n(?:Signal|Background PIDs|Process Group PGID): .*)*\s*$/) ?? 0;

const readers = {
	claude(text) {
		const calls = new Calls(), all = lines(text);
		for (const l of all) for (const b of Array.isArray(l.message?.content) ? l.message.content : []) {
			if (l.type === "assistant" && b.type === "tool_use") calls.call(b.id, b.name);
			if (b.type !== "tool_result") continue;
			const said = texts(b.content), shell = calls.get(b.tool_use_id)?.name === "Bash";
			calls.result(b.tool_use_id, !shell ? undefined : b.is_error ? number(said, /^(?:Error: )?Exit code (\d+)(?:\n|$)/) : said.startsWith("Command running in background") ? undefined : 0);
		}
		return calls;
	},
	codex(text) {
		const calls = new Calls(), running = new Map();
		for (const { type, payload: p } of lines(text)) {
			if (type !== "response_item") continue;
			if (/^(function|custom_tool|local_shell|web_search|tool_search)_call$/.test(p.type)) calls.call(p.call_id ?? p.id, p.name ?? p.type);
			if (p.type === "function_call" && p.name === "write_stdin") calls.get(p.call_id).of = String(JSON.parse(p.arguments).session_id);
			if (!/_call_output$/.test(p.type)) continue;
			let out = typeof p.output === "string" ? p.output : texts(p.output), status;
			try { status = JSON.parse(out).metadata.exit_code; } catch { /* it is a text */ }
			if (status === undefined) status = number(out.slice(0, 400), /(?:^|\n)(?:Exit code:|Process exited with code) (-?\d+)(?:\n|$)/);
			const goesOn = /Process running with session ID (\d+)/.exec(out.slice(0, 400)), c = calls.get(p.call_id);
			if (goesOn && status === undefined) running.set(goesOn[1], running.get(goesOn[1]) ?? p.call_id);
			else calls.result(p.call_id, c?.name === "apply_patch" ? undefined : status);
			if (c?.of !== undefined && status !== undefined && running.has(c.of)) {
				calls.result(running.get(c.of), status);
				running.delete(c.of);
			}
		}
		return calls;
	},
	copilot(text) {
		const calls = new Calls();
		for (const { type, data: d } of lines(text)) {
			for (const t of type === "assistant.message" ? d.toolRequests ?? [] : []) calls.call(t.toolCallId, t.name);
			if (type === "tool.execution_complete") calls.result(d.toolCallId, number(texts(d.result?.content), /<shellId: \S+ completed with exit code (-?\d+)>\s*$/));
		}
		return calls;
	},
	gemini(text, name) {
		const calls = new Calls();
		const last = new Map(), all = name.endsWith(".json") ? JSON.parse(text).messages : lines(text);
		for (const m of all) if (m.toolCalls) last.set(m.id, m); // a message is written again when its calls have ended
		for (const m of last.values()) for (const t of m.toolCalls) {
			calls.call(t.id, t.name);
			for (const { functionResponse: r } of t.result ?? []) if (r) calls.result(t.id, response(t.name, r.response));
		}
		return calls;
	},
	qwen(text) {
		const calls = new Calls(), parts = lines(text.replaceAll("}{\"uuid\"", "}\n{\"uuid\"")).flatMap((l) => l.message?.parts ?? []);
		for (const { functionCall: c, functionResponse: r } of parts) {
			if (c) calls.call(c.id, c.name);
			if (r) calls.result(r.id, response(r.name, r.response));
		}
		return calls;
	},
	opencode(text, name) {
		const calls = new Calls(), take = (p) => {
			if (p.type !== "tool") return;
			calls.call(p.callID, p.tool);
			if (p.state?.status === "completed" || p.state?.status === "error") calls.result(p.callID, p.state.metadata?.exit ?? undefined);
		};
		if (!/[/\\]session[/\\]/.test(name)) JSON.parse(text).messages.forEach((m) => m.parts.forEach(take));
		else for (const dir of [join(name, "../../../part")]) {
			const id = JSON.parse(text).id, messages = readdirSync(join(name, "../../../message", id)).map((f) => f.replace(/\.json$/, ""));
			for (const m of messages) {
				const of = JSON.parse(readFileSync(join(name, "../../../message", id, `${m}.json`), "utf8")).id;
				let files = [];
				try { files = readdirSync(join(dir, of)); } catch { /* it has no parts */ }
				for (const f of files.sort()) take(JSON.parse(readFileSync(join(dir, of, f), "utf8")));
			}
		}
		return calls;
	},
	kimi(text) {
		const calls = new Calls();
		for (const { type, event: e } of lines(text)) {
			if (type !== "context.append_loop_event") continue;
			if (e.type === "tool.call") calls.call(e.toolCallId, e.name);
			if (e.type !== "tool.result") continue;
			calls.result(e.toolCallId, calls.get(e.toolCallId)?.name !== "Bash" ? undefined : e.result.isError ? number(texts(e.result.output), /Command failed with exit code: (-?\d+)\.?\s*$/) : 0);
		}
		return calls;
	},
	kimicli(text) {
		const calls = new Calls();
		for (const l of lines(text)) {
			for (const t of l.tool_calls ?? []) calls.call(t.id, t.function.name);
			const said = texts(l.content);
			if (l.role === "tool") calls.result(l.tool_call_id, /^<system>ERROR/.test(said) ? number(said, /failed with exit code: (-?\d+)/) : 0);
		}
		return calls;
	},
	grok(text) { // what its server did by itself is a backend_tool_call
		const calls = new Calls();
		for (const l of lines(text)) {
			for (const t of l.tool_calls ?? []) calls.call(t.id, t.name);
			if (l.type === "backend_tool_call") calls.call(l.kind.id, l.kind.tool_type), calls.result(l.kind.id);
			if (l.type === "tool_result") calls.result(l.tool_call_id);
			const u = l.params?.update;
			if (u?.sessionUpdate === "tool_call") calls.call(u.toolCallId, u.title);
			if (u?.sessionUpdate === "tool_call_update" && /^(completed|failed)$/.test(u.status)) calls.result(u.toolCallId, u.rawOutput?.exit_code);
		}
		return calls;
	},
	pi(text) {
		const calls = new Calls();
		for (const { message: m } of lines(text)) {
			for (const b of m?.role === "assistant" && Array.isArray(m.content) ? m.content : []) if (b.type === "toolCall") calls.call(b.id, b.name);
			if (m?.role === "toolResult") calls.result(m.toolCallId, m.toolName !== "bash" ? undefined : m.isError ? number(texts(m.content), /(?:^|\n)Command exited with code (-?\d+)\s*$/) : 0);
		}
		return calls;
	},
};

// What a file is by its name: the first that matches.
const names = [
	[/[/\\](?:metadata|state|summary|signals)\.json$|[/\\]entire[/\\]|requests\.jsonl$/, ""],
	[/[/\\](?:ctx-mcp[/\\].*|agent-sessions-small\.jsonl)$/, ""], // made by hand: calls that no agent begins or ends so
	[/[/\\]claude[^/\\]*[/\\].*[/\\]full\.jsonl$|claude-code__[^/\\]*\.jsonl$/, "claude"], [/[/\\]pi__[^/\\]*\.jsonl$/, "pi"],
	[/[/\\]codex[/\\].*full\.jsonl$/, "codex"], [/[/\\]copilot[/\\].*\.jsonl$/, "copilot"],
	[/[/\\]gemini[/\\].*\.jsonl?$|2026-01-10-[^/\\]*[/\\]full\.json$/, "gemini"], [/[/\\]qwen[/\\].*\.jsonl$/, "qwen"],
	[/[/\\]opencode[/\\].*full\.json$|[/\\]session[/\\][^/\\]+[/\\]ses_[^/\\]*\.json$/, "opencode"],
	[/[/\\]legacy[/\\].*context\.jsonl$/, "kimicli"], [/[/\\]agents[/\\][^/\\]+[/\\]wire\.jsonl$/, "kimi"],
	[/[/\\]grok[/\\].*(?:chat_history|updates)\.jsonl$/, "grok"],
];

function tool(argv) {
	const r = spawnSync(argv[0], argv.slice(1), { encoding: "utf8", maxBuffer: 1 << 29 });
	if (r.status > 1 || r.status === null) throw new Error(`${argv.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout.split("\n").filter(Boolean).map((l) => JSON.parse(l));
}

const same = (what, ours, theirs) => {
	const [a, b] = [ours, theirs].map((list) => [...new Set(list)].sort());
	const only = [a.filter((x) => !b.includes(x)), b.filter((x) => !a.includes(x))];
	return only.flat().length === 0 ? "" : `${what}: sess-calls alone ${only[0].slice(0, 5)}, sess-grep alone ${only[1].slice(0, 5)}`;
};

// differences says what sess-calls has otherwise than the agent's own file.
function differences(rows, raw) {
	const wrong = [], counted = raw.size;
	if (rows.length !== counted) wrong.push(`${rows.length} calls, counted ${counted}`);
	for (const r of rows) {
		const c = raw.get(r.callId);
		if (!c) wrong.push(`${r.callId} ${r.tool} is not in the file`);
		else if (r.kind === "run" && c.status !== undefined && r.status !== c.status) wrong.push(`${r.callId} ${r.tool} has ${r.status ?? r.outcome}, and in the file ${c.status}`);
		else if (r.kind === "run" && c.status === undefined && r.status !== null) wrong.push(`${r.callId} ${r.tool} has ${r.status}, and the file does not say it`);
		else if (!c.made && c.status === undefined && r.outcome === "fail") wrong.push(`${r.callId} ${r.tool} has no result, and failed`);
	}
	return wrong;
}

// found says what sess-grep finds otherwise than sess-calls.
function found(file, rows) {
	const grep = (...args) => tool(["sess-grep", "--json", "--in", "all", ...args, "", file]);
	const results = (list) => list.map((r) => r.result).filter(Boolean), answers = (list) => list.filter((r) => r.role === "toolResult").map((r) => r.entry);
	// What was stopped in the background has failed, and the result that says so is that of another call: a text without an error.
	const answered = new Map(readFileSync(file, "utf8").split("\n").filter(Boolean).map((l) => JSON.parse(l)).map((e) => [e.id, e.message?.toolCallId]));
	const failed = rows.filter((r) => r.outcome === "fail" && (r.status !== null || !answered.get(r.result) || answered.get(r.result) === r.callId));
	return [
		same("--status fail", results(failed), answers(grep("--status", "fail"))),
	].filter(Boolean);
}

const tally = new Tally(), sum = {};
mkdirSync(work, { recursive: true });
for (const directory of directories) for (const below of readdirSync(directory, { recursive: true }).sort()) {
	const source = join(directory, below), agent = names.find(([pattern]) => pattern.test(source))?.[1];
	if (!agent) continue;
	const file = join(work, `${tally.checks}.jsonl`), what = `${agent} ${below.slice(-60)}`;
	const r = spawnSync("sess-import", ["-q", "-o", file, agent, source], { encoding: "utf8" });
	if (r.status !== 0) {
		console.log(`skip ${what}: ${r.stderr.trim().slice(0, 200)}`);
		continue;
	}
	let wrong, rows = [];
	try {
		const raw = readers[agent](readFileSync(source, "utf8"), source);
		rows = tool(["sess-calls", "--json", "--branches", file]);
		wrong = [...differences(rows, raw), ...found(file, rows)];
	} catch (e) { wrong = [e.stack]; }
	const run = rows.filter((r) => r.kind === "run"), s = sum[agent] ??= { sessions: 0, calls: 0, commands: 0, statuses: 0, failed: 0 };
	s.sessions++, s.calls += rows.length, s.commands += run.length, s.statuses += run.filter((r) => r.status !== null).length, s.failed += rows.filter((r) => r.outcome === "fail").length;
	tally.check(`${what}: ${rows.length} calls, ${run.length} commands`, wrong.join("\n  "));
}
for (const [agent, s] of Object.entries(sum)) console.log(`${agent}: ${s.sessions} sessions, ${s.calls} calls, ${s.commands} commands, ${s.statuses} of them with a status; ${s.failed} calls failed`);
tally.end("calls");
