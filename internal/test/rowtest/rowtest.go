// Package rowtest makes the schemas in docs/rows of the structs that rows are written from.
package rowtest

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/scripttest"
	"github.com/sess-tools/sess/pkg/js"
)

// Schema holds docs/rows/TOOL.json to the rows of a tool, whose package is tested. A row is a struct
// as [row.JSON] takes it, or a reference to the schema of a row of another tool, such as
// "sess-ls.json#/$defs/session". With -update it writes that file.
//
// The comment of a struct says what the row is, as a sentence that begins "A promptRow is"; the
// name without Row is that of its schema. The comments of its fields are the descriptions.
func Schema(t *testing.T, description string, rows ...any) {
	t.Helper()
	dir, err := os.Getwd()
	must.Do(t, err)
	tool, root := filepath.Base(dir), filepath.Dir(filepath.Dir(dir))
	g := &generator{t: t, root: root, tool: tool, comments: map[string]map[string]string{}}
	var refs []any
	for _, r := range rows {
		ref, ok := r.(string)
		if !ok {
			ref = g.define(reflect.TypeOf(r))
		}
		refs = append(refs, object{{"$ref", ref}})
	}
	doc := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Rows of " + tool}, {"description", description}, {"oneOf", refs},
	}
	if g.defs != nil {
		doc = append(doc, member{"$defs", g.defs})
	}
	want, file := text(doc, "\n")+"\n", filepath.Join(root, "docs", "rows", tool+".json")
	if scripttest.Update() {
		must.Do(t, os.WriteFile(file, []byte(want), 0o644)) //nolint:gosec // everybody reads it
	}
	got, err := os.ReadFile(file)
	if diff := cmp.Diff(string(got), want); err != nil || diff != "" {
		t.Errorf("%v; go test ./cmd/%s -update makes %s of the rows:\n%s", err, tool, file, diff)
	}
}

// A generator makes the schema of a tool.
type generator struct {
	t          *testing.T
	root, tool string
	defs       object
	comments   map[string]map[string]string // by directory and by TYPE or TYPE.FIELD
}

// define adds the schema of a row, and returns the reference to it.
func (g *generator) define(t reflect.Type) string {
	name := strings.TrimSuffix(t.Name(), "Row")
	name = strings.ToLower(name[:1]) + name[1:]
	ref := "#/$defs/" + name
	for _, m := range g.defs {
		if m.name == name {
			return ref
		}
	}
	at := len(g.defs)
	g.defs = append(g.defs, member{name, nil}) // before those that it needs
	g.defs[at].value = append(object{{"description", g.about(t)}}, g.object(t, declared(t))...)
	return ref
}

// about is what the comment of a type says, as a sentence without its subject.
func (g *generator) about(t reflect.Type) string {
	_, is, ok := strings.Cut(g.comment(declared(t)), t.Name()+" is ")
	if !ok {
		g.t.Errorf(`the comment of %v does not begin with "A %s is"`, t, t.Name())
		return ""
	}
	return strings.ToUpper(is[:1]) + is[1:]
}

// A place is where a struct is declared: by itself, or as the type of a field.
type place struct{ pkg, name string }

func declared(t reflect.Type) place { return place{t.PkgPath(), strings.Split(t.Name(), "[")[0]} }

// object is the schema of a struct, but for its description.
func (g *generator) object(t reflect.Type, at place) object {
	required, properties := g.members(t, at)
	return object{{"type", "object"}, {"additionalProperties", false}, {"required", required}, {"properties", properties}}
}

// members are the members of a struct.
func (g *generator) members(t reflect.Type, at place) (required []any, properties object) {
	required, properties = []any{}, object{}
	for f := range t.Fields() {
		tag := row.TagOf(f)
		switch {
		case f.Type == reflect.TypeFor[row.Kind]():
			required = append(required, "kind")
			properties = append(properties, member{"kind", object{{"description", "What the line is."}, {"const", tag.Name}}})
			continue
		case f.Anonymous && f.Type.Kind() == reflect.Pointer: // its members may be absent
			_, inner := g.members(f.Type.Elem(), declared(f.Type.Elem()))
			properties = append(properties, inner...)
			continue
		case f.Anonymous:
			names, inner := g.members(f.Type, declared(f.Type))
			required, properties = append(required, names...), append(properties, inner...)
			continue
		case !tag.Omit:
			required = append(required, tag.Name)
		}
		of := place{at.pkg, at.name + "." + f.Name}
		said := g.comment(of)
		if said == "" {
			g.t.Errorf("%v.%s has no comment", t, f.Name)
		}
		if f.Type == reflect.TypeFor[row.Time]() {
			said += " In UTC, with milliseconds; null if it is not known."
			if tag.Known {
				said, _, _ = strings.Cut(said, "; null")
				said += "."
			}
		}
		properties = append(properties, member{tag.Name, append(object{{"description", said}}, g.value(f, tag, of)...)})
	}
	return required, properties
}

