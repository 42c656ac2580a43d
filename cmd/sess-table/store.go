package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/bucket/s3"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/parallel"
)

// A store is a bucket with tables. The cache of this machine has a copy of its table of sessions, and of other
// tables what a run needs.
type store struct {
	*s3.Bucket
	dir    string                   // the copy
	there  map[string]bucket.Object // the parts of tables, by name
	marker []byte                   // the marker to make before the first part, nil if there is one
	lock
}

const (
	mostObjects = 4 * 100_000 // parts in one bucket: some 270 years
	atOnce      = 16          // parts fetched at once
	tagName     = "etag"      // the file beside a part of the copy with the ETag that it had in the bucket
)

// openStore does not connect.
func openStore(c s3.Config, warn func(string, ...any)) (*store, error) {
	c.Type = "application/octet-stream"
	b, err := s3.Open(c, warn)
	if err != nil {
		return nil, err
	}
	cache, err := disk.CacheDir()
	if err != nil {
		return nil, cli.WithHint(err, "XDG_CACHE_HOME=DIR names a directory for what is known of the bucket")
	}
	dir := filepath.Join(cache, "tables-"+bucket.SumOf([]byte(b.Name()))[:16])
	return &store{Bucket: b, dir: dir, lock: lock{warn: warn}}, os.MkdirAll(dir, 0o700)
}

// addressOf returns the address of the objects of a bucket, for engines: without where its server is.
func addressOf(c *s3.Config) string { return strings.TrimSuffix(s3.Scheme+c.Bucket+"/"+c.Prefix, "/") }

func (s *store) pathOf(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *store) nameOf(path string) string {
	return strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(s.dir)+"/")
}

// begin reads the marker; nil is that of a bucket without any object of the prefix.
func (s *store) begin(ctx context.Context) ([]byte, error) {
	raw, err := s.Get(ctx, markerName, 1<<16, nil)
	if !errors.Is(err, bucket.ErrAbsent) {
		return raw, s.explained(err)
	}
	for o, err := range s.List(ctx, "", "") {
		if err != nil {
			return nil, s.explained(err)
		}
		if o.Name != lockName { // which a first run has left that was killed
			return nil, cli.UsageError("-o %s: it has other objects, such as %q, and no %s: name a prefix that has none", s.Name(), o.Name, markerName)
		}
	}
	return nil, nil
}

// explained says of which bucket an error is, and what to do.
func (s *store) explained(err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", s.Name(), err)
	if errors.Is(err, bucket.ErrDamaged) {
		return cli.WithHint(cli.WithStatus(err, cli.ExitMalformed), "remove what is below the prefix, or name another one: objects that other programs put there have no SHA-256")
	}
	return err
}

// isPart reports whether a name is that of a part. Other objects are not looked at.
func isPart(name string) bool {
	elems := strings.Split(name, "/")
	if len(elems) != 3 || !slices.Contains(tableNames(), elems[0]) || elems[2] != partName {
		return false
	}
	day, ok := strings.CutPrefix(elems[1], "day=")
	_, err := time.Parse(time.DateOnly, day)
	return ok && (err == nil || day == noDay)
}

// list lists the parts in the bucket.
func (s *store) list(ctx context.Context) error {
	s.there = map[string]bucket.Object{}
	for o, err := range s.List(ctx, "", "") {
		if err == nil && len(s.there) == mostObjects {
			err = fmt.Errorf("more than %d parts: %w", mostObjects, bucket.ErrDamaged)
		}
		if err != nil {
			return s.explained(err)
		}
		if isPart(o.Name) {
			s.there[o.Name] = o
		}
	}
	return nil
}

// mirror brings the copy of the table of sessions up to date, for some days; nil is all.
func (s *store) mirror(ctx context.Context, only map[string]bool) error {
	for _, table := range tableNames() {
		days, err := os.ReadDir(filepath.Join(s.dir, table))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, day := range days {
			path := filepath.Join(s.dir, table, day.Name())
			if table != sessionsTable || !s.has(filepath.Join(path, partName)) {
				if err := os.RemoveAll(path); err != nil {
					return err
				}
			}
		}
	}
	for _, err := range parallel.MapErr(ctx, atOnce, maps.Keys(s.there), func(ctx context.Context, name string) (struct{}, error) {
		if !strings.HasPrefix(name, sessionsTable+"/") || only != nil && !only[dayIn(s.pathOf(name))] || s.isHere(name) {
			return struct{}{}, nil
		}
		err := s.fetch(ctx, s.pathOf(name))
		if err == nil {
			err = s.keep(name)
		}
		return struct{}{}, err
	}) {
		if err != nil {
			return err
		}
	}
	return nil
}

func tagFile(path string) string { return filepath.Join(filepath.Dir(path), tagName) }

// isHere reports whether the copy of a part is that of the bucket.
func (s *store) isHere(name string) bool {
	path := s.pathOf(name)
	tag, err := disk.ReadFile(tagFile(path))
	return err == nil && s.there[name].ETag != "" && string(tag) == s.there[name].ETag && directory{}.has(path)
}

// keep says of the copy of a part that it is that of the bucket.
func (s *store) keep(name string) error {
	return disk.Anew(disk.OS{}, tagFile(s.pathOf(name)), bytes.NewBufferString(s.there[name].ETag), false)
}

func (s *store) has(path string) bool {
	_, ok := s.there[s.nameOf(path)]
	return ok
}

func (s *store) fetch(ctx context.Context, path string) error {
	o, ok := s.there[s.nameOf(path)]
	if !ok || s.isHere(o.Name) {
		return nil
	}
	data, err := s.Get(ctx, o.Name, o.Size, nil)
	if err != nil {
		return s.explained(fmt.Errorf("%s: %w", o.Name, err))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return disk.Anew(disk.OS{}, path, bytes.NewBuffer(data), false)
}

// publish puts a part into the bucket. Until its tag is written, the copy is not taken for it.
func (s *store) publish(ctx context.Context, temp, path string) (string, error) {
	name := s.nameOf(path)
	data, err := os.ReadFile(temp)
	if err != nil {
		return "", err
	}
	o := bucket.Object{Name: name, Size: int64(len(data))}
	if o.ETag, err = s.Replace(ctx, name, data); err != nil {
		return "", s.explained(fmt.Errorf("%s: %w", name, err))
	}
	s.there[name] = o
	if strings.HasPrefix(name, sessionsTable+"/") {
		if err = os.Rename(temp, path); err == nil {
			err = s.keep(name)
		}
	} else {
		err = os.RemoveAll(filepath.Dir(path))
	}
	return addressOf(&s.Config) + "/" + name, err
}
