#!/bin/sh
# The real Claude Code takes the plugin of the repository and the one that is installed: plugin.sh CLAUDE ROOT WORK
set -eu
claude=$1 root=$2 work=$3
for dir in "$root" "$root/share"; do
	home=$work/home$(printf %s "$dir" | cksum | cut -d' ' -f1)
	mkdir -p "$home"
	try() {
		HOME=$home CLAUDE_CONFIG_DIR=$home/.claude "$claude" plugin "$@" >"$home/out" 2>&1 || {
			cat "$home/out"
			echo "interop: claude plugin $*: failed"
			exit 1
		}
	}
	try validate "$dir"
	try marketplace add "$dir"
	try install sess@sess-tools
	try details sess@sess-tools
	for what in 'Skills (1)  sess' 'MCP servers (1)  sess'; do
		grep -qF "$what" "$home/out" || {
			cat "$home/out"
			echo "interop: the plugin in $dir has no $what"
			exit 1
		}
	done
done
echo "interop: Claude Code validates, adds and installs the plugin, with the skill and sess-mcp"
