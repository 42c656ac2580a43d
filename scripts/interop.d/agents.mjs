// A model server on 127.0.0.1 that plays a script, in the dialect of whoever asks: Anthropic's
// messages, OpenAI's responses and chat completions, all as streams. Texts come in pieces.
//
//   http://127.0.0.1:PORT/WHO/…
//
// A script is a list of replies: {thinking, text, calls: [{name, args}]}, {status} for a
// refusal, or {text, hang: true} for one that stops in the midst of its text.
import { createServer } from "node:http";

const pieces = (text) => text.match(/[^]{1,9}/gu) ?? [];
const json = (response, status, value) => {
	response.writeHead(status, { "content-type": "application/json" });
	response.end(JSON.stringify(value));
};

// serve starts a server. play(WHO, SCRIPT) says what WHO is answered, asked(WHO) are the
// bodies of its requests, and said(WHO) resolves when a reply that stops has stopped.
export async function serve() {
	const scripts = new Map(), bodies = new Map(), stopped = new Map();
	let count = 0;
	const server = createServer(async (request, response) => {
		let text = "";
		for await (const chunk of request.setEncoding("utf8")) text += chunk;
		const [, who, ...path] = request.url.split("?")[0].split("/");
		const speak = { messages, responses, completions: chat }[path.at(-1)];
		if (request.method !== "POST" || !speak || !scripts.has(who)) {
			return json(response, path.at(-1) === "models" ? 200 : 404, path.at(-1) === "models" ? { object: "list", data: [] } : {});
		}
		const body = JSON.parse(text);
		const title = /title generator|Generate a title/i.test(text.slice(0, 20_000));
		if (!title) bodies.get(who).push(body);
		const reply = title ? { text: "A title" } : scripts.get(who).shift() ?? { text: "fine" };
		if (reply.status) return json(response, reply.status, { type: "error", error: { type: "invalid_request_error", message: "no such thing" } });
		const calls = (reply.calls ?? []).map((c) => ({ ...c, id: `call_${++count}` }));
		const stop = () => stopped.get(who).resolve();
		response.writeHead(200, { "content-type": "text/event-stream" });
		speak(response, { ...reply, calls, model: body.model, id: String(++count), stop });
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: (who) => `http://127.0.0.1:${server.address().port}/${who}`,
		play(who, script) {
			scripts.set(who, script);
			bodies.set(who, []);
			let resolve;
			const promise = new Promise((r) => { resolve = r; });
			stopped.set(who, { promise, resolve });
		},
		asked: (who) => bodies.get(who),
		stopped: (who) => stopped.get(who).promise,
	};
}

function messages(response, { thinking, text, calls, model, id, hang, stop }) {
	const send = (type, more) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
	const usage = { input_tokens: 100, output_tokens: 1 };
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
	send("message_delta", { delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null }, usage: { ...usage, output_tokens: 20 } });
	send("message_stop", {});
	response.end();
}

function responses(response, { thinking, text, calls, model, id, hang, stop }) {
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
	for (const c of calls) item({ type: "function_call", id: `fc_${c.id}`, call_id: c.id, name: c.name, arguments: JSON.stringify(c.args), status: "completed" });
	send("response.completed", about("completed", { output, usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 0 },
		output_tokens: 20, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 120 } }));
	response.end();
}

function chat(response, { thinking, text, calls, model, id, hang, stop }) {
	const chunk = (more) => response.write(`data: ${JSON.stringify({ id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: 1, model, ...more })}\n\n`);
	const choice = (delta, finish_reason = null) => chunk({ choices: [{ index: 0, delta, finish_reason }] });
	choice({ role: "assistant", content: "" });
	if (thinking) choice({ reasoning_content: thinking });
	for (const content of pieces(text ?? "")) choice({ content });
	if (hang) return stop();
	calls.forEach((c, index) => choice({ tool_calls: [{ index, id: c.id, type: "function", function: { name: c.name, arguments: JSON.stringify(c.args) } }] }));
	choice({}, calls.length > 0 ? "tool_calls" : "stop");
	chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } });
	response.end("data: [DONE]\n\n");
}
