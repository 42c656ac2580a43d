package js
import ("testing";"unicode/utf8")
func BenchmarkTmpValidString(b *testing.B) {
	for name, s := range bodies {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				utf8.ValidString(s)
			}
		})
	}
}
