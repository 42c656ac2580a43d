package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/plot"
	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/internal/readers/usage"
)

// A chart has the values to plot, and how they are written.
type chart struct {
	plot.Chart
	line  bool // over time
	value func(float64) string
}

// chart returns the chart of the sums: of their costs, if there are any.
func (u *usageTable) chart(r *report) (chart, error) {
	c := chart{value: rounded, line: r.plot == plotLine || len(u.keys) == 1 && slices.Contains(usage.TimeKeys(), u.keys[0]) && r.svg != "" && r.plot == ""}
	unit, of := "tokens", func(s *usage.Sum) float64 { return float64(s.Tokens.Total()) }
	if u.Total.Cost > 0 {
		c.value, c.Unit, unit = amount, "$", "cost in USD"
		of = func(s *usage.Sum) float64 { return float64(s.Cost) / float64(prices.USD) }
	}
	c.Title = unit + " by " + strings.Join(u.keys, ", ")
	c.About = fmt.Sprintf("%s, %s in all", tty.Count(u.Total.Calls, "call", "calls"), c.value(of(&u.Total)))
	point := func(label string, s *usage.Sum) {
		v := of(s)
		c.Points = append(c.Points, plot.Point{Label: label, Value: v, Text: c.value(v)})
	}
	if !c.line {
		for i := range u.Rows {
			var names []string
			for _, v := range u.Rows[i].Key {
				names = append(names, orNone(v))
			}
			point(tty.Clean(strings.Join(names, " ")), &u.Rows[i].Sum)
		}
		return c, nil
	}
	rows := map[string]*usage.Sum{}
	var present []string
	for i := range u.Rows {
		if key := u.Rows[i].Key[0]; key != "" {
			rows[key] = &u.Rows[i].Sum
			present = append(present, key)
		}
	}
	steps, err := usage.Steps(u.keys[0], present, r.zone)
	for _, key := range steps {
		s := rows[key]
		if s == nil {
			s = &usage.Sum{}
		}
		point(key, s)
	}
	return c, err
}

// contextChart returns the chart of the parts of a context.
func (r *report) contextChart(rows []weight, c usage.Context) chart {
	out := chart{value: rounded}
	out.Title = "context by " + strings.Join(r.keys, ", ")
	out.About = tty.Count(c.Tokens, "token", "tokens") + " in all"
	for _, w := range rows {
		var names []string
		for _, v := range w.key {
			if v != "" {
				names = append(names, v)
			}
		}
		text := rounded(float64(w.tokens)) + " " + share(w.tokens, c.Tokens) + "%"
		out.Points = append(out.Points, plot.Point{Label: tty.Clean(orNone(strings.Join(names, " "))), Value: float64(w.tokens), Text: text})
	}
	return out
}

// rounded and amount write values for people.
func rounded(v float64) string { return tty.Thousands(strconv.FormatFloat(v, 'f', 0, 64)) }

func amount(v float64) string {
	decimals := 2
	if v < 0.1 {
		decimals = 4
	}
	return "$" + tty.Thousands(strconv.FormatFloat(v, 'f', decimals, 64))
}

// draw prints a chart as text.
func (r *report) draw(c chart) error {
	columns := tty.Width(r.streams.OutFile(), os.LookupEnv)
	ascii := !tty.UTF8(os.LookupEnv)
	if c.line {
		const lines = 12
		return r.write(plot.Line(c.Chart, columns, lines, ascii))
	}
	return r.write(plot.Bars(c.Chart, columns, ascii))
}

// picture writes a chart as SVG to a file that appears whole.
func (r *report) picture(c chart) error {
	text := plot.BarsSVG(c.Chart)
	if c.line {
		text = plot.LineSVG(c.Chart)
	}
	if r.svg == "-" {
		return r.write(text)
	}
	if err := isPicture(r.svg); err != nil {
		return fmt.Errorf("writing %s: %w", r.svg, err)
	}
	if err := disk.Replace(disk.OS{}, r.svg+"-"+rand.Text(), r.svg, []byte(text), false); err != nil {
		return fmt.Errorf("writing %s: %w", r.svg, disk.Cause(err))
	}
	return nil
}

// pictureAlone reports whether a picture is all that is wanted, and no rows beside it.
func (c *config) pictureAlone() bool {
	return c.svg != "" && !c.json && !c.csv && !c.github && c.plot == ""
}

// drawn prints the name of the file with the picture.
func (r *report) drawn() error {
	if r.svg == "-" {
		return nil
	}
	return r.write(r.svg + "\n")
}

// errNotPicture keeps a slip of the hand from replacing a session.
var errNotPicture = errors.New("it exists, and is no SVG: remove it first")

// isPicture reports why a file must not be replaced.
func isPicture(name string) error {
	f, err := disk.OpenRegular(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return disk.Cause(err)
	}
	defer f.Close()
	head := make([]byte, len("<svg"))
	if n, _ := io.ReadFull(f, head); n > 0 && string(head) != "<svg" {
		return errNotPicture
	}
	return nil
}
