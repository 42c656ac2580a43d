package main

import (
	"context"
	"net/url"
	"strings"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/remote"
	"github.com/sess-tools/sess/internal/remote/dir"
)

// open connects to the remote at an address. With make, its place is made if that is a
// directory.
func (c *config) open(_ context.Context, s *clikit.Streams, address string, make bool) (remote.Log, error) {
	if address == "" {
		return nil, clikit.WithHint(clikit.UsageError("no remote is named"), "--remote names one, or SESS_REMOTE")
	}
	tally := clikit.NewTally(s.Warnf)
	warn := func(format string, args ...any) { tally.Warnf(format, format, args...) }
	scheme, _, ok := strings.Cut(address, "://")
	if !ok {
		return openDir(strings.TrimPrefix(address, "dir:"), make, warn)
	}
	// An address stands in the list of processes and in logs, so it has no secrets. One that
	// is refused may have, and is not repeated.
	u, err := url.Parse(address)
	if err != nil {
		return nil, clikit.UsageError("the address of the remote is no URL")
	}
	if u.User != nil {
		return nil, clikit.WithHint(clikit.UsageError("the address of the remote has a user or a password in it"),
			"credentials come from the environment or from files: see sess-sync(1)")
	}
	return nil, clikit.Known("kind of remote", scheme, []string{"dir"})
}

func openDir(name string, make bool, warn func(string, ...any)) (remote.Log, error) {
	if name == "" {
		return nil, clikit.UsageError("the directory of the remote has no name")
	}
	if make {
		if err := dir.Make(name); err != nil {
			return nil, err
		}
	}
	return dir.Open(name, warn)
}
