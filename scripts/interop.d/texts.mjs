// Prints sets of prompts as sorted arrays, in the form in which oh-my-pi stores them.
//
//   node texts.mjs        of lines that are arrays of prompts
//   node texts.mjs rows   of all rows of sess-history --json, one set
import { readFileSync } from "node:fs";

const values = readFileSync(0, "utf8").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
const sets = process.argv[2] === "rows" ? [values.map((row) => row.text)] : values;
for (const set of sets) console.log(JSON.stringify(set.map((text) => text.replace(/[^\S\n]+\n/g, "\n").trim()).sort()));
