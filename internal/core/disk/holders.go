package disk

import "fmt"

// A Holder is another process that has a file open for writing.
type Holder struct {
	PID  int
	Name string // of its program, as the system cuts it
}

func (h Holder) String() string {
	if h.Name == "" {
		return fmt.Sprintf("process %d", h.PID)
	}
	return fmt.Sprintf("process %d (%s)", h.PID, h.Name)
}
