package codex

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// Sources returns the rollouts of a session, those that they go on from, and the file with the names.
func (a *archive) Sources(ctx context.Context, info formats.Info) []string {
	if a.src.Path == "" || a.home == "" {
		return nil
	}
	r := &reader{archive: a, nodes: map[string]*node{}}
	var paths []string
	for _, src := range a.sources(info) {
		n, err := r.node(ctx, src, true)
		if err != nil || r.bases(ctx, n) != nil {
			return nil
		}
		paths = append(paths, src.Path)
	}
	for _, path := range slices.Sorted(maps.Keys(r.nodes)) {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return append(paths, filepath.Join(a.home, indexFile))
}

// MayHave reports whether a text of a session may have one of the words: if a line of its rollouts has it, or of one that they go on
// from, if parts of an output are one text where both may have a part of it, or if its name does. A session without an item of the conversation has to be read.
func (a *archive) MayHave(ctx context.Context, info formats.Info, words *formats.Words) bool {
	r := &reader{archive: a, nodes: map[string]*node{}}
	for _, src := range a.sources(info) {
		n, err := r.node(ctx, src, true)
		if err != nil || r.bases(ctx, n) != nil {
			return true
		}
		if name, ok := a.nameOf(n.head.id); ok && words.In([]byte(js.Quote(name.name))) {
			return true
		}
	}
	some := false
	for _, n := range r.nodes {
		if n.mayHave(ctx, words, &some) {
			return true
		}
	}
	return !some
}

// mayHave reports whether a line of a rollout may have one of the words, and sets some if one is an item of the conversation.
func (n *node) mayHave(ctx context.Context, words *formats.Words, some *bool) bool {
	f, err := open(ctx, n.src)
	if err != nil {
		return true
	}
	defer f.done()
	for b, err := range jsonl.Blocks(f.r) {
		if err != nil || words.In(b.Data) {
			return true
		}
		for line := range bytes.Lines(b.Data) {
			split := bytes.Count(line, []byte(`"text"`)) > 1 && bytes.Contains(line, []byte(`"assistant"`))
			if *some && !split || !js.Valid(line) {
				continue
			}
			l := parseLine(string(line))
			said := l.typ == typeItem && l.kind == kindMessage && itemOf(l.payload).role == "assistant"
			*some = *some || said || l.typ == typeItem && l.kind == kindCall
			if seams := (formats.Seams{}); split && said {
				for _, part := range parts(itemOf(l.payload).content) {
					if seams.Text("", part.text.Str()) {
						return true
					}
				}
			}
		}
		b.Free()
	}
	return false
}
