package remote

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/parallel"
)

// A Head is the answer of one listing of all sessions about one of them. It saves requests: everything else is asked for, and
// no error is told on its word alone.
type Head struct {
	Key   string
	N     uint64 // parts; in a stream, messages
	Tag   string // of the last part: as long as it is the same there is nothing new. "" tells nothing
	Whole bool   // parts 1 to N are listed, and can be read without another list
	log   *log   // nil for a stream, which lists no parts
	parts []listed
}

// mostETag is the length in bytes of the longest ETag that is kept; servers make some 40.
const mostETag = 256

// tag tells a part from another one that has its number: by number, size and ETag. It is "" without an ETag.
func (p listed) tag() string {
	if p.etag == "" || len(p.etag) > mostETag {
		return ""
	}
	return fmt.Sprintf("%d-%d-%s", p.n, p.size, p.etag)
}

// TagOf returns the tag of part n, "" if it is not known.
func (h Head) TagOf(n uint64) string {
	switch {
	case h.log == nil || n == h.N:
		return h.Tag
	case h.Whole && n > 0 && n < h.N:
		return h.parts[n-1].tag()
	}
	return ""
}

// Has reports whether part n has a tag, and all parts behind it are listed.
func (h Head) Has(n uint64, tag string) bool {
	return h.Whole && h.log != nil && tag != "" && h.TagOf(n) == tag
}

// Read yields the parts behind part n, which has to be there, as [Log.Read] does. Those that are listed are read without
// another list. If that fails Log.Read goes on, and returns the error.
func (h Head) Read(ctx context.Context, l Log, after Pos) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		if h.Whole && uint64(after) < h.N {
			for part, err := range h.log.fetch(ctx, h.Key, h.parts[after:]) {
				if err != nil {
					break
				}
				if after = part.Pos; !yield(part, nil) {
					return
				}
			}
		}
		if !h.Whole || uint64(after) != h.N {
			l.Read(ctx, h.Key, after)(yield)
		}
	}
}

const (
	page         = 1000    // objects of one answer to a list
	pageOfStream = 100_000 // subjects of one answer of a stream
	// Of more than so many parts in one list those that are left are listed by shard, some at once.
	manyParts = 20 * page
	shards    = 256
	// heldParts is how many parts are kept of a listing, in some 100 bytes each; of further sessions the tags
	// alone.
	heldParts = 1_000_000
)

// Heads yields the head of each session, by the names of its parts. Parts are listed in the order of their names, so that those
// of one session follow each other. If one list has more than manyParts, the shards behind it are listed side by side.
func (l *log) Heads(ctx context.Context) iter.Seq2[Head, error] {
	return func(yield func(Head, error) bool) {
		if err := l.Exists(ctx); err != nil {
			yield(Head{}, err)
			return
		}
		count, shard, next := 0, "", ""
		for h, err := range l.heads(ctx, parts, mostObjects) {
			if of := Shard(h.Key); err == nil && count > manyParts && of != shard {
				next = of
				break
			}
			count, shard = count+len(h.parts), Shard(h.Key)
			if !yield(h, err) || err != nil {
				return
			}
		}
		var left []string
		for n := range shards {
			if name := fmt.Sprintf("%02x", n); next != "" && name >= next {
				left = append(left, parts+name+"/")
			}
		}
		for list, err := range parallel.MapErr(ctx, readers, slices.Values(left), func(ctx context.Context, prefix string) (list []Head, err error) {
			for h, err := range l.heads(ctx, prefix, mostObjects/(shards/4)) {
				if err != nil {
					return list, err
				}
				list = append(list, h)
			}
			return list, nil
		}) {
			for _, h := range list {
				if !yield(h, nil) {
					return
				}
			}
			if err != nil {
				yield(Head{}, err)
				return
			}
		}
	}
}

// heads lists the sessions below a prefix. Other names are warned of.
func (l *log) heads(ctx context.Context, prefix string, most int) iter.Seq2[Head, error] {
	return func(yield func(Head, error) bool) {
		var h Head
		end := func() bool {
			h.Whole = h.Whole && h.N > 0
			return h.Key == "" || yield(h, nil)
		}
		for o, err := range l.objectsUpTo(ctx, prefix, "", most) {
			if err != nil {
				yield(Head{}, err)
				return
			}
			elems := strings.Split(strings.TrimPrefix(o.Name, parts), "/")
			if len(elems) != 3 || !ValidKey(elems[1]) || Shard(elems[1]) != elems[0] {
				l.warn("%s: %s is no part of a session, and ignored", l.Name(), o.Name)
				continue
			}
			if elems[1] != h.Key {
				if !end() {
					return
				}
				h = Head{Key: elems[1], Whole: true, log: l}
			}
			n, ok := numberOf(elems[2])
			if !ok {
				l.warn("%s: %s is no part of a session, and ignored", l.Name(), o.Name)
				continue
			}
			p := listed{n, o.Size, o.Sums, o.ETag}
			h.Whole = h.Whole && n == h.N+1 && o.Size <= l.b.Limits().MaxPart
			h.N, h.Tag, h.parts = n, p.tag(), append(h.parts, p)
		}
		end()
	}
}

func (l *log) Tag(key string, n uint64) string {
	tag, _ := l.tags.Load(key)
	if text, _ := tag.(string); strings.HasPrefix(text, fmt.Sprintf("%d-", n)) {
		return text
	}
	return ""
}

// fewSessions is how many sessions are better asked for one by one.
const fewSessions = 16

// A Listing holds heads of sessions. The zero value has none.
type Listing struct {
	heads map[string]Head
	all   bool // the listing was whole
	pages int  // requests that it took
}

// List lists sessions, if that takes fewer requests than asking for each of count: those that want names, or all if it is nil.
// A caller that knows the sessions can ignore the error: those without a head are asked for.
func List(ctx context.Context, l Log, count int, want func(key string) bool) (Listing, error) {
	out := Listing{heads: map[string]Head{}}
	if count < fewSessions {
		return out, nil
	}
	seen, held := 0, 0
	for h, err := range l.Heads(ctx) {
		if err != nil || seen/page >= count {
			return out, err
		}
		if seen += max(len(h.parts), 1); want != nil && !want(h.Key) {
			continue
		}
		if held += len(h.parts); held > heldParts {
			h.parts, h.Whole = nil, false
		}
		out.heads[h.Key] = h
	}
	out.all = true
	per := pageOfStream
	if _, ok := l.(*log); ok {
		per = page
	}
	out.pages = seen/per + 1
	return out, nil
}

// Pages is how many requests a whole listing took.
func (o Listing) Pages() int { return o.pages }

// Head returns the head of a session: without parts if a whole listing does not have it, and of its key alone if there is
// none.
func (o Listing) Head(key string) Head {
	if h, ok := o.heads[key]; ok {
		return h
	}
	return Head{Key: key, Whole: o.all}
}

// Whole reports whether all sessions were listed.
func (o Listing) Whole() bool { return o.all }

// Keys returns the keys of the sessions that are listed, in their order.
func (o Listing) Keys() []string { return slices.Sorted(maps.Keys(o.heads)) }
