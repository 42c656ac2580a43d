// Package homes says where pi and oh-my-pi keep their sessions, whose stores are laid out as
// ours, how variables of other agents name such places, and where the user keeps settings of these tools.
package homes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
)

// Env is what of the environment decides where an agent keeps its sessions.
type Env struct {
	Getenv func(string) string
	Home   string // the user's home directory, "" if unknown
}

// ErrNoHome is the error of an environment that names no home directory where one is
// needed.
var ErrNoHome = errors.New("finding the home directory: HOME is not set")

// StorePath returns the path elements below the directory that a variable
// names, or, if it is empty, below the home directory and its further elements.
// A leading ~ in the variable is the home directory.
func (env Env) StorePath(variable string, home []string, below ...string) (string, error) {
	return env.below(env.Getenv(variable), home, below...)
}

// below is StorePath for what a variable would have.
func (env Env) below(dir string, home []string, below ...string) (string, error) {
	tilde := dir == "~" || len(dir) > 1 && dir[0] == '~' && os.IsPathSeparator(dir[1])
	switch {
	case (dir == "" || tilde) && env.Home == "":
		return "", ErrNoHome
	case tilde:
		dir = filepath.Join(env.Home, dir[1:])
	case dir == "":
		dir = filepath.Join(append([]string{env.Home}, home...)...)
	}
	return filepath.Join(append([]string{dir}, below...)...), nil
}

// Pi returns where pi keeps its sessions: where a variable says, or else sessionDir in its settings, or in its
// agent directory.
func Pi(env Env) (string, error) {
	if dir := env.Getenv("PI_CODING_AGENT_SESSION_DIR"); dir != "" {
		return env.below(dir, nil)
	}
	agent, err := env.StorePath("PI_CODING_AGENT_DIR", []string{".pi", "agent"})
	if err != nil {
		return "", err
	}
	settings, err := disk.ReadFile(filepath.Join(agent, "settings.json"))
	if err == nil && js.Valid(settings) {
		if dir := js.Value(settings).Get("sessionDir").Str(); dir != "" {
			return env.below(dir, nil)
		}
	}
	return filepath.Join(agent, "sessions"), nil
}

// Omp returns where oh-my-pi keeps its sessions: below its agent directory,
// or, unless that was named, below the user's data directory if that has one.
func Omp(env Env) (string, error) {
	if env.Getenv("PI_CODING_AGENT_DIR") != "" {
		return env.StorePath("PI_CODING_AGENT_DIR", nil, "sessions")
	}
	below := []string{".omp"}
	if dir := env.Getenv("PI_CONFIG_DIR"); dir != "" {
		below = []string{dir}
	}
	if profile := env.Getenv("OMP_PROFILE"); profile != "" {
		below = append(below, "profiles", profile)
	} else if data := env.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) && isDir(filepath.Join(data, "omp")) {
		return filepath.Join(data, "omp", "sessions"), nil
	}
	return env.StorePath("", append(below, "agent"), "sessions")
}

// natives are the agents whose stores are laid out as ours and hold files as ours. Where both have one store, it is the first's.
var natives = []struct {
	agent string
	home  func(Env) (string, error)
}{{"pi", Pi}, {"omp", Omp}}

// Native returns where an agent keeps its sessions, if its store is laid out as ours and holds files as ours, else nil.
func Native(agent string) func(Env) (string, error) {
	for _, n := range natives {
		if n.agent == agent {
			return n.home
		}
	}
	return nil
}

// NativeAt returns the agent of such a store in which a file is, "" if there is none.
func NativeAt(env Env, path string) string {
	for _, n := range natives {
		if dir, err := n.home(env); err == nil && strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return n.agent
		}
	}
	return ""
}

// Here is the environment of this process.
func Here() Env {
	home, _ := os.UserHomeDir() // ErrNoHome tells of it where it is needed
	return Env{Getenv: os.Getenv, Home: home}
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}
