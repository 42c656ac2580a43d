//go:build !windows

package clikit

const refusal = ""
