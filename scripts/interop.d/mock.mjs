// A model server on 127.0.0.1, for programs that talk to OpenAI: chat completions
// and responses, both as streams.
//
// The first part of a request's path is the answer, the second names who asks:
//
//   http://127.0.0.1:PORT/ANSWER/WHO/v1/chat/completions
//
// so that one server serves many programs at a time. An answer is one of those
// below, or never; ANSWER may end in the length of a user's message above which the
// model has no room, as in good-20000.
import { createServer } from "node:http";

const texts = {
	good: "## Goal\nWhat the mock model was asked for.\n\n## Progress\n- all of it",
	prefix: "## Original Request\nWhat the turn began with.\n\n## Early Progress\n- some of it",
	empty: "",
};

// refusals are what OpenAI answers, and the code that a stream breaks off with.
const refusals = {
	key: { status: 401, code: "invalid_api_key", message: "Incorrect API key provided: dummy." },
	overflow: { status: 400, code: "context_length_exceeded",
		message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 90210 tokens. Please reduce the length of the messages." },
};

// serve starts a server. asked(WHO) are the bodies of the requests of one asker so
// far, oldest first; idle(WHO) waits until none is open, three seconds at most;
// strangers are requests to any other address.
export async function serve() {
	const bodies = new Map(), open = new Map(), strangers = [];
	// Node closes a connection that stands idle for six seconds. A busy agent that asks on it at this moment has failed.
	const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
		let body = "";
		for await (const chunk of request.setEncoding("utf8")) body += chunk;
		const [, answer, who, , ...call] = request.url.split("?")[0].split("/");
		if (call.join("/") === "models") return json(response, 200, { object: "list", data: [{ id: "mock-1", object: "model" }] });
		const stream = { "chat/completions": chat, responses: responses }[call.join("/")];
		if (request.method !== "POST" || !stream) {
			strangers.push(`${request.method} ${request.url}`);
			return json(response, 404, { error: { message: "no such page" } });
		}
		body = JSON.parse(body);
		bodies.set(who, [...bodies.get(who) ?? [], body]);
		open.set(who, (open.get(who) ?? 0) + 1);
		response.on("close", () => open.set(who, open.get(who) - 1));
		if (answer !== "never") stream(response, body, reply(answer, body));
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: (answer, who) => `http://127.0.0.1:${server.address().port}/${answer}/${who}/v1`,
		asked: (who) => bodies.get(who) ?? [],
		idle: async (who) => {
			for (let i = 0; i < 30 && open.get(who); i++) await new Promise((resolve) => setTimeout(resolve, 100));
			return !open.get(who);
		},
		strangers,
		close: () => server.close(),
	};
}

// reply is the text, or the refusal, that a request gets.
function reply(answer, body) {
	const [name, room] = answer.split("-");
	const said = (body.messages ?? body.input).filter((m) => m.role === "user").map((m) => JSON.stringify(m.content));
	if (room && said.some((text) => text.length > Number(room))) return { refusal: refusals.overflow };
	if (refusals[name]) return { refusal: refusals[name] };
	return { text: name === "good" && said.some((text) => text.includes("## Original Request")) ? texts.prefix : texts[name] };
}

const usage = { input: 100, output: 20 };

function chat(response, body, { text, refusal }) {
	if (refusal) return json(response, refusal.status, { error: { message: refusal.message, type: "invalid_request_error", param: null, code: refusal.code } });
	const chunk = (rest) => response.write(`data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: body.model, ...rest })}\n\n`);
	const choice = (delta, finish_reason = null) => chunk({ choices: [{ index: 0, delta, finish_reason }] });
	response.writeHead(200, { "content-type": "text/event-stream" });
	choice({ role: "assistant", content: "" });
	if (text) choice({ content: text });
	choice({}, "stop");
	chunk({ choices: [], usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output } });
	response.end("data: [DONE]\n\n");
}

function responses(response, body, { text, refusal }) {
	if (refusal && refusal.status === 401) return json(response, 401, { error: { message: refusal.message, type: "invalid_request_error", param: null, code: refusal.code } });
	const event = (type, rest) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
	const about = (status, rest) => ({ response: { id: "resp_1", object: "response", created_at: 1, model: body.model, status, output: [], ...rest } });
	response.writeHead(200, { "content-type": "text/event-stream" });
	event("response.created", about("in_progress"));
	if (refusal) {
		event("response.failed", about("failed", { error: { code: refusal.code, message: refusal.message } }));
		return response.end();
	}
	const output = [];
	if (text) {
		const part = { type: "output_text", text, annotations: [] };
		const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [part] };
		event("response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress", content: [] } });
		event("response.output_text.delta", { item_id: item.id, output_index: 0, content_index: 0, delta: text });
		event("response.output_item.done", { output_index: 0, item });
		output.push(item);
	}
	event("response.completed", about("completed", { output, usage: {
		input_tokens: usage.input, input_tokens_details: { cached_tokens: 0 },
		output_tokens: usage.output, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: usage.input + usage.output,
	} }));
	response.end();
}

function json(response, status, value) {
	response.writeHead(status, { "content-type": "application/json" });
	response.end(JSON.stringify(value));
}
