package secret_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"mime/quotedprintable"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/sess-tools/sess/internal/core/secret"
	"github.com/sess-tools/sess/internal/test/planted"
)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func wide(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return base64.StdEncoding.EncodeToString(b)
}

func wrapped(s string, width int) (out string) {
	for ; len(s) > width; s = s[width:] {
		out += s[:width] + "\n"
	}
	return out + s
}

// panel returns a text in lines of a width between borders.
func panel(s string, width int, left, right string) string {
	lines := strings.Split(wrapped(s, width), "\n")
	for i, l := range lines {
		lines[i] = left + l + strings.Repeat(" ", width-len(l)) + right
	}
	return strings.Join(lines, "\n")
}

// numbered returns lines with a format in front, for their number if it has one.
func numbered(s, format string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.Contains(format, "%") {
			lines[i] = fmt.Sprintf(format, i+1) + l
		} else {
			lines[i] = format + l
		}
	}
	return strings.Join(lines, "\n")
}

func each(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func between(s, sign string) string { return strings.Join(strings.Split(s, ""), sign) }

func quotedPrintable(s string) string {
	var b strings.Builder
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(strings.Repeat("a line that is long ", 3) + s + " and its end"))
	_ = w.Close()
	return b.String()
}

// dresses are what a secret, or a text with one, wears in transcripts.
func dresses() map[string]func(k planted.Kind) string {
	on := func(dress func(s string) string) func(planted.Kind) string {
		return func(k planted.Kind) string { return strings.Replace(k.Text, k.Secret, dress(k.Secret), 1) }
	}
	all := func(dress func(s string) string) func(planted.Kind) string {
		return func(k planted.Kind) string { return dress(k.Text) }
	}
	half := func(mark string) func(planted.Kind) string {
		return on(func(s string) string { return s[:len(s)/2] + mark + s[len(s)/2:] })
	}
	bare := func(dress func(s string) string) func(planted.Kind) string {
		return func(k planted.Kind) string {
			if !k.Bare {
				return ""
			}
			return dress(k.Secret)
		}
	}
	return map[string]func(k planted.Kind) string{
		"caret":                   half("^[[31m"),
		"caret around":            bare(func(s string) string { return "^[[1;31m" + s + "^[[0m" }),
		"caret of a charset":      half("^[(B"),
		"caret of a link":         bare(func(s string) string { return "^[]8;;http://x^G" + s }),
		"backslash e":             half(`\e[31m`),
		"backslash E around":      bare(func(s string) string { return `\E[1m` + s + `\E[0m` }),
		"cat -A":                  all(func(s string) string { return "a=1$\n" + s + "$\nb=2$\n" }),
		"cat -A at the end":       all(func(s string) string { return s + "$" }),
		"redrawn":                 on(func(s string) string { return between(s, "x\b") }),
		"struck twice":            on(func(s string) string { return each(s, "%[1]c\b%[1]c") }),
		"between underscores":     bare(func(s string) string { return "_" + s + "_" }),
		"behind a name and one":   bare(func(s string) string { return "the_key_is_" + s + "_" }),
		"soft hyphens beside":     bare(func(s string) string { return "\u00ad" + s + "\u00ad" }),
		"a soft hyphen in a word": bare(func(s string) string { return "x\u00ad" + s + "\u00ady" }),
		"wrapped at 80":           bare(func(s string) string { return wrapped(strings.Repeat("x ", 20)+s, 80) }),
		"wrapped at 76 and more":  bare(func(s string) string { return "the key\n" + wrapped(strings.Repeat("y ", 33)+s, 76) + "\nand more" }),
		"wrapped at 100": bare(func(s string) string {
			return strings.ReplaceAll(wrapped("> "+strings.Repeat("- ", 40)+s, 100), "\n", "\r\n")
		}),
		"wrapped, indented": bare(func(s string) string {
			return "  " + strings.ReplaceAll(wrapped("a word or two and "+s, 78), "\n", "\n  ")
		}),
		"in a panel": bare(func(s string) string { return panel(strings.Repeat("z ", 12)+s, 40, "| ", " |") }),
		"in a drawn panel": bare(func(s string) string {
			return "╭────╮\n" + panel(s, 30, "│ ", " │") + "\n╰────╯"
		}),
		"in an indented panel":    bare(func(s string) string { return panel(strings.Repeat("w ", 20)+s, 60, "  ┃ ", " ┃") }),
		"two literals":            bare(func(s string) string { return `"` + s[:len(s)/2] + `" + "` + s[len(s)/2:] + `"` }),
		"literals side by side":   bare(func(s string) string { return `'` + s[:len(s)/3] + `' '` + s[len(s)/3:] + `'` }),
		"numbered base64":         all(func(s string) string { return numbered(wrapped(b64("A=1\nB=2\nT="+s+"\nC=3\n"), 60), "%6d\t") }),
		"numbered base64, arrow":  all(func(s string) string { return numbered(wrapped(b64("A=1\nB=2\nT="+s+"\n"), 76), "%5d→") }),
		"a diff of base64":        all(func(s string) string { return numbered(wrapped(b64("A=1\nB=2\nT="+s+"\n"), 64), "+") }),
		"quoted base64":           all(func(s string) string { return numbered(wrapped(b64("A=1\nB=2\nT="+s+"\n"), 64), "> ") }),
		"plain":                   all(func(s string) string { return s }),
		"colours":                 bare(func(s string) string { return "\x1b[31m" + s + "\x1b[0m" }),
		"colours of the line":     all(func(s string) string { return "\x1b[1;31m" + s + "\x1b[0m" }),
		"colours behind a word":   bare(func(s string) string { return "x\x1b[38;5;1m" + s + "\x1b[0my" }),
		"colours in C1":           bare(func(s string) string { return "\u009b31m" + s + "\u009b0m" }),
		"colours, escaped":        bare(func(s string) string { return `\x1b[31m` + s + `\x1b[0m` }),
		"colours, in octal":       bare(func(s string) string { return `\033[31m` + s + `\033[0m` }),
		"colours of grep inside":  half("\x1b[01;31m\x1b[Kx"[:11]),
		"a link of the terminal":  bare(func(s string) string { return "\x1b]8;;http://x\x1b\\" + s + "\x1b]8;;\x1b\\" }),
		"a title before":          bare(func(s string) string { return "\x1b]0;title\a" + s }),
		"zero width inside":       half("\u200b"),
		"zero width all over":     on(func(s string) string { return between(s, "\u200b") }),
		"joiners":                 half("\u2060"),
		"soft hyphens":            half("\u00ad"),
		"byte order marks":        half("\ufeff"),
		"a backspace":             half("\x00"),
		"bold":                    on(func(s string) string { return "**" + s + "**" }),
		"bold of the line":        all(func(s string) string { return "**" + s + "**" }),
		"bold by underscores":     bare(func(s string) string { return "__" + s + "__" }),
		"struck":                  on(func(s string) string { return "~~" + s + "~~" }),
		"after an underscore":     bare(func(s string) string { return "key_" + s }),
		"after a letter":          bare(func(s string) string { return "n" + s }),
		"before an underscore":    bare(func(s string) string { return s + "_x" }),
		"a diff":                  all(func(s string) string { return "@@ -1 +1 @@\n-x\n+" + s + "\n" }),
		"backticks":               all(func(s string) string { return "`" + s + "`" }),
		"backticks of the secret": bare(func(s string) string { return "`" + s + "`" }),
		"a query":                 bare(func(s string) string { return "https://h/p?a=1&key=" + s + "&b=2" }),
		"a fragment":              bare(func(s string) string { return "https://h/p#" + s }),
		"a path":                  bare(func(s string) string { return "https://h/" + s + "/x" }),
		"a list":                  bare(func(s string) string { return "[" + s + ",x]" }),
		"markup":                  bare(func(s string) string { return "<b>" + s + "</b>" }),
		"quoted-printable":        all(quotedPrintable),
		"entities":                all(func(s string) string { return each(s, "&#%d;") }),
		"hexadecimal entities":    all(func(s string) string { return each(s, "&#x%x;") }),
		"percent":                 all(func(s string) string { return each(s, "%%%02X") }),
		"a query, escaped":        all(func(s string) string { return "q=" + url.PathEscape("\n"+s+"\n") }),
		"code points":             all(func(s string) string { return each(s, `\u%04x`) }),
		"hex":                     all(func(s string) string { return hex.EncodeToString([]byte(s)) }),
		"base64":                  all(b64),
		"base64 for URLs":         all(func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }),
		"base64 twice":            all(func(s string) string { return b64(b64(s)) }),
		"base64 in a path":        all(func(s string) string { return "https://h.example.com/cb/" + b64(s) }),
		"base64 after a dash":     all(func(s string) string { return "x-" + b64(s) }),
		"base64 after _":          all(func(s string) string { return "cfg_" + b64(s) }),
		"base64 after a letter":   all(func(s string) string { return "x" + b64(s) }),
		"base64 of bytes":         all(func(s string) string { return b64("\x00\x01\xff" + s + "\x00\xfe") }),
		"base64 of UTF-16":        all(func(s string) string { return "powershell -EncodedCommand " + wide(s) }),
		"base64 wrapped":          all(func(s string) string { return wrapped(b64("a few words before: "+s+" and some words behind it"), 76) }),
		"base64 wrapped, quoted": all(func(s string) string {
			return `x = "` + wrapped(b64("a few words before: "+s+" and some words behind it"), 76) + `"`
		}),
		"base64 wrapped, in prose": all(func(s string) string {
			return wrapped(b64("a few words before: "+s+" and some words behind it"), 64) + " is it"
		}),
		"a data URL": all(func(s string) string { return "data:text/plain;base64," + b64(s) }),
	}
}

// Each kind is found in each dress.
func TestDresses(t *testing.T) {
	t.Parallel()
	set, err := secret.New(secret.Options{Depth: secret.DefaultDepth})
	if err != nil {
		t.Fatal(err)
	}
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for name, dress := range dresses() {
		missed := map[string]int{}
		for seed := range seeds {
			for _, k := range planted.New(100 + seed).Kinds() {
				text := dress(k)
				if text == "" {
					continue
				}
				if !found(set, text, k) {
					missed[k.Name]++
				}
			}
		}
		if len(missed) > 0 {
			t.Errorf("%s: %d kinds are missed: %v", name, len(missed), missed)
		}
	}
}

// found reports whether the secret is gone when what is found is cut out.
func found(set *secret.Set, text string, k planted.Kind) bool {
	list := set.Find(text)
	left, done := "", 0
	for _, f := range list {
		left += text[done:f.From]
		done = f.To
	}
	left += text[done:]
	return len(list) > 0 && !strings.Contains(left, k.Secret[len(k.Secret)/4:len(k.Secret)-len(k.Secret)/4]) && len(left) < len(text)-len(k.Secret)/2
}
