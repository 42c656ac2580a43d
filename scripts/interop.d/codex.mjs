// Has a real codex resume what sess-export wrote, and compares what it sends to its
// model with what sess-path --as openai prints of the session.
//
//   node codex.mjs PROGRAM WORK FILE...
//
// The tools are in PATH, and WORK is a directory for homes. A FILE is a session; each
// goes out in both flavours of a rollout, and then is read back in. Codex has to list
// it too, and one whose name went into its index has to be found by that name. Prints one line
// a check and ends with status 1 if one fails.
//
// Before they are compared, both sides become a list of what was said: a message of the
// user, texts of the model, calls, results. What is a matter of the two APIs goes: thinking;
// texts of one reply stand before its calls, and together; ids of calls are numbered;
// images of results follow them in a message of the user. What codex says by itself, in
// the developer's name or the user's, is left out on both sides. A result of which codex cut
// out the middle has to agree at both ends.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { serve } from "./mock.mjs";
import { Tally, drawn, eachOf, homes, run, spoken } from "./real.mjs";

const [program, work, ...files] = process.argv.slice(2);
const prompt = "and now?";

function sess(tool, ...args) {
	const r = spawnSync(tool, args, { encoding: "utf8", maxBuffer: 1 << 28 });
	if (r.status !== 0) throw new Error(`${tool} ${args.join(" ")}: status ${r.status}: ${r.stderr}`);
	return r.stdout;
}

