// Apk installs a package of Alpine's in a directory that becomes a root of its own, as apk add does: by what another
// implementation of apk makes of it, since Debian has no apk. It refuses a package whose sums are wrong.
//
// usage: apk ROOT PACKAGE
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/chainguard-dev/go-apk/pkg/apk"
	"github.com/chainguard-dev/go-apk/pkg/fs"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: apk ROOT PACKAGE")
		os.Exit(2)
	}
	if err := install(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "apk:", err)
		os.Exit(1)
	}
}

// A local package is a file.
type local struct {
	*apk.Package
	path string
}

func (l local) URL() string         { return l.path }
func (l local) PackageName() string { return l.Name }

func install(ctx context.Context, root, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := apk.ParsePackage(ctx, f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	a, err := apk.New(apk.WithFS(fs.DirFS(root)), apk.WithArch(info.Arch), apk.WithIgnoreMknodErrors(true))
	if err != nil {
		return err
	}
	if err := a.InitDB(ctx); err != nil {
		return err
	}
	if err := a.InstallPackages(ctx, nil, []apk.InstallablePackage{local{info, path}}); err != nil {
		return err
	}
	installed, err := a.GetInstalled()
	if err != nil {
		return err
	}
	for _, p := range installed {
		fmt.Println(p.Name, p.Version, p.Arch)
	}
	return nil
}
