package plot_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/readers/plot"
)

func chart(values ...float64) plot.Chart {
	c := plot.Chart{Title: "cost in USD by day", About: "all of it"}
	for i, v := range values {
		c.Points = append(c.Points, plot.Point{Label: fmt.Sprintf("2026-11-%02d", i+1), Value: v, Text: text(v)})
	}
	return c
}

func text(v float64) string { return fmt.Sprintf("$%.2f", v) }

func TestBars(t *testing.T) {
	t.Parallel()
	want := "2026-11-01 ██████████████████▉   $9.45\n" +
		"2026-11-02 ████████████████████ $10.00\n" +
		"2026-11-03 ▏                     $0.01\n" +
		"2026-11-04                       $0.00\n"
	if got := plot.Bars(chart(9.45, 10, 0.01, 0), 39, false); got != want {
		t.Errorf("\n%s", got)
	}
	want = "2026-11-01 ###################   $9.45\n" +
		"2026-11-02 #################### $10.00\n" +
		"2026-11-03 #                     $0.01\n"
	if got := plot.Bars(chart(9.45, 10, 0.01), 39, true); got != want {
		t.Errorf("\n%s", got)
	}
	long := plot.Chart{Points: []plot.Point{{Label: strings.Repeat("/deep", 30) + "/end", Value: 1, Text: "1"}}}
	if got := plot.Bars(long, 40, false); !strings.HasPrefix(got, "…eep/deep/end ") {
		t.Errorf("%q", got)
	}
}

// No line is wider than the terminal, whatever the numbers, unless labels and numbers
// alone are; the numbers of bars are all there.
func TestWidths(t *testing.T) {
	t.Parallel()
	many := make([]float64, 500)
	for i := range many {
		many[i] = math.Abs(math.Sin(float64(i)/9)) * 1e5
	}
	for _, values := range [][]float64{{}, {0}, {7}, {0, 0}, {1, 2, 3}, {1e-9, 2e-9}, {9e15, 1}, many, many[:79], many[:80], many[:81]} {
		for _, columns := range []int{40, 80, 200} {
			for _, ascii := range []bool{false, true} {
				c := chart(values...)
				bars, line := plot.Bars(c, columns, ascii), plot.Line(c, columns, 12, ascii)
				for _, drawn := range []string{bars, line} {
					for l := range strings.Lines(drawn) {
						if n := utf8.RuneCountInString(strings.TrimRight(l, "\n")); n > columns {
							t.Errorf("%d values, %d columns: a line of %d: %s", len(values), columns, n, l)
						}
						if strings.Contains(l, "NaN") || strings.Contains(l, "Inf") || ascii && len(l) != utf8.RuneCountInString(l) {
							t.Errorf("%d values, %d columns: %s", len(values), columns, l)
						}
					}
				}
				if strings.Count(bars, "\n") != len(values) {
					t.Errorf("%d values: %d bars", len(values), strings.Count(bars, "\n"))
				}
				for i, p := range c.Points {
					if !strings.HasSuffix(strings.Split(bars, "\n")[i], " "+p.Text) {
						t.Errorf("bar %d does not say %s", i, p.Text)
					}
				}
				if len(values) > 0 && slices.Max(values) > 0 && strings.Count(line, "\n") < 11 {
					t.Errorf("%d values, %d columns: %d lines", len(values), columns, strings.Count(line, "\n"))
				}
			}
		}
	}
}

// The numbers at an axis are whole steps of 1, 2 or 5 of a power of ten, from 0 to one that is not below the largest value.
func TestAxis(t *testing.T) {
	t.Parallel()
	for value, want := range map[float64]string{
		32.6444: "$0 $10 $20 $30 $40", 0.33: "$0.0 $0.1 $0.2 $0.3 $0.4", 1: "$0.0 $0.2 $0.4 $0.6 $0.8 $1.0", 5: "$0 $1 $2 $3 $4 $5", 12000: "$0 $5,000 $10,000 $15,000", 0: "$0 $1", 0.002: "$0.0000 $0.0005 $0.0010 $0.0015 $0.0020",
	} {
		c := chart(value, value/2)
		c.Unit = "$"
		var numbers []string
		for _, m := range regexp.MustCompile(`y="\d+">(\$[^<]*)<`).FindAllStringSubmatch(plot.LineSVG(c), -1) {
			numbers = append(numbers, m[1])
		}
		if got := strings.Join(numbers, " "); got != want {
			t.Errorf("%v: %s, want %s", value, got, want)
		}
		line := plot.Line(c, 60, 12, false)
		for _, number := range strings.Fields(want) {
			if !regexp.MustCompile(regexp.QuoteMeta(number) + " ?[┤┼]").MatchString(line) {
				t.Errorf("%v: no %s in\n%s", value, number, line)
			}
		}
	}
}

// The largest of many values is on the line, however few columns there are.
func TestPeak(t *testing.T) {
	t.Parallel()
	values := make([]float64, 1000)
	values[777] = 5
	if got := plot.Line(chart(values...), 40, 5, false); !strings.Contains(got, "5┤") || !strings.Contains(got, "╭╮") {
		t.Errorf("\n%s", got)
	}
	for n := 1; n < 40; n++ {
		if got := plot.Line(chart(make([]float64, n)...), 60, 5, false); strings.Contains(got, "╭") {
			t.Errorf("\n%s", got)
		}
		values := make([]float64, n)
		values[n/2] = 5
		if got := plot.Line(chart(values...), 60, 5, false); !strings.Contains(got, "5┤") && !strings.Contains(got, "5┼") {
			t.Errorf("%d points\n%s", n, got)
		}
	}
}

func TestSVG(t *testing.T) {
	t.Parallel()
	hostile := chart(1, 2)
	hostile.Title = "<script>alert(1)</script>\x00\x1b[31m\xff"
	hostile.Points[0].Label = `"]]><x onload='y'>&amp;` + "\ufffe\u2028"
	for name, c := range map[string]plot.Chart{"plain": chart(1, 2, 3), "none": chart(), "one": chart(1), "nothing": chart(0, 0), "hostile": hostile} {
		for kind, svg := range map[string]string{"bars": plot.BarsSVG(c), "line": plot.LineSVG(c)} {
			if !strings.HasPrefix(svg, "<svg ") || !utf8.ValidString(svg) || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("%s of %s: %s", kind, name, svg)
			}
			d := xml.NewDecoder(strings.NewReader(svg))
			elements := map[string]int{}
			for {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s of %s: %v\n%s", kind, name, err, svg)
				}
				if e, ok := token.(xml.StartElement); ok {
					elements[e.Name.Local]++
					for _, a := range e.Attr {
						if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
							t.Errorf("attribute %s", a.Name.Local)
						}
					}
				}
			}
			if elements["script"] > 0 || elements["x"] > 0 || elements["desc"] != 1 || elements["title"] < 1 || kind == "bars" && elements["rect"] != 1+len(c.Points) {
				t.Errorf("%s of %s: %v", kind, name, elements)
			}
		}
	}
}
