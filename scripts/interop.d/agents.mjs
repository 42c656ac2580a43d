// A model server on 127.0.0.1 that plays a script, in the dialect of whoever asks: Anthropic's
// messages, OpenAI's responses and chat completions, Gemini's contents, all as streams. Texts come in
// pieces.
//
//   http://127.0.0.1:PORT/WHO/…
//
// A script is a list of replies: {thinking, text, calls: [{name, args}]}, {status} for a
// refusal, {text, hang: true} for one that stops in the midst of its text, or {silent: true} for
// none at all. A reply with always: true is given to all who come after, too. used says what a reply uses, other than a
// little: {input, cached, output}. model is who answers, if that is another than was asked, and compaction: true makes the reply
// codex's of a compaction. apart: true leaves it out of what was spent. A function makes the reply from the body
// of the request.
import { createServer } from "node:http";

const pieces = (text) => text.match(/[^]{1,9}/gu) ?? [];
const json = (response, status, value) => {
	response.writeHead(status, { "content-type": "application/json" });
	response.end(JSON.stringify(value));
};

// What a refusal says, and what Gemini and the others call it.
const refusals = {
	400: ["no such thing", "invalid_request_error", "INVALID_ARGUMENT"],
	401: ["the key is not valid", "authentication_error", "UNAUTHENTICATED"],
	429: ["slow down there", "rate_limit_error", "RESOURCE_EXHAUSTED"],
	500: ["the model fell over", "api_error", "INTERNAL"],
	529: ["too many at once", "overloaded_error", "UNAVAILABLE"],
};

// refusal is the words of a refusal, as a program prints them.
export const refusal = (status) => refusals[status][0];

// cost is what the n-th reply uses, each another number: the cached tokens are a part of the input.
const cost = (n) => ({ input: 100 + n, cached: 7, output: 20 + n });

// serve starts a server. play(WHO, SCRIPT) says what WHO is answered, a reply with only(BODY) to requests for which that is true; asked(WHO) are the
// bodies of its requests, spent(WHO) is what its whole replies used, and stopped(WHO) resolves
// when a reply that stops has stopped.
export async function serve() {
	const scripts = new Map(), bodies = new Map(), stopped = new Map(), spent = new Map();
	let count = 0;
	const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
		let text = "";
		for await (const chunk of request.setEncoding("utf8")) text += chunk;
		const [, who, ...path] = request.url.split("?")[0].split("/");
		const speak = { messages, responses, completions: chat }[path.at(-1)] ?? (/:(streamG|g)enerateContent$/.test(path.at(-1)) && contents);
		if (request.method !== "POST" || !speak || !scripts.has(who)) {
			return json(response, path.at(-1) === "models" ? 200 : 404, path.at(-1) === "models" ? { object: "list", data: [] } : {});
		}
		const body = JSON.parse(text);
		// What an agent asks beside the conversation: a title, or a line for its list of sessions. It stores no usage of these.
		const title = /title generator|Generate a title|generating the session title/i.test(text.slice(0, 20_000)) || text.includes("Write an ultra-short dashboard line");
		if (!title) bodies.get(who).push(body);
		const script = scripts.get(who), at = script.findIndex((r) => !r.only || r.only(body));
		const next = title ? { text: "A title" } : (at < 0 ? undefined : script[at].always ? script[at] : script.splice(at, 1)[0]) ?? { text: "fine" };
		const reply = typeof next === "function" ? next(body) : next;
		if (reply.status) {
			const [message, type, status] = refusals[reply.status];
			return json(response, reply.status, { type: "error", error: { type, message, ...speak === contents ? { code: reply.status, status } : {} } });
		}
		const stop = () => stopped.get(who).resolve();
		if (reply.silent) return stop();
		const calls = (reply.calls ?? []).map((c) => ({ ...c, id: `call_${++count}` })), used = { ...cost(++count), ...reply.used };
		if (!title && !reply.hang && !reply.apart) for (const key of Object.keys(used)) spent.get(who)[key] += used[key];
		const whole = path.at(-1).endsWith(":generateContent"); // Gemini CLI asks so for a summary
		response.writeHead(200, { "content-type": whole ? "application/json" : "text/event-stream" });
		speak(response, { ...reply, calls, model: reply.model ?? body.model ?? /models\/([^:]+):/.exec(request.url)?.[1], id: String(count), stop, used, whole });
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: (who) => `http://127.0.0.1:${server.address().port}/${who}`,
		play(who, script) {
			scripts.set(who, script);
			bodies.set(who, []);
			spent.set(who, { input: 0, cached: 0, output: 0 });
			let resolve;
			const promise = new Promise((r) => { resolve = r; });
			stopped.set(who, { promise, resolve });
		},
		asked: (who) => bodies.get(who),
		spent: (who) => spent.get(who),
		stopped: (who) => stopped.get(who).promise,
	};
}

