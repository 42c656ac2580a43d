package clikit

import (
	"errors"
	"fmt"
	"testing"
)

// The status of another tool becomes ours, and its message stays.
func TestWithStatus(t *testing.T) {
	t.Parallel()
	cause := errors.New("it said so")
	for status, want := range map[int]int{
		1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 130: 130, // the table
		0: 2, 7: 2, 127: 2, 141: 2, -1: 2,
	} {
		err := WithHint(fmt.Errorf("reading x: %w", WithStatus(cause, status)), "a hint")
		if got := Status(err); got != want || err.Error() != "reading x: it said so" || !errors.Is(err, cause) {
			t.Errorf("%d: status %d, want %d: %v", status, got, want, err)
		}
	}
	if err := WithStatus(nil, 3); err != nil {
		t.Errorf("nil became %v", err)
	}
}

func TestUnread(t *testing.T) {
	t.Parallel()
	if err := Unread(0, 3, ExitMalformed); err != nil {
		t.Errorf("none: %v", err)
	}
	for want, err := range map[string]error{
		"1 of 1 session not read to the end":      Unread(1, 1, ExitMalformed),
		"2 of 1,000 sessions not read to the end": Unread(2, 1000, ExitMalformed),
	} {
		if err.Error() != want || Status(err) != ExitMalformed {
			t.Errorf("%v with status %d, want %s", err, Status(err), want)
		}
	}
}
