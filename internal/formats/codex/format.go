package codex

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/sess-tools/sess/internal/formats"
)

// Format is the format of codex.
var Format formats.Format = format{}

type format struct{}

// Flavours of a rollout: what any codex that can resume reads, and lists by the name in
// its index; and that of codex since 0.146, which shows what commands did as well.
const (
	legacy    = "legacy"
	paginated = "paginated"
)

func (format) About() formats.About {
	return formats.About{Name: "codex", Summary: "rollouts of codex", Versions: []string{legacy, paginated}, Index: true, Home: homeOf}
}

// Detect takes a file whose first line, compressed or not, is the meta line of a
// rollout.
func (format) Detect(_ string, head []byte) bool {
	if bytes.HasPrefix(head, zstdMagic) {
		head = decompressed(head)
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	raw := string(head)
	if !bytes.HasPrefix(head, []byte("{")) {
		return false
	}
	return kindOf(raw, span{0, len(raw)}) == typeMeta
}

// decompressed returns as much as can be had of the beginning of a compressed file.
func decompressed(head []byte) []byte {
	d, err := zstd.NewReader(bytes.NewReader(head), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil
	}
	defer d.Close()
	out, _ := io.ReadAll(io.LimitReader(d, formats.HeadSize)) // what is cut off is no matter
	return out
}
