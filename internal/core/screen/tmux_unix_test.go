//go:build unix

package screen

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// otherwise are texts of which terminals say different widths: tmux 3.3 has four columns for a thumb with a tone of skin, others
// two; and one for a soft hyphen, which others do not show.
var otherwise = map[string]bool{"👍🏽": true, "x\u00adz": true}

// A terminal puts its cursor as many columns behind a text as Columns says.
func TestColumnsInATerminal(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip(err)
	}
	texts := []string{
		"plain", "é", "e\u0301", "ä", "ß", "ñ", "Ω", "ж", "Привет", "日本語", "トークン", "ﾊﾝｶｸ", "Ｆｕｌｌ", "한국어", "\u1100\u1161",
		"中文字符", "שלום", "مرحبا", "हिन्दी", "ไทย", "…", "–", "—", "·", "•", "→", "←", "│", "├", "█", "▏", "✗", "✓", "⊘", "●", "◆", "○",
		"─", "╭", "╮", "“x”", "‘x’", "€", "£", "¥", "°", "±", "×", "§", "©", "™", "½", "①", "℃", "✅", "🎉", "😀", "🚀", "❤", "❤️", "👍🏽",
		"👨‍👩‍👧", "🇩🇪", "☺", "⚠", "⚠️", "a\u200bb", "x\u00adz",
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	tmux := func(args ...string) string {
		out, err := exec.Command("tmux", append([]string{"-u", "-f", "/dev/null", "-S", socket}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	fed := filepath.Join(dir, "fed")
	if err := exec.Command("mkfifo", fed).Run(); err != nil {
		t.Skip(err)
	}
	tmux("new-session", "-d", "-x", "80", "-y", "24", "exec cat <"+fed)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() }) // it may have ended
	f, err := os.OpenFile(fed, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	differ := 0
	for i, text := range texts {
		// The line above says how far it has come, so that the cursor is not asked for too early.
		if _, err := f.WriteString("\x1b[H\x1b[2K" + strconv.Itoa(i) + "\r\n\x1b[2K" + text); err != nil {
			t.Fatal(err)
		}
		var got string
		for range 500 {
			if line, _, _ := strings.Cut(tmux("capture-pane", "-p"), "\n"); strings.TrimSpace(line) == strconv.Itoa(i) {
				got = tmux("display-message", "-p", "#{cursor_x}")
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if want := strconv.Itoa(Columns(text)); got != want {
			differ++
			if !otherwise[text] {
				t.Errorf("%q (%+q): the terminal has %s, we say %s", text, text, got, want)
			}
		}
	}
	t.Logf("%d of %d texts are as wide as said", len(texts)-differ, len(texts))
}
