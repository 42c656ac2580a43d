package listing

import (
	"testing"
	"time"
)

func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1m ago", 59*time.Minute + 59*time.Second: "59m ago",
		time.Hour: "1h ago", 47 * time.Hour: "1d ago", 13*24*time.Hour + 23*time.Hour: "13d ago",
		14 * 24 * time.Hour: "2026-03-06", -time.Hour: "2026-03-20",
	} {
		if got := Ago(now.Add(-d), now); got != want {
			t.Errorf("%v ago is %q, want %q", d, got, want)
		}
	}
}
