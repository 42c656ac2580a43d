package s3

import (
	"cmp"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
)

// Scheme is that of the addresses of buckets.
const Scheme = "s3://"

// URL reads an address. It stands in the list of processes and in logs, so it has no secrets. One that is refused may
// have, and is not repeated.
func URL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, cli.UsageError("the address of the remote is no URL")
	}
	if u.User != nil {
		return nil, cli.WithHint(cli.UsageError("the address of the remote has a user or a password in it"),
			"credentials come from the environment or from files: see sess-sync(1)")
	}
	return u, nil
}

// IsBucket reports whether an address is that of a bucket.
func IsBucket(address string) bool {
	return strings.HasPrefix(address, Scheme) || strings.HasPrefix(address, plainScheme)
}

// plainScheme begins the address of a bucket on another machine that may be spoken to without TLS.
const plainScheme = "s3+http://"

// ConfigOf reads the address of a bucket.
func ConfigOf(u *url.URL) (Config, error) {
	b := Config{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/"), Region: cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))}
	if b.Bucket == "" || u.Fragment != "" {
		return b, cli.UsageError("the address of the remote names no bucket: want s3://BUCKET[/PREFIX]")
	}
	for name, values := range u.Query() {
		if err := cli.RefuseUnknown("part of an address", name, []string{"endpoint", "region", "path-style"}); err != nil {
			return b, err
		}
		switch value := values[0]; name {
		case "endpoint":
			e, err := url.Parse(value)
			if err != nil || e.Host == "" || e.User != nil || strings.Trim(e.Path, "/") != "" || e.Scheme != "https" && e.Scheme != "http" {
				return b, cli.UsageError("the endpoint of the remote is no https://HOST")
			}
			b.Host, b.Plain, b.PathStyle = e.Host, e.Scheme == "http", true
			if b.Plain && u.Scheme+"://" != plainScheme && !Loopback(e.Hostname()) {
				return b, cli.WithHint(cli.UsageError("the endpoint %s is not encrypted: sessions hold secrets", e.Host), "an address that begins with %s uses it all the same", plainScheme)
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

// Loopback reports whether a host is this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