// value is the schema of the value of a field.
func (g *generator) value(f reflect.StructField, tag row.Tag, at place) object {
	null := tag.Null && !tag.Known
	if words := strings.Fields(f.Tag.Get("enum")); len(words) > 0 {
		var values []any
		for _, w := range words {
			values = append(values, w)
		}
		if null {
			values = append(values, nil)
		}
		return object{{"enum", values}}
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := g.schema(t, at)
	if tag.Null && f.Type.Kind() == reflect.String && len(s) > 0 && s[0].value == "string" {
		s = append(s, member{"minLength", 1})
	}
	if null && len(s) > 0 && s[0].value != "null" {
		s[0].value = []any{s[0].value, "null"}
	}
	if least := f.Tag.Get("min"); least != "" {
		s = append(s, member{"minimum", json.RawMessage(least)})
	}
	return s
}

// schema is the schema of a type: its type first, unless it may be anything.
func (g *generator) schema(t reflect.Type, at place) object {
	switch {
	case t == reflect.TypeFor[row.Time]():
		return object{{"type", "string"}, {"format", "date-time"}, {"pattern", `^[-+]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`}}
	case t == reflect.TypeFor[row.Number]():
		return object{{"type", "number"}}
	case t == reflect.TypeFor[row.Null]():
		return object{{"type", "null"}}
	case t == reflect.TypeFor[js.Value]():
		return nil
	case t == reflect.TypeFor[[]js.Field]():
		return object{{"type", "object"}, {"additionalProperties", object{{"type", "string"}}}}
	}
	if some, ok := reflect.Zero(t).Interface().(interface{ All() reflect.Type }); ok {
		_, properties := g.members(some.All(), declared(some.All()))
		return object{{"type", "object"}, {"additionalProperties", false}, {"properties", properties}}
	}
	switch t.Kind() {
	case reflect.String:
		return object{{"type", "string"}}
	case reflect.Int, reflect.Int64:
		return object{{"type", "integer"}}
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", g.schema(t.Elem(), at)}}
	case reflect.Struct:
		if t.Name() != "" {
			at = declared(t)
		}
		return g.object(t, at)
	case reflect.Slice:
		of := t.Elem()
		if of.Kind() != reflect.Struct {
			return object{{"type", "array"}, {"items", g.schema(of, at)}}
		}
		if kind, ok := of.FieldByName("Kind"); ok && kind.Anonymous {
			return object{{"type", "array"}, {"items", object{{"$ref", g.define(of)}}}}
		}
		return object{{"type", "array"}, {"items", append(object{{"description", g.about(of)}}, g.object(of, declared(of))...)}}
	}
	g.t.Fatalf("no schema for %v", t)
	return nil
}

// comment returns what is said of a type, or of a field, where it is declared.
func (g *generator) comment(of place) string {
	dir := filepath.Join(g.root, "cmd", g.tool)
	if _, path, ok := strings.Cut(of.pkg, "sess-tools/sess/"); ok {
		dir = filepath.Join(g.root, filepath.FromSlash(path))
	}
	if g.comments[dir] == nil {
		g.comments[dir] = comments(g.t, dir)
	}
	return g.comments[dir][of.name]
}

// comments returns what the files of a directory say of types and fields.
func comments(t *testing.T, dir string) map[string]string {
	t.Helper()
	said := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	must.Do(t, err)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		must.Do(t, err)
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.GenDecl); ok && decl.Tok == token.TYPE {
				for _, spec := range decl.Specs {
					spec := spec.(*ast.TypeSpec)
					said[spec.Name.Name] = line(spec.Doc, decl.Doc)
					fields(said, spec.Name.Name, spec.Type)
				}
			}
		}
	}
	return said
}

// fields adds what is said of the fields of a type.
func fields(said map[string]string, name string, of ast.Expr) {
	if s, ok := of.(*ast.StructType); ok {
		for _, f := range s.Fields.List {
			for _, field := range f.Names {
				said[name+"."+field.Name] = line(f.Doc, f.Comment)
				fields(said, name+"."+field.Name, f.Type)
			}
		}
	}
}

// line returns the first comment that there is, as one line.
func line(groups ...*ast.CommentGroup) string {
	for _, group := range groups {
		if group != nil {
			return strings.Join(strings.Fields(group.Text()), " ")
		}
	}
	return ""
}

// An object is an object of JSON whose members keep their order.
type object []member

type member struct {
	name  string
	value any // what encoding/json takes, an object, or a list of them
}

// text returns JSON. The members of what starts a file, and those that are described, have a line each, which
// begins with start and two blanks.
func text(v any, start string) string {
	switch v := v.(type) {
	case object:
		folded := len(v) > 0 && v[0].name == "$schema"
		for _, m := range v {
			of, ok := m.value.(object)
			folded = folded || ok && len(of) > 0 && of[0].name == "description"
		}
		sep, open, end := ", ", "", ""
		if folded {
			sep, open, end = ","+start+"  ", start+"  ", start
		}
		var parts []string
		for _, m := range v {
			within := start
			if folded {
				within += "  "
			}
			parts = append(parts, strconv.Quote(m.name)+": "+text(m.value, within))
		}
		return "{" + open + strings.Join(parts, sep) + end + "}"
	case []any:
		var parts []string
		for _, of := range v {
			parts = append(parts, text(of, start))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("%v: %v", v, err))
	}
	return strings.TrimSpace(b.String())
}
