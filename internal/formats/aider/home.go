package aider

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/formats"
)

// home returns the chat history that aider would write in this directory: the file
// that its environment names, else the one at the root of the Git work tree, else
// the one here.
func home(env formats.Env) (string, error) {
	if file := env.Getenv("AIDER_CHAT_HISTORY_FILE"); file != "" {
		return file, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the working directory: %w", err)
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return filepath.Join(dir, chatName), nil
		}
		if dir == filepath.Dir(dir) {
			return filepath.Join(here, chatName), nil
		}
	}
}
