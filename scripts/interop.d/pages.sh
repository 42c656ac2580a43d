#!/bin/sh
# pages PI NODE FILE... compares the page of each session with the one that pi writes of it: the
# leaf, and how many entries the tree has.
set -eu
pi=$1 node=$2
shift 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 all=0
for file; do
	sess-show -q --as html "$file" >"$tmp/ours.html"
	"$node" "$pi" --export "$file" "$tmp/theirs.html" >/dev/null 2>&1 || continue
	all=$((all + 1))
	"$node" - "$tmp/ours.html" "$tmp/theirs.html" <<'JS' || { echo "     $(basename "$file")"; bad=$((bad + 1)); }
const fs = require("fs");
const [ours, theirs] = process.argv.slice(2).map((f) => fs.readFileSync(f, "utf8"));
const data = JSON.parse(Buffer.from(/id="session-data" type="application\/json">([^<]*)</.exec(theirs)[1], "base64"));
const nav = /<nav .*?<\/nav>/s.exec(ours)[0];
let nodes = 0;
for (const row of nav.match(/<a class="(?:on|off)[^>]*>/g) || []) if (!/^<a class="[^"]*\bdots\b/.test(row)) nodes += Number((/data-n="(\d+)"/.exec(row) || [0, 1])[1]);
const leaf = (/data-leaf="([^"]*)"/.exec(ours) || [0, null])[1];
const ids = new Set(data.entries.map((e) => e.id));
if (leaf !== data.leafId || nodes !== ids.size) {
  console.log(`not  pi 0.87's page: leaf ${leaf} and ${data.leafId}, ${nodes} and ${ids.size} entries`);
  process.exit(1);
}
JS
done
echo "interop: pages of pi 0.87.1: $((all - bad)) of $all have the same leaf and tree"
[ "$bad" = 0 ] && [ "$all" -gt 0 ]
