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
