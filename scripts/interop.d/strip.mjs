// Copies a session from standard input without what pi sends as its provider wants it, or not
// at all: thinking, and the messages of developers, which only oh-my-pi knows. Their entries stay.
import { readFileSync } from "node:fs";

for (const line of readFileSync(0, "utf8").split("\n")) {
	if (line === "") continue;
	const entry = JSON.parse(line), message = entry.message;
	if (entry.type === "message" && message.role === "developer") {
		delete entry.message;
		Object.assign(entry, { type: "custom", customType: "interop:developer" });
	} else if (entry.type === "message" && message.role === "assistant") {
		message.content = message.content.filter((block) => block.type !== "thinking");
	}
	process.stdout.write(JSON.stringify(entry) + "\n");
}