function messages(response, { thinking, text, calls, model, id, hang, stop, used }) {
	const send = (type, more) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
	const usage = { input_tokens: used.input - used.cached, cache_read_input_tokens: used.cached, cache_creation_input_tokens: 0, output_tokens: 1 };
	send("message_start", { message: { id: `msg_${id}`, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null, usage } });
	let index = 0;
	const block = (content_block, deltas) => {
		send("content_block_start", { index, content_block });
		for (const delta of deltas) send("content_block_delta", { index, delta });
		if (hang) return;
		send("content_block_stop", { index });
		index++;
	};
	if (thinking) block({ type: "thinking", thinking: "", signature: "" }, [{ type: "thinking_delta", thinking }, { type: "signature_delta", signature: "c2ln" }]);
	if (text) block({ type: "text", text: "" }, pieces(text).map((text) => ({ type: "text_delta", text })));
	if (hang) return stop();
	for (const c of calls) block({ type: "tool_use", id: c.id, name: c.name, input: {} }, [{ type: "input_json_delta", partial_json: JSON.stringify(c.args) }]);
	send("message_delta", { delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null }, usage: { ...usage, output_tokens: used.output } });
	send("message_stop", {});
	response.end();
}

function responses(response, { thinking, text, compaction, calls, model, id, hang, stop, used }) {
	const send = (type, more) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
	const about = (status, more) => ({ response: { id: `resp_${id}`, object: "response", created_at: 1, model, status, output: [], ...more } });
	send("response.created", about("in_progress"));
	const output = [];
	const item = (it, between = () => {}) => {
		send("response.output_item.added", { output_index: output.length, item: { ...it, content: [] } });
		between();
		if (hang) return;
		send("response.output_item.done", { output_index: output.length, item: it });
		output.push(it);
	};
	if (thinking) item({ type: "reasoning", id: `rs_${id}`, summary: [{ type: "summary_text", text: thinking }] });
	if (text) {
		item({ type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] }, () => {
			for (const delta of pieces(text)) send("response.output_text.delta", { item_id: `msg_${id}`, output_index: output.length, content_index: 0, delta });
		});
	}
	if (hang) return stop();
	if (compaction) item({ type: "compaction", id: `cmp_${id}`, encrypted_content: "c2VhbGVk" });
	for (const c of calls.filter((c) => c.input !== undefined)) item({ type: "custom_tool_call", id: `ctc_${c.id}`, call_id: c.id, name: c.name, input: c.input, status: "completed" });
	for (const c of calls.filter((c) => c.input === undefined)) item({ type: "function_call", id: `fc_${c.id}`, call_id: c.id, name: c.name, ...c.namespace ? { namespace: c.namespace } : {}, arguments: JSON.stringify(c.args), status: "completed" });
	send("response.completed", about("completed", { output, usage: { input_tokens: used.input, input_tokens_details: { cached_tokens: used.cached },
		output_tokens: used.output, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: used.input + used.output } }));
	response.end();
}

function chat(response, { thinking, text, calls, model, id, hang, stop, used }) {
	const chunk = (more) => response.write(`data: ${JSON.stringify({ id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: 1, model, ...more })}\n\n`);
	const choice = (delta, finish_reason = null) => chunk({ choices: [{ index: 0, delta, finish_reason }] });
	choice({ role: "assistant", content: "" });
	if (thinking) choice({ reasoning_content: thinking });
	for (const content of pieces(text ?? "")) choice({ content });
	if (hang) return stop();
	calls.forEach((c, index) => choice({ tool_calls: [{ index, id: c.id, type: "function", function: { name: c.name, arguments: JSON.stringify(c.args) } }] }));
	choice({}, calls.length > 0 ? "tool_calls" : "stop");
	chunk({ choices: [], usage: { prompt_tokens: used.input, prompt_tokens_details: { cached_tokens: used.cached }, completion_tokens: used.output, total_tokens: used.input + used.output } });
	response.end("data: [DONE]\n\n");
}

function contents(response, { thinking, text, calls, model, id, hang, stop, used, whole }) {
	const piece = (parts, finishReason, usageMetadata) => JSON.stringify({
		candidates: [{ index: 0, content: { role: "model", parts }, ...finishReason ? { finishReason } : {} }], modelVersion: model, responseId: id, usageMetadata });
	const send = (...of) => response.write(`data: ${piece(...of)}\r\n\r\n`);
	const usage = { promptTokenCount: used.input, cachedContentTokenCount: used.cached, candidatesTokenCount: used.output, totalTokenCount: used.input + used.output };
	if (whole) return response.end(piece([{ text }], "STOP", usage));
	if (thinking) send([{ text: thinking, thought: true }]);
	for (const piece of pieces(text ?? "")) send([{ text: piece }]);
	if (hang) return stop();
	send(calls.length > 0 ? calls.map((c) => ({ functionCall: { id: c.id, name: c.name, args: c.args } })) : [{ text: "" }], "STOP", usage);
	response.end();
}
