// Package s3 is a bucket of an object store that has the API of S3 and a PUT with If-None-Match: *. It is the only
// importer of its client library.
package s3

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/sess-tools/sess/internal/core/bucket"
)

// maxPart is the largest part in bytes. S3 takes 5 GiB in one PUT.
const maxPart = 1 << 30

// sumName is the metadata with the SHA-256 of an object, in hex.
const sumName = "Sess-Sha256"

// aws is the host of Amazon's own service.
const aws = "s3.amazonaws.com"

// A Config says where the bucket is. Credentials come from the environment and from
// files, as for other programs.
type Config struct {
	Bucket    string
	Prefix    string // of the names of objects, without slashes at its ends
	Host      string // with a port, if it has one; "" is Amazon's
	Plain     bool   // without TLS
	Region    string // "" is us-east-1
	PathStyle bool   // the bucket stands in the path, not in the host

	Type    string        // the media type of objects, "" for JSON Lines
	Timeout time.Duration // how long the server may say nothing; 0 is DefaultTimeout

	transport http.RoundTripper
	creds     *credentials.Credentials
}

// Open returns the bucket. It does not connect. Warn is called where an answer is waited for.
func Open(c Config, warn func(string, ...any)) (*Bucket, error) {
	b := &Bucket{Config: c, prefix: c.Prefix}
	if b.prefix != "" {
		b.prefix += "/"
	}
	if err := s3utils.CheckValidBucketName(c.Bucket); err != nil {
		return nil, fmt.Errorf("the bucket %.80q: %w", c.Bucket, err) // else it looks as if there was no answer
	}
	host, lookup, region := c.Host, minio.BucketLookupDNS, c.Region
	if host == "" {
		host = aws
	}
	if c.PathStyle {
		lookup = minio.BucketLookupPath
	}
	if region == "" {
		region = "us-east-1" // without one the library asks for the bucket's
	}
	creds := c.creds
	if creds == nil { // off the clouds there is no answer at the address of the machine's role, and that is not waited for
		creds = credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{},
			&credentials.FileAWSCredentials{},
			&credentials.IAM{Client: &http.Client{Timeout: 2 * time.Second}},
		})
	}
	transport, err := transportOf(c, warn)
	if err != nil {
		return nil, err
	}
	b.core.Client, err = minio.New(host, &minio.Options{
		Creds: creds, Secure: !c.Plain, Region: region, BucketLookup: lookup, Transport: transport,
		MaxRetries: 1, // a second try is ours: the answer to the first may have been lost
	})
	return b, err
}

// transportOf returns what requests go through.
func transportOf(c Config, warn func(string, ...any)) (http.RoundTripper, error) {
	p := &patient{next: c.transport, timeout: c.Timeout, warn: warn}
	if p.timeout <= 0 {
		p.timeout = DefaultTimeout
	}
	if p.next == nil {
		t, err := minio.DefaultTransport(!c.Plain)
		if err != nil {
			return nil, err
		}
		t.ResponseHeaderTimeout = 0 // which would count the time of a large request
		p.next = t
	}
	return p, nil
}

// A Bucket is a bucket of S3.
type Bucket struct {
	Config
	core   minio.Core
	prefix string
}

// Limits are those of a PUT.
func (b *Bucket) Limits() bucket.Limits { return bucket.Limits{MaxPart: maxPart} }

// Close does nothing: connections end by themselves.
func (b *Bucket) Close() error { return nil }

// Name is the address, without what says how the server is reached.
func (b *Bucket) Name() string {
	name := "s3://" + b.Bucket
	if b.Prefix != "" {
		name += "/" + b.Prefix
	}
	if b.Host != "" {
		name += "?endpoint=" + b.Host
	}
	return name
}

// Create puts an object under the condition that there is none.
func (b *Bucket) Create(ctx context.Context, name string, data []byte) (etag string, err error) {
	etag, err = b.put(ctx, name, data, true)
	if err = classed(ctx, err); errors.Is(err, bucket.ErrAbsent) { // what the condition was compared with went away meanwhile
		err = fmt.Errorf("%w: %w", bucket.ErrUnknown, err)
	}
	return etag, err
}

// Put is Replace without its ETag.
func (b *Bucket) Put(ctx context.Context, name string, data []byte) error {
	_, err := b.Replace(ctx, name, data)
	return err
}

// Replace makes or replaces an object, and returns its ETag.
func (b *Bucket) Replace(ctx context.Context, name string, data []byte) (etag string, err error) {
	err = again(ctx, func() error {
		etag, err = b.put(ctx, name, data, false)
		return err
	})
	return etag, err
}

// Remove removes an object, if it is there.
func (b *Bucket) Remove(ctx context.Context, name string) error {
	return again(ctx, func() error {
		return b.core.RemoveObject(ctx, b.Bucket, b.prefix+name, minio.RemoveObjectOptions{})
	})
}

// put signs the hash of the data, which the server compares with the data it gets. The hash of
// chunks, which the library would sign without TLS, would be one more.
func (b *Bucket) put(ctx context.Context, name string, data []byte, absent bool) (etag string, err error) {
	sum := bucket.SumOf(data)
	o := minio.PutObjectOptions{
		ContentType: cmp.Or(b.Type, "application/x-ndjson"), DisableMultipart: true, DisableContentSha256: true,
		UserMetadata: map[string]string{sumName: sum},
	}
	if absent {
		o.SetMatchETagExcept("*")
	}
	info, err := b.core.PutObject(ctx, b.Bucket, b.prefix+name, bytes.NewReader(data), int64(len(data)), "", sum, o)
	return info.ETag, err
}

