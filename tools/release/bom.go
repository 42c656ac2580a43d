package main

import (
	"bytes"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A component is one of a software bill of materials in the form of CycloneDX 1.6.
type component struct {
	Type       string     `json:"type"`
	BOMRef     string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl,omitempty"`
	Licenses   []licensed `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type licensed struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

// A bill has no serial number, which would be another one at each run.
type bill struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

func under(license string) []licensed {
	var l licensed
	l.License.ID = license
	return []licensed{l}
}

func purl(path, version string) string { return "pkg:golang/" + path + "@" + version }

// bom returns the bill of materials: each tool, and which modules the programs themselves say they
// are made of.
func (b *build) bom(modules []module) ([]byte, error) {
	version := "v" + b.version
	std := component{Type: "library", Name: "std", Version: runtime.Version(), PURL: purl("std", strings.TrimPrefix(runtime.Version(), "go")), Licenses: under("BSD-3-Clause")}
	std.BOMRef = std.PURL
	root := component{
		Type: "application", BOMRef: purl(ours, version), Name: "sess", Version: version, PURL: purl(ours, version), Licenses: under("MIT"),
		Properties: []property{{"vcs:revision", b.commit}},
	}
	out := bill{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: metadata{Timestamp: b.time.Format(time.RFC3339), Component: root},
	}
	all := dependency{Ref: root.BOMRef}
	for _, tool := range b.tools {
		c := component{Type: "application", BOMRef: "tool:" + tool, Name: tool, Version: version, Licenses: under("MIT")}
		out.Components = append(out.Components, c)
		all.DependsOn = append(all.DependsOn, c.BOMRef)
		needs := dependency{Ref: c.BOMRef, DependsOn: []string{std.BOMRef}}
		for _, m := range modules {
			if slices.Contains(m.tools, tool) {
				needs.DependsOn = append(needs.DependsOn, purl(m.path, m.version))
			}
		}
		out.Dependencies = append(out.Dependencies, needs)
	}
	out.Components = append(out.Components, std)
	for _, m := range modules {
		out.Components = append(out.Components, component{
			Type: "library", BOMRef: purl(m.path, m.version), Name: m.path, Version: m.version,
			PURL: purl(m.path, m.version), Licenses: under(m.license), Properties: []property{{"go:sum", m.sum}},
		})
	}
	out.Dependencies = append([]dependency{all}, out.Dependencies...)
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(out)
	return text.Bytes(), err
}
