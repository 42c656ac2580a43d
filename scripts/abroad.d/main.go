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

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/assign"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/bools"
	"golang.org/x/tools/go/analysis/passes/composite"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/defers"
	"golang.org/x/tools/go/analysis/passes/errorsas"
	"golang.org/x/tools/go/analysis/passes/ifaceassert"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/stdmethods"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/tests"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unreachable"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/packages"
)

// vet are the passes of go vet that can say of a file for one system what they say of no other.
var vet = []*analysis.Analyzer{
	assign.Analyzer, atomic.Analyzer, bools.Analyzer, composite.Analyzer, copylock.Analyzer, defers.Analyzer, errorsas.Analyzer, ifaceassert.Analyzer,
	lostcancel.Analyzer, nilfunc.Analyzer, printf.Analyzer, shift.Analyzer, stdmethods.Analyzer, stringintconv.Analyzer, structtag.Analyzer,
	tests.Analyzer, unmarshal.Analyzer, unreachable.Analyzer, unsafeptr.Analyzer, unusedresult.Analyzer,
}

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
	found, err := checker.Analyze(vet, list, nil)
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
