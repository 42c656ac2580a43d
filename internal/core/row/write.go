package row

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// JSON returns a row as JSON.
func JSON(row any) string {
	var b strings.Builder
	_ = Write(&b, row) // a Builder takes everything
	return b.String()
}

// Write writes a row as JSON, without a line feed. The error is that of w.
func Write(w io.Writer, row any) error {
	e := writers.Get().(*writer)
	e.w, e.err = w, nil
	v := reflect.ValueOf(row)
	formOf(v.Type())(e, v)
	e.flush()
	err := e.err
	if e.w, e.err = nil, nil; cap(e.buf) <= 16*large {
		writers.Put(e)
	}
	return err
}

// large is the size in bytes from which on a text is written in pieces.
const large = 64 << 10

// A writer writes until something fails.
type writer struct {
	w   io.Writer
	buf []byte // not written yet
	err error
}

// writers are the writers that wait for a row.
var writers = sync.Pool{New: func() any { return &writer{buf: make([]byte, 0, 2<<10)} }}

func (e *writer) raw(s string) { e.buf = append(e.buf, s...) }

func (e *writer) flush() {
	if e.err == nil {
		_, e.err = e.w.Write(e.buf)
	}
	e.buf = e.buf[:0]
}

// end ends an object or a list, whose members each have a comma behind them.
func (e *writer) end(with byte) {
	if last := len(e.buf) - 1; e.buf[last] == ',' {
		e.buf = e.buf[:last]
	}
	e.buf = append(e.buf, with)
}

// text writes a text as a literal. Bytes that are not UTF-8 become U+FFFD.
func (e *writer) text(s string) {
	s = js.ValidText(s)
	e.raw(`"`)
	if b, ok := e.w.(*strings.Builder); ok && len(s) > large {
		b.Grow(len(s))
	}
	for len(s) > large && e.err == nil {
		n := large
		for !utf8.RuneStart(s[n]) {
			n--
		}
		e.buf = js.AppendBody(e.buf, s[:n])
		e.flush()
		s = s[n:]
	}
	e.buf = append(js.AppendBody(e.buf, s), '"')
}

// A form writes values of one type.
type form func(*writer, reflect.Value)

// forms are the forms that are known, by type.
var forms sync.Map

// formOf returns the form of a type. It panics if rows cannot have values of that type.
func formOf(t reflect.Type) form {
	if f, ok := forms.Load(t); ok {
		return f.(form)
	}
	f := newForm(t)
	forms.Store(t, f)
	return f
}

func newForm(t reflect.Type) form {
	switch {
	case t == reflect.TypeFor[Time]():
		return func(e *writer, v reflect.Value) { e.raw(`"` + js.FormatTime(v.Field(0).Int()) + `"`) }
	case t == reflect.TypeFor[Number](), t == reflect.TypeFor[js.Value]():
		return func(e *writer, v reflect.Value) { e.raw(v.String()) }
	case t.Kind() == reflect.Slice && t.Elem() == reflect.TypeFor[js.Field]():
		return func(e *writer, v reflect.Value) {
			e.raw("{")
			for i := range v.Len() {
				e.text(v.Index(i).Field(0).String())
				e.raw(":" + v.Index(i).Field(1).String() + ",")
			}
			e.end('}')
		}
	}
	switch t.Kind() {
	case reflect.String:
		return func(e *writer, v reflect.Value) { e.text(v.String()) }
	case reflect.Int, reflect.Int64:
		return func(e *writer, v reflect.Value) { e.buf = strconv.AppendInt(e.buf, v.Int(), 10) }
	case reflect.Bool:
		return func(e *writer, v reflect.Value) { e.buf = strconv.AppendBool(e.buf, v.Bool()) }
	case reflect.Pointer:
		of := formOf(t.Elem())
		return func(e *writer, v reflect.Value) { of(e, v.Elem()) }
	case reflect.Slice:
		of := formOf(t.Elem())
		return func(e *writer, v reflect.Value) {
			e.raw("[")
			for i := range v.Len() {
				of(e, v.Index(i))
				e.raw(",")
			}
			e.end(']')
		}
	case reflect.Map:
		of := formOf(t.Elem())
		return func(e *writer, v reflect.Value) {
			e.raw("{")
			var names []string
			for it := v.MapRange(); it.Next(); {
				names = append(names, it.Key().String())
			}
			slices.Sort(names)
			for _, name := range names {
				e.text(name)
				e.raw(":")
				of(e, v.MapIndex(reflect.ValueOf(name)))
				e.raw(",")
			}
			e.end('}')
		}
	case reflect.Struct:
		members := membersOf(t)
		return func(e *writer, v reflect.Value) {
			e.raw("{")
			members(e, v)
			e.end('}')
		}
	}
	panic(fmt.Sprintf("row: no form for %v", t))
}

// membersOf returns the form of the members of a struct, with a comma behind each.
func membersOf(t reflect.Type) form {
	type member struct {
		head string // its name and what follows it
		form form   // nil if head is all of it
		tag  Tag
	}
	members := make([]member, t.NumField())
	for i := range members {
		f := t.Field(i)
		m := &members[i]
		switch m.tag = TagOf(f); {
		case f.Type == reflect.TypeFor[Kind]():
			m.head = `"kind":` + js.Quote(m.tag.Name) + ","
		case f.Anonymous && f.Type.Kind() == reflect.Pointer: // of members that a row may lack
			of := membersOf(f.Type.Elem())
			m.form, m.tag.Omit = func(e *writer, v reflect.Value) { of(e, v.Elem()) }, true
		case f.Anonymous:
			m.form = membersOf(f.Type)
		default:
			m.head, m.form = js.Quote(m.tag.Name)+":", formOf(f.Type)
		}
	}
	return func(e *writer, v reflect.Value) {
		for i := range members {
			m := &members[i]
			if m.form == nil {
				e.raw(m.head)
				continue
			}
			value := v.Field(i)
			switch none := (m.tag.Null || m.tag.Omit) && value.IsZero(); {
			case none && m.tag.Omit:
			case none:
				e.raw(m.head)
				e.raw("null,")
			case m.head == "":
				m.form(e, value)
			default:
				e.raw(m.head)
				m.form(e, value)
				e.raw(",")
			}
		}
	}
}
