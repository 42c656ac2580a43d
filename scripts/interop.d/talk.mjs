// Prints a conversation for sess-append --entries, one message a line: turns with
// thinking, parallel calls, long results, images, executed commands, notes and
// replies that failed.
//
//   node talk.mjs FIRST LAST
import { model } from "./real.mjs";

const [first, last] = process.argv.slice(2).map(Number);
const print = (message) => process.stdout.write(JSON.stringify(message) + "\n");
const text = (text) => ({ type: "text", text });
const words = (word, n) => Array.from({ length: n }, (_, i) => `${word}${i}`).join(" ");
const call = (id, name, args) => ({ type: "toolCall", id, name, arguments: args });
const result = (toolCallId, toolName, content, isError = false) => print({ role: "toolResult", toolCallId, toolName, content, isError });
const image = { type: "image", mimeType: "image/png", data: Buffer.from("a picture").toString("base64") };
const reply = (content, more) => print({
	role: "assistant", content, api: "openai-completions", provider: "mock", model,
	stopReason: content.some((b) => b.type === "toolCall") ? "toolUse" : "stop", ...more,
});
const thinking = (thinking) => ({ type: "thinking", thinking, thinkingSignature: "reasoning_content" });

for (let n = first; n <= last; n++) {
	const question = `question ${n}: <what> & "why"? é 漢字 😀\n\n${words("q", 40)}`;
	print({ role: "user", content: n % 3 === 0 ? question : n % 3 === 1 ? [text(question)] : [text(question), image, text(" and this")] });
	reply([thinking(`thinking of ${n}`), text(`Looking at ${n}.`),
		call(`call_${n}_a`, "read", { path: `src/f${n}.go`, limit: 20 }), call(`call_${n}_b`, "bash", { command: `grep -n "x${n}" *.go | head` })]);
	result(`call_${n}_a`, "read", [text(words(`line${n}.`, 300))]);
	result(`call_${n}_b`, "bash", [text(`grep: no match\n`), text("second block")], true);
	reply([text("Now it is changed."), call(`call_${n}_c`, "edit", { path: `src/f${n}.go`, edits: [{ oldText: "a", newText: "b\u2028" }] })]);
	result(`call_${n}_c`, "edit", [text(words(`changed${n}.`, 100))]);
	if (n % 4 === 1) print({ role: "bashExecution", command: "go test ./...", output: words("ok", 30), exitCode: 1 });
	if (n % 4 === 2) print({ role: "custom", customType: "note", content: [text(`a note on ${n}`)], display: true });
	if (n % 4 === 3) reply([text("half a rep")], { stopReason: "aborted" });
	if (n % 4 === 0) reply([], { stopReason: "error", errorMessage: "overloaded" });
	reply([text(`answer ${n}. `), text(words("a", 60))]);
}
