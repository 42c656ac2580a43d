package session

import (
	"io"
	"iter"
	"runtime"

	"github.com/sess-tools/sess/pkg/jsonl"
)

// blocks reads all lines. What can be told of a line by itself is told by several
// goroutines, block by block, once the header is known; putting it together is
// done in order by this one.
func (rd *reader) blocks(r io.Reader) error {
	next, stop := iter.Pull2(jsonl.Blocks(r))
	defer stop()
	for !rd.opened {
		b, err, ok := next()
		if err != nil || !ok {
			return err
		}
		parse, header := parser(whole), false
		for l := range b.Lines() {
			data := l.Data
			if rd.s.Lines == 0 {
				data = data[len(bom(data)):]
			}
			if err := rd.take(lookAt(l, data, parse)); err != nil || rd.stopped {
				return err
			}
			if rd.opened && !header {
				header, parse = true, rd.parser()
			}
			if rd.s.Lines == 1 && len(data) < len(l.Data) {
				rd.found(l, BOM, "", "byte order mark ignored")
			}
		}
	}
	return rd.inOrder(next)
}

// sketches reports whether entries are not to be kept whole. Those of old versions
// are, to be migrated.
func (rd *reader) sketches() bool {
	return rd.sketch != nil && rd.opened && rd.s.Header.Version == Version
}

// parser returns what reads entries behind the header, for one goroutine.
func (rd *reader) parser() parser {
	if rd.sketches() {
		return rd.sketch()
	}
	return whole
}

// seen is what a goroutine has seen of a block.
type seen struct {
	looks []look
	block jsonl.Block
	err   error
}

// aheadOf is how many blocks a processor may be ahead of the one that is to be taken next, so
// that all have something to do while that is taken.
const aheadOf = 2

// inOrder takes the rest of the blocks.
func (rd *reader) inOrder(next func() (jsonl.Block, error, bool)) error {
	work, enough := make(chan chan seen, aheadOf*runtime.GOMAXPROCS(0)), make(chan struct{})
	go func() {
		defer close(work)
		for {
			b, err, ok := next()
			if !ok {
				return
			}
			result := make(chan seen, 1)
			select {
			case work <- result:
			case <-enough:
				return
			}
			if err != nil {
				result <- seen{err: err}
				return
			}
			parse := rd.parser()
			go func() { result <- seen{looks: looksOf(b, parse), block: b} }()
		}
	}()
	var failed error
	for result := range work {
		if rd.stopped {
			continue
		}
		s := <-result
		if s.err != nil {
			failed = s.err
			continue // there is none behind it
		}
		for _, k := range s.looks {
			_ = rd.take(k) // an error is one of the header, which is known
		}
		if rd.stopped {
			close(enough)
			continue // until nobody uses next any more
		}
		if rd.sketches() {
			s.block.Free()
		}
	}
	return failed
}

func looksOf(b jsonl.Block, parse parser) []look {
	out := make([]look, 0, len(b.Data)/1024+1)
	for l := range b.Lines() {
		out = append(out, lookAt(l, l.Data, parse))
	}
	return out
}
