//go:build !windows

package cli

const refusal = ""
