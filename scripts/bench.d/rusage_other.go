//go:build !unix

package main

import (
	"os"
	"time"
)

// peak is not known here.
func peak(*os.ProcessState) int64 { return 0 }

func ownPeak() int64 { return 0 }

func ownTime() time.Duration { return 0 }
