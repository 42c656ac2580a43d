#!/bin/sh
# Exports sessions to a real opencode, which has to go on with them (opencode.mjs):
# imported ones of its own, ones of pi, and whatever else is given.
#
#   opencode.sh PROGRAM WORK [FILE...]
#
# The tools are in PATH, WORK is a directory that need not exist, and a FILE is a session. What
# was imported stays in WORK/imported, for other programs to go on with.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
program=$1 work=$2
shift 2

mkdir -p "$work/imported"
for file in "$root"/testdata/opencode/genuine/*.json; do
	copy=$work/imported/$(basename "$file" .json).jsonl
	[ -e "$copy" ] || sess-import -q -o "$copy" opencode "$file" >/dev/null
done
# A fork of one has ids of its own.
[ -e "$work/forked.jsonl" ] || sess-fork -q --branches -o "$work/forked.jsonl" "$work/imported/tools.jsonl" >/dev/null
exec node "$root/scripts/interop.d/opencode.mjs" "$program" "$work" "$@" \
	"$root"/testdata/pi/sessions/branching.jsonl "$root"/testdata/pi/sessions/compacted-twice.jsonl \
	"$root"/testdata/pi/sessions/split-turn.jsonl "$root"/testdata/pi/sessions/unicode.jsonl \
	"$root"/testdata/pi/genuine/1.5/*.jsonl "$work"/imported/*.jsonl "$work/forked.jsonl"
