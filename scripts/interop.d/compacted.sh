#!/bin/sh
# Fills a directory with one conversation, compacted in every way there is.
#
#   compacted.sh DIR
#
# The tools are in PATH.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1"
cd "$1"

talk() { node "$here/talk.mjs" "$1" "$2" | sess-append --entries -f - "$3"; }

# splits KEEP BOOL makes sure that a cut at KEEP tokens goes through a turn, or not.
splits() {
	sess-compact --plan --keep "$1" plain.jsonl | grep -q "\"isSplitTurn\":$2" && return
	echo "interop: with --keep $1 isSplitTurn is not $2" >&2
	exit 1
}

sess-new --cwd / -o plain.jsonl
talk 1 6 plain.jsonl
splits 3000 false
splits 500 true
for name in whole-turns split-turn command command-split keep-user keep-user-shortened last-turn pruned pruned-compacted branch; do
	cp plain.jsonl "$name.jsonl"
done
answer="cat >/dev/null; echo '## Goal'; echo 'what a command says'; echo '## Original Request'; echo 'and what else it says'"

# the summaries are extracted, or a command's
sess-compact --keep 3000 whole-turns.jsonl
sess-compact --keep 500 split-turn.jsonl
sess-compact --keep 3000 command.jsonl -- sh -c "$answer"
sess-compact --keep 500 command-split.jsonl -- sh -c "$answer"
sess-compact --strategy keep-user --keep 300 keep-user.jsonl
sess-compact --strategy keep-user --keep 150 keep-user-shortened.jsonl -- sh -c "$answer"
sess-compact --strategy last-turn last-turn.jsonl

# twice
cp split-turn.jsonl twice.jsonl
cp whole-turns.jsonl twice-keep-user.jsonl
talk 7 9 twice.jsonl
talk 7 9 twice-keep-user.jsonl
sess-compact --keep 500 twice.jsonl
sess-compact --strategy keep-user --keep 300 twice-keep-user.jsonl -- sh -c "$answer"

# old results
sess-compact --prune --prune-protect 1000 pruned.jsonl
sess-compact --prune --prune-protect 0 --keep 3000 pruned-compacted.jsonl -- sh -c "$answer"

# branches
sess-compact --branch .~12 branch.jsonl
cp branch.jsonl branch-compacted.jsonl
talk 7 8 branch-compacted.jsonl
sess-compact --keep 500 branch-compacted.jsonl
