// Lines counts what of the project one command line passes through: the lines that it executes, of profiles of go
// build -cover, and those of the functions that are linked into a program, of its table of symbols.
//
//	lines PROGRAM PROFILE
//
// PROGRAM was built with -gcflags=all=-l, so that each function has a symbol. Lines of functions are those from the
// comment to the last bracket; of other declarations nothing is counted.
package main

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/sess-tools/sess/"

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(1)
	}
}

func run(program, profile string) error {
	executed, err := executedLines(profile)
	if err != nil {
		return err
	}
	linked, err := linkedLines(program)
	if err != nil {
		return err
	}
	n, files := total(executed)
	fmt.Printf("executed %d lines in %d files\n", n, files)
	n, files = total(linked)
	fmt.Printf("linked %d lines in %d files\n", n, files)
	byPackage := map[string]int{}
	for file, lines := range linked {
		byPackage[filepath.Dir(file)] += len(lines)
	}
	for _, pkg := range slices.SortedFunc(maps.Keys(byPackage), func(a, b string) int { return byPackage[b] - byPackage[a] }) {
		fmt.Printf("  %6d %s\n", byPackage[pkg], pkg)
	}
	return nil
}

// lines are the numbers of lines in files.
type lines map[string]map[int]bool

func (l lines) add(file string, from, to int) {
	if l[file] == nil {
		l[file] = map[int]bool{}
	}
	for n := from; n <= to; n++ {
		l[file][n] = true
	}
}

func total(l lines) (n, files int) {
	for _, of := range l {
		n += len(of)
	}
	return n, len(l)
}

var block = regexp.MustCompile(`^` + module + `(\S+):(\d+)\.\d+,(\d+)\.\d+ \d+ ([1-9]\d*)$`)

// executedLines reads a profile.
func executedLines(name string) (lines, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := lines{}
	for in := bufio.NewScanner(f); in.Scan(); {
		if m := block.FindStringSubmatch(in.Text()); m != nil {
			from, _ := strconv.Atoi(m[2])
			to, _ := strconv.Atoi(m[3])
			all.add(m[1], from, to)
		}
	}
	return all, nil
}

// linkedLines finds the functions of the project that a program has.
func linkedLines(program string) (lines, error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, err
	}
	symbols, err := f.Symbols()
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, s := range symbols {
		has[instance.ReplaceAllString(s.Name, "")] = true
	}
	all := lines{}
	err = filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil //nolint:nilerr // a sample
		}
		prefix := module + filepath.ToSlash(filepath.Dir(name))
		if file.Name.Name == "main" {
			if filepath.Base(filepath.Dir(name)) != strings.TrimSuffix(filepath.Base(program), ".exe") {
				return nil
			}
			prefix = "main"
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || !has[prefix+"."+symbol(fn)] {
				continue
			}
			from := fn.Pos()
			if fn.Doc != nil {
				from = fn.Doc.Pos()
			}
			all.add(name, set.Position(from).Line, set.Position(fn.End()).Line)
		}
		return nil
	})
	return all, err
}

// instance is what stands behind the name of a generic function or type.
var instance = regexp.MustCompile(`\[[^]]*\]+`)

// symbol returns the name of a function in the table of symbols.
func symbol(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	of, pointer := fn.Recv.List[0].Type, false
	for {
		switch t := of.(type) {
		case *ast.StarExpr:
			of, pointer = t.X, true
		case *ast.IndexExpr:
			of = t.X
		case *ast.IndexListExpr:
			of = t.X
		case *ast.Ident:
			if pointer {
				return "(*" + t.Name + ")." + fn.Name.Name
			}
			return t.Name + "." + fn.Name.Name
		default:
			return ""
		}
	}
}