// Get compares the object with its SHA-256.
func (b *Bucket) Get(ctx context.Context, name string, most int64, room []byte) (data []byte, err error) {
	err = again(ctx, func() error {
		data, err = b.get(ctx, name, most, room)
		return err
	})
	return data, err
}

func (b *Bucket) get(ctx context.Context, name string, most int64, room []byte) ([]byte, error) {
	r, info, _, err := b.core.GetObject(ctx, b.Bucket, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if info.Size > most {
		return nil, bucket.ErrTooLarge
	}
	var data []byte
	if info.Size >= 0 {
		data = bucket.Room(room, info.Size)
		_, err = io.ReadFull(r, data)
	} else { // the server does not say
		data, err = io.ReadAll(io.LimitReader(r, most+1))
	}
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > most:
		return nil, bucket.ErrTooLarge
	case info.UserMetadata[sumName] == "":
		return nil, fmt.Errorf("%s has no SHA-256 as metadata: %w", name, bucket.ErrDamaged)
	case info.UserMetadata[sumName] != bucket.SumOf(data):
		return nil, fmt.Errorf("%s has another SHA-256 than was written: %w", name, bucket.ErrDamaged)
	}
	return data, nil
}

// List goes on behind the last object that it got, if an answer is lost.
func (b *Bucket) List(ctx context.Context, prefix, after string) iter.Seq2[bucket.Object, error] {
	return func(yield func(bucket.Object, error) bool) {
		stopped, page := false, &pages{}
		ctx := context.WithValue(ctx, pagesKey{}, page)
		err := again(ctx, func() error {
			o := minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true}
			if after != "" {
				o.StartAfter = b.prefix + after
			}
			for info := range b.core.ListObjectsIter(ctx, b.Bucket, o) {
				if info.Err != nil {
					return info.Err
				}
				name, ok := strings.CutPrefix(info.Key, b.prefix)
				if !ok || name <= after {
					return fmt.Errorf("listing %s: %q is out of order: %w", prefix, info.Key, bucket.ErrDamaged)
				}
				after, page.n = name, 0
				if stopped = !yield(bucket.Object{Name: name, Size: info.Size, ETag: info.ETag}, nil); stopped {
					return nil
				}
			}
			return ctx.Err()
		})
		if err != nil && !stopped {
			yield(bucket.Object{}, err)
		}
	}
}

// tries is how often a request is made that gets no answer, or one that says to try
// again.
const tries = 6

// again makes a request that may be made twice.
func again(ctx context.Context, do func() error) (err error) {
	for try := range tries {
		if err = classed(ctx, do()); !errors.Is(err, bucket.ErrUnknown) {
			return err
		}
		if perr := bucket.Pause(ctx, try); perr != nil {
			return perr
		}
	}
	return err
}

// classed returns an error of the library as one of a bucket.
func classed(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, bucket.ErrTooLarge) || errors.Is(err, bucket.ErrDamaged) || errors.Is(err, bucket.ErrSilent) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := minio.ToErrorResponse(err)
	err = said{err}
	is := bucket.ErrUnknown
	switch {
	case e.Code == "NoSuchBucket":
		is = fmt.Errorf("%w: no such bucket", bucket.ErrNoRemote)
	case e.StatusCode == http.StatusPreconditionFailed, e.Code == "PreconditionFailed":
		is = bucket.ErrExists
	case e.StatusCode == http.StatusNotFound:
		is = bucket.ErrAbsent
	case e.Code == "RequestTimeTooSkewed":
		is = fmt.Errorf("%w: the clock of this machine differs from the server's by more than 15 minutes", bucket.ErrDenied)
	case e.StatusCode == http.StatusUnauthorized, e.StatusCode == http.StatusForbidden, e.Code == "ExpiredToken", e.Code == "InvalidToken":
		is = bucket.ErrDenied
	case e.StatusCode == http.StatusInsufficientStorage, e.Code == "QuotaExceeded", strings.Contains(e.Message, "No space left on device"):
		is = bucket.ErrFull
	case e.StatusCode == http.StatusRequestEntityTooLarge, e.Code == "EntityTooLarge":
		is = bucket.ErrTooLarge
	case e.StatusCode == http.StatusConflict, e.StatusCode == http.StatusTooManyRequests, e.StatusCode == http.StatusRequestTimeout:
		// The condition could not be decided, or nothing was done: to be tried again.
	case e.StatusCode >= 400 && e.StatusCode < 500, e.StatusCode == http.StatusNotImplemented:
		return err
	}
	return fmt.Errorf("%w: %w", is, err)
}

// said is an error in the words of a server, of which one short line is repeated.
type said struct{ error }

// mostSaid is the length of that line, in bytes.
const mostSaid = 300

func (s said) Error() string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(s.error.Error(), "\uFFFD")), " ")
	if len(text) > mostSaid {
		text = strings.ToValidUTF8(text[:mostSaid], "") + "…"
	}
	return text
}

func (s said) Unwrap() error { return s.error }
