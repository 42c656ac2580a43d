#!/bin/sh
# Has the Claude Code in a directory of npm packages resume what sess-export wrote of
# sessions of pi, of Claude Code itself and of the files named.
#
#   claude.sh [--only] PEER WORK [FILE...]
#
# With --only it is the files named alone.
# PEER is where npm installed @anthropic-ai/claude-code 2.1.330; a package without its
# program is skipped. The tools are in PATH.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
samples=$here/../../testdata
only=
[ "$1" != --only ] || {
	only=1
	shift
}
peer=$1 work=$2
shift 2
for program in "$peer"/node_modules/@anthropic-ai/claude-code-*/claude; do
	[ ! -x "$program" ] || break # one for each C library
done
[ -x "$program" ] || {
	echo "interop: skipped: no Claude Code in $peer"
	exit 0
}
[ "$only" ] || for file in "$samples"/pi/genuine/*/*.jsonl "$samples"/claude/*/*.jsonl; do
	case $file in
	*/agent-*) ;;     # a sub-agent is not resumed
	*/kinds.jsonl) ;; # has a queued message, which becomes a reminder there
	*) set -- "$@" "$file" ;;
	esac
done
exec node "$here/claude.mjs" "$program" "$work" "$@"
