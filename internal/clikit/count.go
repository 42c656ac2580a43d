package clikit

import (
	"errors"
	"strconv"

	"github.com/urfave/cli/v2"
)

// Count declares a flag with a number above 0, which is 0 without the flag.
func Count(dst *int, names, usage string) cli.Flag {
	*dst = 0
	return Value((*count)(dst), names, usage)
}

type count int

func (c *count) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return errors.New("want a number above 0")
	}
	*c = count(n)
	return nil
}

func (c *count) String() string { return "" }
