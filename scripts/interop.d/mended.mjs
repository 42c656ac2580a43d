// Looks whether a real pi loads every entry of sessions that sess-check has
// repaired, and has the same leaf and path as our tools.
//
//   node mended.mjs VERSION PACKAGE DIR FILE...
//
// DIR holds sess-path. Prints one line a file and ends with status 1 if one
// fails.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { asked } from "./pi.mjs";

const [version, root, bin, ...files] = process.argv.slice(2);
const pi = asked(root);
const lines = (text) => text.split("\n").filter(Boolean).map((l) => JSON.parse(l));
const run = (...args) => execFileSync(...args, { encoding: "utf8", maxBuffer: 1 << 28 });

let failed = 0;
for (const file of files) {
	const theirs = await pi("entries", file);
	const path = lines(run(join(bin, "sess-path"), ["-q", "--no-header", file])).map((e) => e.id);
	const ours = {
		entries: lines(readFileSync(file, "utf8")).filter((e) => e.type !== "session").map((e) => e.id),
		leaf: path.at(-1) ?? null, path,
	};
	const same = isDeepStrictEqual(theirs, ours);
	if (!same) failed++;
	console.log(`${same ? "ok  " : "FAIL"} pi ${version}: repaired ${basename(file)}: ${ours.entries.length} entries, leaf, path`);
	if (!same) console.log(`  pi:   ${JSON.stringify(theirs)}`.slice(0, 2000) + `\n  sess: ${JSON.stringify(ours)}`.slice(0, 2000));
}
console.log(`interop: pi ${version}: ${files.length - failed} of ${files.length} repaired sessions agree`);
process.exit(failed || files.length === 0 ? 1 : 0);
