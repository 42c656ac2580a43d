// Has the session code of a real pi do what is measured.
//
//   node pi.mjs PACKAGE append FILE    opens FILE and appends a message
//   node pi.mjs PACKAGE list           lists the sessions of PI_CODING_AGENT_DIR
import { join } from "node:path";

const [root, what, file] = process.argv.slice(2);
const { SessionManager } = await import(join(root, "dist/core/session-manager.js"));
if (what === "append") {
	const m = SessionManager.open(file);
	const id = m.appendMessage({ role: "user", content: [{ type: "text", text: "hello" }], timestamp: Date.now() });
	process.stdout.write(id + "\n");
} else if (what === "list") {
	const sessions = await SessionManager.listAll();
	process.stdout.write(sessions.length + "\n");
	if (sessions.length === 0) process.exit(1);
}
