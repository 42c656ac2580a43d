package shell

import (
	"strings"

	"github.com/sess-tools/sess/internal/core/lazy"
)

// Commands of PowerShell, with their aliases: powerRuns run what others say, or change what a name means; powerPlain are other names than Verb-Noun.
var (
	powerRuns = set(`iex invoke-expression icm invoke-command saps start start-process start-job sajb start-threadjob invoke-item ii invoke-cimmethod invoke-wmimethod set-alias sal new-alias nal import-module ipmo set-psreadlineoption
		register-scheduledtask register-objectevent register-engineevent add-type new-object foreach-object % foreach where-object ? function filter cmd wsl invoke-history ihy r trace-command measure-command invoke-script invoke-webrequest-script start-dscconfiguration`)
	powerPlain = set("dir gci gc gl sl cls copy del erase md rd ren type sort select measure ft fl gm gps gsv sls oh out cd ls cat echo pwd rm cp mv")
	cmdlet     = lazy.Regexp(`^[A-Z][A-Za-z]+-[A-Z][A-Za-z]+$`)
	looksPower = lazy.Regexp(`(?m)(?:^|[;|{(&=]\s*)(?:[A-Z][A-Za-z]+-[A-Z][A-Za-z]+\b|\$[A-Za-z_][A-Za-z0-9_:]*\s*=|@['"(]|try\s*\{|\[[A-Z][A-Za-z.]+\]|&\s*['"]|if\s*\(|foreach\s*\()`)
)

// Power reports whether a line that bash reads as s, if ok, may be one of PowerShell, whatever its tool is called.
func Power(line string, s Simple, ok bool) bool {
	if !looksPower().MatchString(line) {
		return false
	}
	for _, c := range s.Commands {
		ok = ok && !cmdlet().MatchString(c.Words[0]) && !strings.HasPrefix(c.Words[0], "$") && c.Words[0] != "@"
	}
	return !ok
}

// A powerReader reads the words of PowerShell.
type powerReader struct {
	*reader
	words []word
	text  strings.Builder
	open  bool // there is a word
	vary  bool // a variable is in it
}

// end ends a word.
func (p *powerReader) end() {
	if p.open {
		w := literalWord(p.text.String())
		if p.vary {
			w.literal = false
			w.lead, _, _ = strings.Cut(w.text, "$")
		}
		p.words = append(p.words, w)
	}
	p.text.Reset()
	p.open, p.vary = false, false
}

// run ends a command. Several words behind $name = are a command.
func (p *powerReader) run() {
	p.end()
	words := p.words
	if p.words = nil; len(words) == 0 {
		return
	}
	if first := words[0].text; strings.HasPrefix(first, "$") && !strings.Contains(strings.ToLower(first), "psdefault") && !strings.Contains(first, ":") {
		switch {
		case len(words) > 1 && words[1].text == "=":
			words = words[2:]
		case strings.HasSuffix(first, "="):
			words = words[1:]
		case strings.Contains(first, "="):
			_, value, _ := strings.Cut(first, "=")
			words[0] = literalWord(value)
		}
		if len(words) < 2 {
			return
		}
	}
	a := at{ends: Unknown, program: true}
	name := strings.ToLower(program(words[0].text))
	switch {
	case powerRuns[name]:
		p.add(words, a)
		p.hide(Runs, name)
	case strings.Contains(name, "-") && !strings.HasPrefix(name, "git-") && words[0].literal, powerPlain[name]:
		p.add(words, a)
	default:
		if words[0].literal {
			words[0] = literalWord(name)
		}
		p.command(words, a, &state{})
	}
}

// PowerShell returns the commands of a line of PowerShell. A line is plain if it has words and quoted texts alone, parted by ; | && || and
// line feeds; a variable may stand for one that is no program.
func PowerShell(line string) Simple {
	p := powerReader{reader: newReader(line)}
	more := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' || c == '"':
			text, _, closed := strings.Cut(line[i+1:], line[i:i+1])
			more = more || !closed || c == '"' && (strings.Contains(text, "$(") || strings.Contains(text, "`"))
			p.vary = p.vary || c == '"' && strings.Contains(text, "$")
			p.text.WriteString(text)
			p.open, i = true, i+1+len(text)
		case c == '`':
			more = true
		case strings.HasPrefix(line[i:], ">&1") || strings.HasPrefix(line[i:], ">&2"):
			p.end()
			i += 2
		case c == ' ' || c == '\t' || c == '\r' || c == '>':
			p.end()
		case strings.IndexByte(";\n|&{}()", c) >= 0:
			p.run()
			more = more || strings.IndexByte("{}()", c) >= 0 || c == '&' && !strings.HasPrefix(line[i:], "&&") && !strings.HasSuffix(line[:i], "&") && !strings.HasSuffix(line[:i], ">")
		case c == '$' && i+1 < len(line) && (line[i+1]|0x20 >= 'a' && line[i+1]|0x20 <= 'z' || line[i+1] == '_'):
			p.text.WriteByte(c)
			p.open, p.vary = true, true
		default:
			more = more || strings.IndexByte("$@%#<^[]", c) >= 0 || c >= 0x80 || c == '.' && !p.open && i+1 < len(line) && strings.IndexByte(" \t('\"$", line[i+1]) >= 0
			p.text.WriteByte(c)
			p.open = true
		}
	}
	if p.run(); more {
		p.hide(PowerWords, line)
	}
	return p.done()
}
