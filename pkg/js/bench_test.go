package js

import (
	"encoding/json"
	"strings"
	"testing"
)

// bodies are texts as session files hold them: plain prose, program output with
// an escape every line, and text that is not ASCII.
var bodies = map[string]string{
	"ascii":   strings.Repeat("The quick brown fox jumps over the lazy dog; and so on, until the page is full. ", 800),
	"code":    strings.Repeat("\tif err := f.Close(); err != nil {\n\t\treturn \"closing\"\n\t}\n", 800),
	"cjk":     strings.Repeat("会話の記録は行の並びであり、道具はそれを変えない。", 800),
	"mixed":   strings.Repeat("naïve café — “quoted” text, with a 😀 now and then; mostly ASCII otherwise. ", 800),
	"base64":  strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", 1000),
	"escapes": strings.Repeat("\n\t\"\\", 8000),
}

func BenchmarkLen(b *testing.B) {
	for name, s := range bodies {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Len(s)
			}
		})
	}
}

func BenchmarkLenLiteral(b *testing.B) {
	for name, s := range bodies {
		lit := Quote(s)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(lit)))
			for b.Loop() {
				LenLiteral(lit)
			}
		})
	}
}

// lines are entries of a session, small and large.
func lines() map[string]string {
	message := func(text string) string {
		return `{"type":"message","id":"1a2b3c4d","parentId":"0f9e8d7c","timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"assistant",` +
			`"content":[{"type":"text","text":` + Quote(text) + `},{"type":"toolCall","id":"t1","name":"bash","arguments":{"command":"ls -l","timeout":30}}],` +
			`"usage":{"input":1234,"output":567,"cacheRead":0,"cacheWrite":0,"cost":{"input":0.00123,"output":0.0045,"total":0.00573}},"timestamp":1767323045678}}`
	}
	m := map[string]string{"tiny": message("Done."), "numbers": "[" + strings.Repeat("1234,0.25,-7e-3,", 4000) + "0]"}
	for name, s := range bodies {
		m[name] = message(s[:min(len(s), 4000)])
	}
	return m
}

func BenchmarkValid(b *testing.B) {
	for name, s := range lines() {
		b.Run(name, func(b *testing.B) {
			line := []byte(s)
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				Valid(line)
			}
		})
		b.Run(name+"/encoding-json", func(b *testing.B) {
			line := []byte(s)
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				json.Valid(line)
			}
		})
	}
}

func BenchmarkStringifyLen(b *testing.B) {
	for name, s := range lines() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				StringifyLen(s)
			}
		})
	}
}
