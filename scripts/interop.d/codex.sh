#!/bin/sh
# Exports sessions to a real codex, which has to go on with them (codex.mjs): imported
# ones of its own, as they were, forked, continued and compacted by our tools; ones of pi; and
# whatever else is given.
#
#   codex.sh PROGRAM WORK [FILE...]
#
# The tools are in PATH, WORK is a directory that need not exist, and a FILE is a session. What
# was imported stays in WORK/imported, for other programs to go on with.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
program=$1 work=$2
shift 2

mkdir -p "$work/imported" "$work/made"
[ -e "$work/imported/.done" ] || {
	sess-import -q --all -o "$work/imported" codex "$root/testdata/codex/home" >/dev/null
	: >"$work/imported/.done"
}
# tools and legacy are two of them: one with calls, one behind a compaction.
tools=$(echo "$work"/imported/*91f6-7160-bf5c-f00cf0fdb18c.jsonl) legacy=$(echo "$work"/imported/*ad66-7e63-80cf-8be8b3cfd61d.jsonl)
[ -e "$work/made/forked.jsonl" ] || sess-fork -q --branches -o "$work/made/forked.jsonl" "$tools" >/dev/null
for from in "$tools" "$legacy"; do
	made=$work/made/$(basename "$from" .jsonl | tail -c 5)
	[ ! -e "$made-compacted.jsonl" ] || continue
	cp "$from" "$made-continued.jsonl"
	sess-append -q -t 'a question of ours' "$made-continued.jsonl" >/dev/null
	sess-append -q -r assistant --model m1 --provider p1 -t 'an answer' "$made-continued.jsonl" >/dev/null
	cp "$made-continued.jsonl" "$made-compacted.jsonl"
	sess-compact -q --keep 10 "$made-compacted.jsonl" -- sh -c "cat >/dev/null; echo '## Goal'; echo to go on; echo '## Original Request'; echo the same" >/dev/null
	sess-append -q -t 'behind the compaction' "$made-compacted.jsonl" >/dev/null
done
exec node "$root/scripts/interop.d/codex.mjs" "$program" "$work/homes" "$@" \
	"$root"/testdata/pi/sessions/branching.jsonl "$root"/testdata/pi/sessions/compacted-twice.jsonl \
	"$root"/testdata/pi/sessions/split-turn.jsonl "$root"/testdata/pi/sessions/unicode.jsonl "$root"/testdata/pi/sessions/v3-pi15-entries.jsonl \
	"$root"/testdata/pi/genuine/*/*.jsonl "$work"/imported/*.jsonl "$work"/made/*.jsonl