const own = /^\s*(# AGENTS\.md instructions|<environment_context>|<user_instructions>|<permissions instructions>|<skills_instructions>)/;
const texts = (parts) => parts.map((p) => p.text ?? p.image_url?.url ?? p.image_url ?? "?");
const list = (content) => typeof content === "string" ? [{ text: content }] : content ?? [];
const cut = /^([^]*)…\d+ (?:chars|tokens) truncated…([^]*)$/;

// A talk is a list of what was said, in the form that is compared.
class Talk {
	said = [];
	calls = [];
	images = [];
	reply = null;
	user(parts) {
		this.end();
		this.said.push(["user", ...parts]);
	}
	assistant(text) {
		this.reply ??= { text: "", calls: [] };
		this.reply.text += text;
	}
	call(id, name, args) {
		this.reply ??= { text: "", calls: [] };
		this.calls.push({ id, number: this.calls.length + 1 });
		this.reply.calls.push(["call", this.calls.length, name, JSON.stringify(JSON.parse(args))]);
	}
	output(id, parts) {
		this.close();
		const call = this.calls.find((c) => c.id === id && !c.done);
		if (!call) return this.said.push(["a result without a call", id]);
		call.done = true;
		const images = parts.filter((p) => p.startsWith("data:")), said = parts.filter((p) => !p.startsWith("data:") && p !== "");
		if (images.length > 0) this.images.push(`Images of the result of call ${call.number}:`, ...images);
		this.said.push(["result", call.number, said.join("\n") || (images.length > 0 ? "(images follow)" : "")]);
	}
	close() {
		if (!this.reply) return;
		if (this.reply.text) this.said.push(["assistant", this.reply.text]);
		this.said.push(...this.reply.calls);
		this.reply = null;
	}
	end() {
		this.close();
		if (this.images.length > 0) this.said.push(["user", ...this.images]);
		this.images = [];
	}
}

// theirs are the items that codex sent; without, those texts are collected that it said by
// itself.
function theirs(items, without) {
	const talk = new Talk();
	for (const i of items) {
		const parts = texts(list(i.content));
		switch (i.type) {
		case "message":
			if (i.role === "assistant") talk.assistant(parts.join(""));
			else if (i.role === "developer" || own.test(parts[0])) without.add(parts.join("\n"));
			else talk.user(parts.filter((p) => p !== ""));
			if (i.role === "assistant" && parts.join("") === "") talk.close();
			break;
		case "function_call": talk.call(i.call_id, i.name, i.arguments); break;
		case "custom_tool_call": talk.call(i.call_id, i.name, JSON.stringify({ input: i.input })); break;
		case "local_shell_call":
			talk.call(i.call_id, "local_shell", JSON.stringify(Object.fromEntries(Object.entries(i.action).filter(([, v]) => v !== null))));
			break;
		case "function_call_output": case "custom_tool_call_output": talk.output(i.call_id, texts(list(i.output))); break;
		case "reasoning": case "additional_tools": break;
		default: talk.said.push([i.type]);
		}
	}
	talk.end();
	return talk.said;
}

// ours are the messages that sess-path prints.
function ours(messages, without) {
	const talk = new Talk();
	for (const m of messages) {
		const parts = texts(list(m.content));
		if (m.role === "user") {
			const images = parts[0].startsWith("Images of the result of call ");
			if (!without.has(parts.join("\n")) && !images) talk.user(parts);
			continue;
		}
		if (m.role === "tool") {
			talk.output(m.tool_call_id, parts);
			continue;
		}
		if (m.role !== "assistant") continue;
		talk.assistant(parts.join(""));
		for (const c of m.tool_calls ?? []) talk.call(c.id, c.function.name, c.function.arguments);
	}
	talk.end();
	return talk.said;
}

// images of results are told in the form of the chat API only by theirs: here they are
// taken from the message behind.
function withImages(messages) {
	const out = [];
	for (const m of messages) {
		const parts = list(m.content);
		if (m.role !== "user" || !parts[0]?.text?.startsWith("Images of the result of call ")) {
			out.push(m);
			continue;
		}
		let target;
		for (const p of parts) {
			const about = /^Images of the result of call (.*):$/.exec(p.text ?? "");
			if (about) target = out.findLast((t) => t.role === "tool" && t.tool_call_id === about[1]);
			else target.content = [...list(target.content).filter((q) => q.text !== "(images follow)"), p];
		}
	}
	return out;
}

// differ says where two talks part.
function differ(a, b) {
	for (let i = 0; i < Math.max(a.length, b.length); i++) {
		if (isDeepStrictEqual(a[i], b[i])) continue;
		const gap = a[i]?.[0] === "result" && b[i]?.[0] === "result" && cut.exec(a[i][2]);
		if (gap && b[i][2].startsWith(gap[1]) && b[i][2].endsWith(gap[2])) continue;
		const show = (x) => (JSON.stringify(x) ?? "nothing").slice(0, 1000);
		return `${i + 1} of ${a.length} and ${b.length}\n  codex: ${show(a[i])}\n  sess:  ${show(b[i])}`;
	}
	return "";
}

// listed asks codex for its sessions, as its picker does.
async function listed(env, cwd) {
	const child = spawn(program, ["app-server"], { env, cwd, stdio: ["pipe", "pipe", "ignore"] });
	const timer = setTimeout(() => child.kill(), 60_000);
	const send = (o) => child.stdin.write(JSON.stringify(o) + "\n");
	let data = [];
	send({ id: 1, method: "initialize", params: { clientInfo: { name: "interop", title: "interop", version: "0" }, capabilities: { experimentalApi: true } } });
	for await (const line of createInterface({ input: child.stdout })) {
		const m = JSON.parse(line);
		if (m.id === 1) {
			send({ method: "initialized" });
			send({ id: 2, method: "thread/list", params: {} });
		}
		if (m.id === 2) {
			data = m.result?.data ?? [];
			break;
		}
	}
	clearTimeout(timer);
	child.kill();
	return data;
}

const tally = new Tally();
const server = await serve();

async function wrong(file, flavour) {
	const who = `${basename(file, ".jsonl")}-${flavour}`, dir = join(work, who);
	const env = { ...homes.codex(dir, server.url("good", who)), PATH: process.env.PATH };
	const cwd = join(dir, "project");
	const out = sess("sess-export", "-q", "--index", "--for", flavour, "-o", env.CODEX_HOME, "codex", file).trim();
	const meta = JSON.parse(readFileSync(out, "utf8").split("\n")[0]).payload;
	const back = sess("sess-import", "-q", "codex", out);
	const kept = spoken("codex", readFileSync(file, "utf8"));
	const before = JSON.parse(sess("sess-path", "-q", ...kept, "--as", "openai", file));
	const after = spawnSync("sess-path", ["-q", ...kept, "--as", "openai"], { input: back, encoding: "utf8", maxBuffer: 1 << 28 });
	const again = differ(ours(withImages(JSON.parse(after.stdout)), new Set()), ours(withImages(before), new Set()));
	if (again) return `read back it is another: ${again}`;
	const rows = await listed(env, cwd);
	const said = before.some((m) => m.role === "user");
	const mine = rows.find((r) => r.id === meta.id);
	const hidden = meta.originator !== "sess" && !["cli", "vscode"].includes(meta.source);
	if (said && !hidden && !mine) return `codex does not list it: ${JSON.stringify(rows).slice(0, 500)}`;
	const name = JSON.parse(sess("sess-path", "-q", "--as", "state", file)).title;
	if (mine && name && mine.historyMode !== "paginated" && mine.name !== name.trim().replace(/[\r\n]+/g, " ")) return `codex calls it ${mine.name}, not ${name}`;
	const codex = await run([program, "exec", "resume", "--skip-git-repo-check", meta.id, prompt], { cwd, env });
	const [request] = server.asked(who);
	if (codex.status !== 0 || !request) return `status ${codex.status}: ${codex.stderr}`;
	const without = new Set(), sent = theirs(request.input, without), asked = sent.pop();
	if (!isDeepStrictEqual(asked, ["user", prompt])) return `last is not the prompt: ${JSON.stringify(asked)}`;
	const appended = readFileSync(out, "utf8").split("\n").length;
	if (appended < 3) return "codex did not go on with the rollout";
	return differ(sent, ours(withImages(before), without));
}

mkdirSync(work, { recursive: true });
await eachOf(drawn(files).flatMap((file) => ["paginated", "legacy"].map((flavour) => [file, flavour])), async ([file, flavour]) => {
	let why;
	try {
		why = await wrong(file, flavour);
	} catch (e) {
		why = e.stack;
	}
	tally.check(`codex resumes ${basename(file, ".jsonl")}, ${flavour}`, why);
});
tally.check("codex asks its model for nothing else", server.strangers.join(", "));
server.close();
tally.end("codex: sessions we exported");
process.exit();
