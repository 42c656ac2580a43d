package operand

import (
	"fmt"
	"io"

	"github.com/sess-tools/sess/internal/disk"
)

// Remake makes the File of what content writes, in the place of one that is there: readers
// see the old one or the new one, and after an error the old one stays. It prints nothing. A
// symbolic link is replaced itself.
func (d Destination) Remake(content io.WriterTo) error {
	if err := disk.Anew(disk.OS{}, d.File, content, d.Durable()); err != nil {
		return fmt.Errorf("creating %s: %w", d.File, disk.Cause(err))
	}
	return nil
}
