// Command abroad checks the packages of the module that it is run in, tests included, as a system would have them that is
// not this one: their types, and what go vet looks for.
//
// usage: abroad GOOS/GOARCH
//
// It reads everything from the source, dependencies too. go vet would compile them first, which takes five times as long.
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: abroad GOOS/GOARCH")
		os.Exit(2)
	}
	system, processor, _ := strings.Cut(os.Args[1], "/")
	wrong, err := check(system, processor)
	if err != nil {
		fmt.Fprintln(os.Stderr, "abroad:", err)
		os.Exit(2)
	}
	if wrong > 0 {
		os.Exit(1)
	}
}

// check prints what is wrong with the packages, and returns how much.
func check(system, processor string) (wrong int, err error) {
	list, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax, Tests: true,
		Env: append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
	}, "./...")
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		return 0, fmt.Errorf("no packages")
	}
	if wrong = packages.PrintErrors(list); wrong > 0 {
		return wrong, nil
	}
	found, err := checker.Analyze(vet.Suite, list, nil)
	if err != nil {
		return 0, err
	}
	for action := range found.All() {
		if !action.IsRoot {
			continue
		}
		if action.Err != nil {
			return 0, action.Err
		}
		for _, d := range action.Diagnostics {
			fmt.Printf("%s: %s\n", action.Package.Fset.Position(d.Pos), d.Message)
			wrong++
		}
	}
	return wrong, nil
}
