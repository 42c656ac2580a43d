package view

import (
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
)

// name gives a call the id and the name it has in the request.
func (r *request) name(number int, c *call) {
	c.apiID, c.apiName = r.ids.name(c.ID), c.Name
	if !valid(c.Name, r.api.maxName, isNameByte) {
		c.apiName = fit(c.Name, r.api.maxName)
		r.report(number, "tool name %q replaced by %q", js.ValidText(c.Name), c.apiName)
	}
}

// resultParts returns the texts and the images of a result.
func (r *request) resultParts(res result) (texts []string, images []part) {
	if res.number == 0 {
		return []string{convo.NoResult}, nil
	}
	for _, p := range r.parts(res.number, res.message) {
		if p.image() {
			images = append(images, p)
		} else {
			texts = append(texts, p.text)
		}
	}
	return texts, images
}
