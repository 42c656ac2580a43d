package main

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/remote"
	"github.com/sess-tools/sess/internal/remote/dir"
	"github.com/sess-tools/sess/internal/remote/s3"
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
	if err := clikit.Known("kind of remote", scheme, []string{"s3"}); err != nil {
		return nil, err
	}
	config, err := c.bucket(u)
	if err != nil {
		return nil, err
	}
	return s3.Open(config, warn)
}

// bucket reads the address of a bucket.
func (c *config) bucket(u *url.URL) (s3.Config, error) {
	b := s3.Config{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/"), Region: cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))}
	if b.Bucket == "" || u.Fragment != "" {
		return b, clikit.UsageError("the address of the remote names no bucket: want s3://BUCKET[/PREFIX]")
	}
	for name, values := range u.Query() {
		if err := clikit.Known("part of an address", name, []string{"endpoint", "region", "path-style"}); err != nil {
			return b, err
		}
		switch value := values[0]; name {
		case "endpoint":
			e, err := url.Parse(value)
			if err != nil || e.Host == "" || e.User != nil || strings.Trim(e.Path, "/") != "" || e.Scheme != "https" && e.Scheme != "http" {
				return b, clikit.UsageError("the endpoint of the remote is no https://HOST")
			}
			b.Host, b.Plain, b.PathStyle = e.Host, e.Scheme == "http", true
			if b.Plain && !c.insecure && !loopback(e.Hostname()) {
				return b, clikit.WithHint(clikit.UsageError("the endpoint %s is not encrypted: sessions hold secrets", e.Host), "--insecure uses it all the same")
			}
		case "region":
			b.Region = value
		}
	}
	if style := u.Query().Get("path-style"); style != "" {
		b.PathStyle = style != "0"
	}
	return b, nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
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
