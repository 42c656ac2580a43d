package openoxide

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/sess-tools/sess/pkg/js"
)

// maxDepth is how deep values may be nested.
const maxDepth = 256

// pack returns the content of a message that holds an entry: {"v":1,"entry":…}. What
// MessagePack would not give back letter by letter, such as 1.0, stands beside as "raw"; what
// is nested too deeply stands there alone.
func pack(entry string) ([]byte, error) {
	var b bytes.Buffer
	p := packer{msgpack.NewEncoder(&b)}
	p.enc.UseCompactInts(true)
	whole, raw := true, false
	if js.Depth([]byte(entry)) > maxDepth-8 {
		whole, raw = false, true
	} else if err := p.value(entry); err != nil {
		return nil, err
	} else if again, err := unpack(b.Bytes()); err != nil || again != entry {
		raw = true
	}
	body := bytes.Clone(b.Bytes())
	b.Reset()
	fields := 1
	for _, more := range []bool{whole, raw} {
		if more {
			fields++
		}
	}
	if err := p.enc.EncodeMapLen(fields); err != nil {
		return nil, err
	}
	err := p.pair("v", func() error { return p.enc.EncodeInt(1) })
	if err == nil && whole {
		err = p.pair("entry", func() error { _, err := b.Write(body); return err })
	}
	if err == nil && raw {
		err = p.pair("raw", func() error { return p.enc.EncodeString(entry) })
	}
	return b.Bytes(), err
}

type packer struct{ enc *msgpack.Encoder }

func (p packer) pair(key string, value func() error) error {
	if err := p.enc.EncodeString(key); err != nil {
		return err
	}
	return value()
}

// value encodes a JSON text.
func (p packer) value(text string) error {
	switch text[0] {
	case '{':
		n := 0
		for range js.Members(text) {
			n++
		}
		err := p.enc.EncodeMapLen(n)
		for key, value := range js.Members(text) {
			if err == nil {
				err = p.pair(js.ValidText(js.Unquote(key)), func() error { return p.value(value) })
			}
		}
		return err
	case '[':
		n := 0
		for range js.Elements(text) {
			n++
		}
		err := p.enc.EncodeArrayLen(n)
		for value := range js.Elements(text) {
			if err == nil {
				err = p.value(value)
			}
		}
		return err
	case '"':
		return p.enc.EncodeString(js.ValidText(js.Unquote(text)))
	case 't', 'f':
		return p.enc.EncodeBool(text == "true")
	case 'n':
		return p.enc.EncodeNil()
	}
	return p.number(text)
}

func (p packer) number(text string) error {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && text != "-0" {
		return p.enc.EncodeInt(n)
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil && text != "-0" {
		return p.enc.EncodeUint(n)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil { // too large; "raw" has it
		return p.enc.EncodeString(text)
	}
	return p.enc.EncodeFloat64(f)
}

// floatText returns a number as JSON has it.
func floatText(f float64) (string, bool) {
	text, err := json.Marshal(f)
	return strings.ReplaceAll(string(text), "e-0", "e-"), err == nil // not a NaN, nor infinite
}
