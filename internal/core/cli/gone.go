package cli

// A renamed flag is one of a time when nothing had been released.
type renamed struct{ tool, flag, now string } // tool is "" for all of them

// gone are the flags that no longer exist, and their replacements.
var gone = []renamed{
	{"sess-redact", "map", "--key"},
	{"", "older-than", "--until"},
	{"", "at", "--leaf"},
	{"", "dup", "--copies"},
	{"", "no-dedup", "--copies"},
	{"", "top", "--limit"},
	{"", "tries", "--retries"},
	{"", "name", "--title"},
	{"", "all-branches", "--branches"},
	{"sess-append", "leaf", "--parent"},
	{"sess-append", "usage", "--usage-json"},
	{"sess-compact", "prompt", "--print-prompt"},
	{"sess-compact", "summary", "--summary-file"},
	{"sess-export", "db", "sess-export opencode -o FILE, and then opencode import FILE"},
	{"sess-export", "max-growth", "--max-ratio"},
	{"sess-fork", "all", "--branches"},
	{"sess-fork", "leaf", "--at"},
	{"sess-fork", "l", "--at"},
	{"sess-grep", "entries", "--lines"},
	{"sess-ls", "count", "--exact"},
	{"sess-ls", "remote", "the operand remote:"},
	{"sess-merge", "leaf", "--end"},
	{"sess-new", "parent", "--from"},
	{"sess-path", "system", "--with-system"},
	{"sess-path", "raw", "--raw-output"},
	{"sess-record", "from", "--reply"},
	{"sess-redact", "as", "--with"},
	{"sess-redact", "paths", "--users"},
	{"sess-seg rollback", "force", "--leave-behind"},
	{"sess-show", "all", "--branches"},
	{"sess-show", "html", "--as html"},
	{"sess-show", "markdown", "--as markdown"},
	{"sess-show", "text", "--as text"},
	{"sess-show", "ansi", "--as ansi"},
	{"sess-show", "system", "--open-system"},
	{"sess-show", "tools", "--calls"},
	{"sess-turn", "leaf", "--parent"},
	{"sess-watch", "until", "--state"},
}

// GivenUp returns the replacement for a flag that a tool once had.
func GivenUp(tool, flag string) (now string, ok bool) {
	for _, r := range gone {
		if r.flag == flag && (r.tool == tool || r.tool == "") {
			return r.now, true
		}
	}
	return "", false
}
