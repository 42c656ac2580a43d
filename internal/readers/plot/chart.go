// Package plot draws charts as text and as SVG.
package plot

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/guptarohit/asciigraph"

	"github.com/sess-tools/sess/internal/core/tty"
)

// A Chart has one value for each of its points.
type Chart struct {
	Title  string
	About  string // for readers who do not see it
	Unit   string // in front of an amount at an axis, such as $
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

// An axis has a number at each step from 0 to its end, which is not below the largest value.
type axis struct {
	step, end float64
	steps     int
	decimals  int
	unit      string
}

// mostSteps is how many steps an axis has at most.
const mostSteps = 5

// axis returns the axis of the values: a step is 1, 2 or 5 of a power of ten.
func (c Chart) axis() axis {
	a := axis{step: 1, steps: 1, end: 1, unit: c.Unit}
	if most := c.most(); most > 0 {
		power := math.Floor(math.Log10(most)) - 1
		for _, n := range []float64{1, 2, 5, 10, 20, 50} {
			a.step = n * math.Pow(10, power)
			if a.steps = int(math.Ceil(most/a.step - 1e-9)); a.steps <= mostSteps {
				break
			}
		}
		a.decimals = max(0, int(-math.Floor(math.Log10(a.step)+1e-9)))
		a.end = a.step * float64(a.steps)
	}
	return a
}

// label is the number at a step.
func (a axis) label(step int) string {
	return a.unit + tty.Thousands(strconv.FormatFloat(a.step*float64(step), 'f', a.decimals, 64))
}

// at is the number at a value, "" between two steps.
func (a axis) at(v float64) string {
	step := math.Round(v / a.step)
	if math.Abs(v/a.step-step) > 1e-6 {
		return ""
	}
	return a.label(int(step))
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

// Line draws the points as a line of so many columns and about so many lines, with names of the first
// and the last point below. A point that has several columns is level; where there
// are more points than columns, the largest of those that share one is drawn.
func Line(c Chart, columns, lines int, ascii bool) string {
	if len(c.Points) == 0 {
		return ""
	}
	scale, left := c.axis(), 0
	for i := range scale.steps + 1 {
		left = max(left, utf8.RuneCountInString(scale.label(i)))
	}
	left += 3 // the axis itself, and the blank in front of a number
	room := max(columns-left-1, 2)
	lines = scale.steps * max(lines/scale.steps, 1)
	values := make([]float64, room) // nothing is interpolated: there is no value between two values
	for i := range values {
		from, to := i*len(c.Points)/room, (i+1)*len(c.Points)/room
		values[i] = Chart{Points: c.Points[from:max(to, from+1)]}.most()
	}
	text := asciigraph.Plot(values, asciigraph.Height(lines), asciigraph.LowerBound(0), asciigraph.UpperBound(scale.end), asciigraph.YAxisValueFormatter(scale.at))
	first, last := c.Points[0].Label, c.Points[len(c.Points)-1].Label
	under := strings.Repeat(" ", left) + first
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

// Sizes of a picture, in the units of its view box.
const (
	width   = 800
	margin  = 20
	names   = 220 // of bars
	numbers = 110
	row     = 24
	graph   = 300 // the height of a line

	mostDates = 5 // below a line
)

// style is by classes, so that a page can change it, and follows a dark scheme.
const style = `.back{fill:#fff}.text{fill:#1f2328;font:13px system-ui,sans-serif}.title{font-weight:600;font-size:15px}.bar{fill:#2f6fde}` +
	`.line{fill:none;stroke:#2f6fde;stroke-width:2}.area{fill:#2f6fde;fill-opacity:.15}.axis{stroke:#8c959f;stroke-width:1}.end{text-anchor:end}.middle{text-anchor:middle}` +
	`@media (prefers-color-scheme:dark){.back{fill:#0d1117}.text{fill:#e6edf3}.bar{fill:#58a6ff}.line{stroke:#58a6ff}.area{fill:#58a6ff}.axis{stroke:#6e7681}}`

// BarsSVG returns a picture with a bar for each point.
func BarsSVG(c Chart) string {
	most, room := c.most(), float64(width-2*margin-names-numbers)
	var b strings.Builder
	for i, p := range c.Points {
		y := 60 + i*row
		length := 0.0
		if most > 0 {
			length = p.Value / most * room
		}
		fmt.Fprintf(&b, `<text class="text end" x="%d" y="%d">%s</text>`, margin+names-8, y+13, escape(fit(p.Label, 30, false)))
		fmt.Fprintf(&b, `<rect class="bar" x="%d" y="%d" width="%.2f" height="%d"><title>%s: %s</title></rect>`, margin+names, y, length, row-6, escape(p.Label), escape(p.Text))
		fmt.Fprintf(&b, `<text class="text end" x="%d" y="%d">%s</text>`+"\n", width-margin, y+13, escape(p.Text))
	}
	return picture(c, 60+len(c.Points)*row+margin, b.String())
}

// LineSVG returns a picture with a line through the points.
func LineSVG(c Chart) string {
	const left, top = margin + 90, 60
	scale, room := c.axis(), float64(width-margin-left)
	var line []string
	for i, p := range c.Points {
		x, y := float64(left), float64(top+graph)
		if len(c.Points) > 1 {
			x += room * float64(i) / float64(len(c.Points)-1)
		}
		y -= p.Value / scale.end * graph
		line = append(line, fmt.Sprintf("%.2f,%.2f", x, y))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<path class="axis" fill="none" d="M%d %dV%dH%d"/>`+"\n", left, top, top+graph, width-margin)
	if n := len(c.Points); n > 0 {
		fmt.Fprintf(&b, `<polygon class="area" points="%d,%d %s %.2f,%d"/>`+"\n", left, top+graph, strings.Join(line, " "), left+room*float64(min(n-1, 1)), top+graph)
		fmt.Fprintf(&b, `<polyline class="line" points="%s"/>`+"\n", strings.Join(line, " "))
		for i := range scale.steps + 1 {
			y := top + graph - graph*i/scale.steps
			fmt.Fprintf(&b, `<path class="axis" d="M%d %dh-5"/><text class="text end" x="%d" y="%d">%s</text>`, left, y, left-8, y+5, escape(scale.label(i)))
		}
		b.WriteString("\n")
		dates := min(mostDates, n)
		for i := range dates {
			at, class := i*(n-1)/max(dates-1, 1), "text middle"
			switch {
			case i == 0:
				class = "text"
			case i == dates-1:
				class = "text end"
			}
			fmt.Fprintf(&b, `<text class="%s" x="%.0f" y="%d">%s</text>`, class, left+room*float64(at)/float64(max(n-1, 1)), top+graph+20, escape(c.Points[at].Label))
		}
		b.WriteString("\n")
	}
	return picture(c, top+graph+20+2*margin, b.String())
}

// picture puts the parts of a picture into their frame.
func picture(c Chart, height int, body string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title about">
<title id="title">%s</title>
<desc id="about">%s</desc>
<style>%s</style>
<rect class="back" width="%d" height="%d"/>
<text class="text title" x="%d" y="34">%s</text>
%s</svg>
`, width, height, escape(c.Title), escape(c.About), style, width, height, margin, escape(c.Title), body)
}

// escape returns a text for XML, which has no control characters.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError))))
}
