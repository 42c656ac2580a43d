package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

// schemas are those of the tables, with the types of their rows.
func schemas() map[string]reflect.Type {
	return map[string]reflect.Type{
		sessionsTable: reflect.TypeFor[sessionRow](), messagesTable: reflect.TypeFor[messageRow](),
		callsTable: reflect.TypeFor[callRow](), usageTable: reflect.TypeFor[usageRow](),
	}
}

const tablesPage = "../../docs/tables.md"

// marks are around what is made of the types.
const begin, end = "<!-- made of the types by go test ./cmd/sess-table -update -->\n", "<!-- end -->\n"

// TestPage: docs/tables.md has each column with its type and what it is. With -update it is written.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(tablesPage)
	must.Do(t, err)
	front, rest, ok := strings.Cut(string(page), begin)
	_, back, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s has no lines %q and %q", tablesPage, begin, end)
	}
	var b strings.Builder
	types, comments := schemas(), parsedComments(t)
	for _, name := range tableNames() {
		typ := types[name]
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| column | type | |\n|---|---|---|\n", name, comments[typ.Name()])
		schema := parquet.SchemaOf(reflect.New(typ).Interface())
		for f := range typ.Fields() {
			column, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
			said := comments[typ.Name()+"."+f.Name]
			if said == "" {
				t.Errorf("%s.%s has no comment", typ.Name(), f.Name)
			}
			leaf, _ := schema.Lookup(leafOf(schema, column)...)
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", column, nameOf(t, f, leaf.Node), said)
		}
	}
	want := front + begin + b.String() + "\n" + end + back
	if scripttest.Update() {
		must.Do(t, os.WriteFile(tablesPage, []byte(want), 0o644)) //nolint:gosec // everybody reads it
		page = []byte(want)
	}
	if diff := cmp.Diff(string(page), want); diff != "" {
		t.Errorf("go test ./cmd/sess-table -update makes %s of the types:\n%s", tablesPage, diff)
	}
}

// leafOf is the path of the values of a column.
func leafOf(schema *parquet.Schema, column string) []string {
	for _, path := range schema.Columns() {
		if path[0] == column {
			return path
		}
	}
	return []string{column}
}

// nameOf is the type of a column, with a question mark if it may be null.
func nameOf(t *testing.T, f reflect.StructField, leaf parquet.Node) string {
	t.Helper()
	name := map[string]string{
		"STRING": "text", "INT(32,true)": "int32", "INT(64,true)": "int64", "BOOLEAN": "bool",
		"TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS)": "timestamp", "DECIMAL(18,12)": "decimal(18,12)", "DECIMAL(precision=18,scale=12)": "decimal(18,12)",
	}[leaf.Type().String()]
	if name == "" {
		t.Errorf("%s: type %s has no name", f.Name, leaf.Type())
	}
	for typ := f.Type; typ.Kind() == reflect.Slice; typ = typ.Elem() {
		name = "list<" + name + ">"
	}
	if _, options, _ := strings.Cut(f.Tag.Get("parquet"), ","); strings.Contains(","+options+",", ",optional,") {
		name += " ?"
	}
	return name
}

// parsedComments returns what the comments of rows.go say of types and of their fields.
func parsedComments(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "rows.go", nil, parser.ParseComments)
	must.Do(t, err)
	out := map[string]string{}
	for _, d := range file.Decls {
		of, ok := d.(*ast.GenDecl)
		if !ok || of.Tok != token.TYPE {
			continue
		}
		spec := of.Specs[0].(*ast.TypeSpec)
		_, is, _ := strings.Cut(strings.Join(strings.Fields(of.Doc.Text()), " "), spec.Name.Name+" is ")
		out[spec.Name.Name] = "A row is " + is
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			out[spec.Name.Name+"."+f.Names[0].Name] = strings.TrimSpace(f.Comment.Text())
		}
	}
	return out
}
