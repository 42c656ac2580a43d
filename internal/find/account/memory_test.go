package account_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/sess-tools/sess/internal/find/account"
)

// A ledger takes what its package says: 250 bytes for a call, and 8 for a copy.
func TestMemory(t *testing.T) {
	const calls = 200_000
	list := make([]account.Call, 0, calls)
	for i := range calls {
		list = append(list, account.Call{ID: fmt.Sprintf("a%07x", i), Time: int64(i), Timed: true, Provider: "anthropic", Model: "claude", Purpose: account.Reply, Stop: "stop"})
	}
	l := &account.Ledger{}
	before := heap()
	l.Add(account.Session{ID: "s"}, list)
	distinct := heap()
	const forks = 10
	for i := range forks {
		l.Add(account.Session{ID: fmt.Sprint("f", i), Parent: "s"}, list)
	}
	copies := heap()
	if each := (distinct - before) / calls; each < 50 || each > 250 {
		t.Errorf("%d bytes for a call", each)
	}
	// A slice that grows has room for a quarter more.
	if each := float64(copies-distinct) / (calls * forks); each < 4 || each > 8*1.25+1 {
		t.Errorf("%.1f bytes for a copy", each)
	}
	runtime.KeepAlive(list)
	runtime.KeepAlive(l)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
