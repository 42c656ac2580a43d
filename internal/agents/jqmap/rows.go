package jqmap

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/js"
)

// A tables member of a header says how sessions lie in a database.
type tables struct {
	sessions, values string // queries for a row for each session, and for one for each value of the session ?1

	columns map[string][]string // of each table those that the queries may name
	need    sqldb.Schema        // those that have to be there
}

// sqlite returns the member of that name, nil for a map of files.
func (m *members) sqlite() *tables {
	v := m.take("sqlite")
	if v == nil {
		return nil
	}
	of, _ := v.(map[string]any)
	t := &tables{columns: map[string][]string{}, need: sqldb.Schema{}}
	t.sessions, _ = of["sessions"].(string)
	t.values, _ = of["values"].(string)
	names, _ := of["tables"].(map[string]any)
	for name, list := range names {
		table, may := strings.CutPrefix(name, "?")
		for _, c := range m.strings("sqlite", list) {
			column, mayLack := strings.CutPrefix(c, "?")
			t.columns[table] = append(t.columns[table], column)
			if !may && !mayLack && column != rowid {
				t.need[strings.ToLower(table)] = append(t.need[strings.ToLower(table)], strings.ToLower(column))
			}
		}
	}
	if t.sessions == "" || t.values == "" || len(t.columns) == 0 || len(of) != 3 {
		m.wrong("the member sqlite of the header is not an object of tables, and of the queries sessions and values")
	}
	return t
}

// rowid is the column that each table has.
const rowid = "rowid"

// A layout is what a database has of what a map names.
type layout struct {
	with string // the views that a query is put behind
	most int64  // rows that a query may find: each takes a byte of the database and more
}

// layout looks at a database of a size in bytes, which has to have what the map needs. Queries see views of the tables, with the columns that the map names and no
// other ones: one that may be missing and is, is NULL, and a table that is has no rows. A column that the driver would make a time of is an expression.
func (t *tables) layout(ctx context.Context, db *sqldb.DB, size int64) (l layout, err error) {
	if err := db.Require(ctx, t.need); err != nil {
		return l, err
	}
	have, err := db.Schema(ctx)
	if err != nil {
		return l, err
	}
	timed := map[string]bool{}
	var table, column string
	for err := range db.Rows(ctx, []any{&table, &column}, `SELECT lower(l.name), lower(x.name) FROM pragma_table_list AS l, pragma_table_xinfo(l.name) AS x
		WHERE l.schema = 'main' AND l.type = 'table' AND (x.type LIKE '%date%' OR x.type LIKE '%time%' OR x.type LIKE '%bool%')`) {
		if err != nil {
			return l, err
		}
		timed[table+"."+column] = true
	}
	var views []string
	for _, name := range slices.Sorted(maps.Keys(t.columns)) {
		var columns []string
		for _, c := range t.columns[name] {
			value := sqldb.Quote(c)
			switch table, column := strings.ToLower(name), strings.ToLower(c); {
			case !have.Has(table), column != rowid && !have.Has(table, column):
				value = "NULL"
			case timed[table+"."+column]:
				value = "+" + value
			}
			columns = append(columns, value+" AS "+sqldb.Quote(c))
		}
		from := "FROM main." + sqldb.Quote(name)
		if !have.Has(strings.ToLower(name)) {
			from = "LIMIT 0"
		}
		views = append(views, fmt.Sprintf("%s AS NOT MATERIALIZED (SELECT %s %s)", sqldb.Quote(name), strings.Join(columns, ", "), from))
	}
	l.with = "WITH " + strings.Join(views, ", ") + " "
	l.most = size
	if fi, err := os.Stat(db.Path() + "-wal"); err == nil {
		l.most += fi.Size()
	}
	return l, nil
}

// patience is how long a query may take without a row. A damaged database can have any number of rows that are not wanted.
var patience = time.Minute

var errPatience = errors.New("no row was found in time: the database is damaged, or too large for the query of the map")

// rows yields the rows that a query of the map finds, as JSON objects.
func (d *database) rows(ctx context.Context, query string, args ...any) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		timer := time.AfterFunc(patience, func() { cancel(errPatience) })
		defer timer.Stop()
		n := int64(0)
		for r, err := range d.db.Records(ctx, d.layout.with+query, args...) {
			timer.Stop()
			if n++; err == nil && n > d.layout.most {
				err = d.db.Err(errors.New("the database is damaged: it has more rows than bytes"))
			}
			if err != nil {
				if errors.Is(context.Cause(ctx), errPatience) {
					err = d.db.Err(errPatience)
				}
				yield("", err)
				return
			}
			fields := make([]js.Field, 0, len(r.Values))
			for i, v := range r.Values {
				name, forms, _ := strings.Cut(r.Columns[i], ":")
				if text := columnText(v, forms); text != "" {
					fields = append(fields, js.RawField(name, text))
				}
			}
			if !yield(js.Object(fields...), nil) {
				return
			}
			timer.Reset(patience)
		}
	}
}

// columnText returns the JSON text of a value in some forms, with colons between, "" for NULL. Bytes that are not of a form stay as they are.
func columnText(v any, forms string) string {
	var data []byte
	isText := false
	switch v := v.(type) {
	case int64:
		return api.Int(v)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		data, isText = []byte(v), true
	case []byte:
		data = v
	default: // NULL
		return ""
	}
	for form := range strings.SplitSeq(forms, ":") {
		if form == "json" {
			if text := trimmed(string(data)); js.Valid([]byte(text)) {
				return formats.OneLine(text)
			}
			continue
		}
		if out, ok := inForm(form, data); ok {
			data, isText = out, false
		}
	}
	if isText || utf8.Valid(data) {
		return js.Quote(js.ValidText(string(data)))
	}
	return js.Quote(base64.StdEncoding.EncodeToString(data))
}

// inForm returns what bytes are in a form.
func inForm(form string, data []byte) (out []byte, ok bool) {
	var err error
	switch form {
	case "zstd":
		if !bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
			return nil, false
		}
		out, err = expander().DecodeAll(data, nil)
	case "hex":
		out, err = hex.DecodeString(string(data))
	case "base64":
		out, err = base64.StdEncoding.DecodeString(string(data))
	default:
		return nil, false
	}
	return out, err == nil
}

// expander expands values, each to what a value of a database may have at most.
var expander = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(sqldb.MaxValue))
	if err != nil {
		panic(err) // of options that are right
	}
	return d
})
