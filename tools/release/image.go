package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/sess-tools/sess/tools/release/names"
)

// image makes an image of a container that holds the tools and the notices that go with them, and nothing else:
// no shell, no C library, no certificates.
func (b *build) image(t names.Target, tree []file) error {
	var held []file
	for _, f := range tree {
		if strings.HasPrefix(f.path, "bin/") || strings.HasSuffix(f.path, "/LICENSE") || strings.HasSuffix(f.path, "/"+names.Notices) {
			held = append(held, f)
		}
	}
	data, err := tarBytes("usr", held, b.time)
	if err != nil {
		return err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
	if err != nil {
		return err
	}
	created := v1.Time{Time: b.time}
	img, err := mutate.Append(empty.Image, mutate.Addendum{Layer: layer, History: v1.History{Created: created, CreatedBy: "sess " + b.version}})
	if err != nil {
		return err
	}
	img, err = mutate.ConfigFile(img, b.config(img, t, created))
	if err != nil {
		return err
	}
	tag, err := name.NewTag("sess:" + b.version)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := tarball.Write(tag, img, &out); err != nil {
		return err
	}
	return b.write(names.Image(b.version, t), out.Bytes())
}

// config says how the image runs: as nobody, with the directory of sessions that is mounted at /work.
func (b *build) config(img v1.Image, t names.Target, created v1.Time) *v1.ConfigFile {
	config, err := img.ConfigFile()
	if err != nil {
		panic(err) // of an image that was made a moment ago, in memory
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = t.OS, t.Arch, created
	config.Config = v1.Config{
		User: "65534:65534", WorkingDir: "/work", Entrypoint: []string{"/usr/bin/sess"}, Env: []string{"PATH=/usr/bin", "HOME=/work"},
		Labels: map[string]string{
			"org.opencontainers.image.title": "sess", "org.opencontainers.image.description": summary, "org.opencontainers.image.source": homepage,
			"org.opencontainers.image.version": b.version, "org.opencontainers.image.revision": b.commit, "org.opencontainers.image.licenses": "MIT",
		},
	}
	return config
}
