package main

import (
	"errors"
	"runtime"
	"sync"
)

// parallel runs jobs, as many at a time as there are processors, and returns all their errors.
func parallel(jobs ...func() error) error {
	errs := make([]error, len(jobs))
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var running sync.WaitGroup
	for i, job := range jobs {
		running.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			errs[i] = job()
		})
	}
	running.Wait()
	return errors.Join(errs...)
}
