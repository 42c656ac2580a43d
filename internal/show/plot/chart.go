// Package plot draws charts as text and as SVG.
package plot

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/guptarohit/asciigraph"
)

// A Chart has one value for each of its points.
type Chart struct {
	Title  string
	About  string // for readers who do not see it
	Points []Point
}

// A Point is a bar or a place on a line.
type Point struct {
	Label string
	Value float64 // 0 or more
	Text  string  // the value for people
}

// most is the largest value, 0 for no points.
func (c Chart) most() (most float64) {
	for _, p := range c.Points {
		most = max(most, p.Value)
	}
	return most
}

// eighths are bars of one to seven eighths of a column.
var eighths = []rune(" ▏▎▍▌▋▊▉")

// Bars draws a bar for each point, in lines of so many columns, with the value at its
// right. It has whole columns of # if only ASCII can be shown.
func Bars(c Chart, columns int, ascii bool) string {
	label, text := 0, 0
	for _, p := range c.Points {
		label, text = max(label, utf8.RuneCountInString(p.Label)), max(text, utf8.RuneCountInString(p.Text))
	}
	label = min(label, max(columns/3, 4))
	room := max(columns-label-text-3, 1)
	most := c.most()
	var b strings.Builder
	for _, p := range c.Points {
		bar := ""
		if most > 0 {
			bar = bars(p.Value/most*float64(room), ascii)
		}
		name := fit(p.Label, label, ascii)
		line := name + pad(label, name) + " " + bar + pad(room, bar) + pad(text, p.Text) + " " + p.Text
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// bars is a bar of a length in columns. A value above 0 is seen.
func bars(length float64, ascii bool) string {
	if ascii {
		n := int(math.Round(length))
		if n == 0 && length > 0 {
			n = 1
		}
		return strings.Repeat("#", n)
	}
	n := int(math.Round(length * 8))
	if n == 0 && length > 0 {
		n = 1
	}
	bar := strings.Repeat("█", n/8)
	if n%8 > 0 {
		bar += string(eighths[n%8])
	}
	return bar
}

func pad(width int, text string) string {
	return strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
}

// fit cuts a label at its front, where labels differ least.
func fit(label string, width int, ascii bool) string {
	runes := []rune(label)
	if len(runes) <= width {
		return label
	}
	mark := '…'
	if ascii {
		mark = '~'
	}
	return string(mark) + string(runes[len(runes)-width+1:])
}

// Line draws the points as a line of so many columns and lines, with names of the first
// and the last point below. A point that has several columns is level; where there
// are more points than columns, the largest of those that share one is drawn.
func Line(c Chart, columns, lines int, ascii bool, value func(float64) string) string {
	if len(c.Points) == 0 {
		return ""
	}
	axis := 0
	for i := range lines + 1 {
		axis = max(axis, utf8.RuneCountInString(value(c.most()*float64(i)/float64(lines))))
	}
	axis += 3 // the axis itself, and what stands in front of a number
	room := max(columns-axis-1, 2)
	values := make([]float64, room) // nothing is interpolated: what is between two values is none
	for i := range values {
		from, to := i*len(c.Points)/room, (i+1)*len(c.Points)/room
		values[i] = Chart{Points: c.Points[from:max(to, from+1)]}.most()
	}
	text := asciigraph.Plot(values, asciigraph.Height(lines), asciigraph.LowerBound(0), asciigraph.YAxisValueFormatter(value))
	first, last := c.Points[0].Label, c.Points[len(c.Points)-1].Label
	under := strings.Repeat(" ", axis) + first
	if width := utf8.RuneCountInString(under); last != first && width+2+utf8.RuneCountInString(last) <= columns {
		under += pad(columns-width, last) + last
	}
	text = c.Title + "\n" + text + "\n" + under + "\n"
	if ascii {
		text = lineASCII.Replace(text)
	}
	return text
}

// lineASCII draws lines with ASCII alone.
var lineASCII = strings.NewReplacer("┤", "|", "┼", "+", "│", "|", "─", "-", "╭", ".", "╮", ".", "╰", "'", "╯", "'", "╶", "-", "╴", "-")
