package openoxide

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"github.com/sess-tools/sess/pkg/js"
)

var (
	errDeep    = errors.New("nested too deeply")
	errForeign = errors.New("something JSON has no word for")
	errMore    = errors.New("more than one value")
)

// unpack returns the MessagePack value as JSON. What JSON cannot say, such as bytes
// or a map whose keys are no strings, is an error.
func unpack(data []byte) (string, error) {
	r := bytes.NewReader(data)
	u := unpacker{dec: msgpack.NewDecoder(r)}
	if err := u.value(0); err != nil {
		return "", err
	}
	if r.Len() > 0 {
		return "", errMore
	}
	return u.out.String(), nil
}

type unpacker struct {
	dec *msgpack.Decoder
	out strings.Builder
}

func (u *unpacker) value(depth int) error {
	code, err := u.dec.PeekCode()
	if err != nil {
		return err
	}
	switch {
	case depth > maxDepth:
		return errDeep
	case msgpcode.IsFixedMap(code), code == msgpcode.Map16, code == msgpcode.Map32:
		return u.object(depth)
	case msgpcode.IsFixedArray(code), code == msgpcode.Array16, code == msgpcode.Array32:
		return u.array(depth)
	case msgpcode.IsFixedString(code), code == msgpcode.Str8, code == msgpcode.Str16, code == msgpcode.Str32:
		return u.text()
	case msgpcode.IsFixedNum(code):
		return u.integer(false)
	}
	return u.scalar(code)
}

// scalar takes over a value of a kind that has one code.
func (u *unpacker) scalar(code byte) error {
	switch code {
	case msgpcode.Nil:
		u.out.WriteString("null")
		return u.dec.DecodeNil()
	case msgpcode.True, msgpcode.False:
		b, err := u.dec.DecodeBool()
		u.out.WriteString(strconv.FormatBool(b))
		return err
	case msgpcode.Int8, msgpcode.Int16, msgpcode.Int32, msgpcode.Int64:
		return u.integer(false)
	case msgpcode.Uint8, msgpcode.Uint16, msgpcode.Uint32, msgpcode.Uint64:
		return u.integer(true)
	case msgpcode.Float, msgpcode.Double:
		f, err := u.dec.DecodeFloat64()
		if err != nil {
			return err
		}
		text, err := json.Marshal(f)
		if err != nil { // a NaN, or infinite
			return errForeign
		}
		u.out.WriteString(strings.ReplaceAll(string(text), "e-0", "e-"))
		return nil
	}
	return errForeign
}

func (u *unpacker) integer(unsigned bool) error {
	if unsigned {
		n, err := u.dec.DecodeUint64()
		u.out.WriteString(strconv.FormatUint(n, 10))
		return err
	}
	n, err := u.dec.DecodeInt64()
	u.out.WriteString(strconv.FormatInt(n, 10))
	return err
}

func (u *unpacker) text() error {
	s, err := u.dec.DecodeString()
	if err != nil {
		return err
	}
	if !utf8.ValidString(s) {
		return errForeign
	}
	u.out.WriteString(js.Quote(s))
	return nil
}

func (u *unpacker) array(depth int) error {
	n, err := u.dec.DecodeArrayLen()
	if err != nil {
		return err
	}
	u.out.WriteByte('[')
	for i := range n {
		if i > 0 {
			u.out.WriteByte(',')
		}
		if err := u.value(depth + 1); err != nil {
			return err
		}
	}
	u.out.WriteByte(']')
	return nil
}

func (u *unpacker) object(depth int) error {
	n, err := u.dec.DecodeMapLen()
	if err != nil {
		return err
	}
	u.out.WriteByte('{')
	for i := range n {
		if i > 0 {
			u.out.WriteByte(',')
		}
		code, err := u.dec.PeekCode()
		if err != nil {
			return err
		}
		if !msgpcode.IsString(code) {
			return errForeign
		}
		if err := u.text(); err != nil {
			return err
		}
		u.out.WriteByte(':')
		if err := u.value(depth + 1); err != nil {
			return err
		}
	}
	u.out.WriteByte('}')
	return nil
}

// maxDepth is how deep values may be nested.
const maxDepth = 256

// pack returns the content of a message that holds an entry: {"v":1,"entry":…}. Text that
// MessagePack would not give back letter by letter, such as 1.0, stands beside as "raw"; an entry
// that is nested too deeply stands there alone.
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
