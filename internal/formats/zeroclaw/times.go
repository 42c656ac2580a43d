package zeroclaw

import "time"

// milliseconds returns a time as ZeroClaw writes it, in milliseconds since the epoch.
func milliseconds(text string) (ms int64, ok bool) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() < 0 || t.Year() > 9999 {
		return 0, false
	}
	return t.UnixMilli(), true
}

// timeText returns a time as ZeroClaw writes it.
func timeText(ms int64) string {
	layout := "2006-01-02T15:04:05.000-07:00"
	if ms%1000 == 0 {
		layout = "2006-01-02T15:04:05-07:00"
	}
	return time.UnixMilli(ms).UTC().Format(layout)
}
