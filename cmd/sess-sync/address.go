package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/sess-tools/sess/internal/core/bucket/s3"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/share/remote/dir"
	"github.com/sess-tools/sess/internal/share/remote/nats"
)

// open connects to the remote at an address. With create, its place is made if that is a
// directory.
func (c *config) open(_ context.Context, s *cli.Streams, address string, create bool) (remote.Log, error) {
	if address == "" {
		return nil, cli.WithHint(cli.UsageError("no remote is named"), "SESS_REMOTE=ADDRESS names one; see sess-sync(1)")
	}
	c.speak.Store(s)
	tally := cli.NewTally(func(format string, args ...any) { c.speak.Load().Warnf(format, args...) })
	warn := func(format string, args ...any) { tally.Warnf(format, format, args...) }
	scheme, _, ok := strings.Cut(address, "://")
	if !ok {
		return openDir(strings.TrimPrefix(address, "dir:"), create, warn)
	}
	u, err := s3.URL(address)
	if err != nil {
		return nil, err
	}
	if err := cli.RefuseUnknown("kind of remote", scheme, []string{"s3", "nats", "tls", "s3+http"}); err != nil {
		return nil, err
	}
	if !s3.IsBucket(address) {
		config, err := streamOf(u)
		if err != nil {
			return nil, err
		}
		config.Timeout = c.timeout
		return nats.Open(config, warn)
	}
	config, err := s3.ConfigOf(u)
	if err != nil {
		return nil, err
	}
	config.Timeout = c.timeout
	b, err := s3.Open(config, warn)
	if err != nil {
		return nil, err
	}
	return remote.Over(b, warn), nil
}

// streamOf reads the address of a stream.
func streamOf(u *url.URL) (nats.Config, error) {
	n := nats.Config{Stream: strings.Trim(u.Path, "/"), Creds: os.Getenv("SESS_NATS_CREDS")}
	insecure := u.RawQuery == "insecure=1"
	if u.RawQuery != "" && !insecure || u.Fragment != "" || strings.ContainsFunc(n.Stream, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return n, cli.UsageError("the address of the remote is not that of a stream: want %s://HOST[,HOST][/STREAM]", u.Scheme)
	}
	for host := range strings.SplitSeq(u.Host, ",") {
		one := url.URL{Host: host}
		if one.Hostname() == "" {
			return n, cli.UsageError("the address of the remote names no host")
		}
		if u.Scheme == "nats" && !insecure && !s3.Loopback(one.Hostname()) {
			return n, cli.WithHint(cli.UsageError("the server %s is asked without TLS: sessions hold secrets", host), "tls://%s uses TLS, and ?insecure=1 behind the address does without", host)
		}
		n.Servers = append(n.Servers, u.Scheme+"://"+host)
	}
	return n, ownOnly(n.Creds)
}

// ownOnly refuses a file with a secret that others can read.
func ownOnly(name string) error {
	if name == "" || !disk.HasModes {
		return nil
	}
	fi, err := os.Stat(name)
	if err == nil && fi.Mode().Perm()&0o077 != 0 {
		err = cli.WithHint(fmt.Errorf("%s: others can read the credentials", name), "chmod 600 %s", cli.ShellQuote(name))
	}
	return err
}

func openDir(name string, create bool, warn func(string, ...any)) (remote.Log, error) {
	if name == "" {
		return nil, cli.UsageError("the directory of the remote has no name")
	}
	if create {
		if err := dir.Make(name); err != nil {
			return nil, err
		}
	}
	return dir.Open(name, warn)
}
