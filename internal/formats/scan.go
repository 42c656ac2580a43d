package formats

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/sess-tools/sess/pkg/session"
)

// Damaged returns the error of a source that cannot be what it should be; it
// matches session.ErrMalformed. The text names the place.
func Damaged(format string, args ...any) error {
	return session.Problem{Kind: KindDamage, Text: fmt.Sprintf(format, args...)}
}

// Describe fills in what reading a session whole tells for a listing. It is for
// formats that have no faster way.
func Describe(ctx context.Context, a Archive, info Info) (Info, error) {
	r, w := io.Pipe()
	read := make(chan error, 1)
	go func() {
		line := func(line string) error {
			_, err := io.WriteString(w, line+"\n")
			return err
		}
		err := a.Read(ctx, info, NewBuilder("", line, func(Loss) {}))
		_ = w.Close() // never fails
		read <- err
	}()
	scanned, err := session.ScanInfo(r)
	_ = r.Close() // ends the reading, if that was not at its end
	if rerr := <-read; rerr != nil && !errors.Is(rerr, io.ErrClosedPipe) {
		return info, rerr
	}
	if err != nil {
		return info, fmt.Errorf("%s: %w", info.Path, err)
	}
	info.Info = scanned
	return info, nil
}
