//go:build unix && !solaris && !aix

package torture

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/sess-tools/sess/pkg/jsonl"
)

// What one writer did.
type written struct {
	sent   int
	sizes  []int          // bytes of padding by number
	acked  map[int]string // the printed ids by number
	killed int
}

// marker begins the text of a writer's n-th entry.
func marker(writer, n int) string { return fmt.Sprintf("w%d n%d ", writer, n) }

// write runs sess-append again and again and kills half of the runs at a moment
// that is as likely early as late.
func (r *round) write(w int) written {
	rng := rand.New(rand.NewPCG(r.seed, uint64(w)))
	s := written{acked: map[int]string{}}
	for !r.over() {
		size := int(math.Exp(rng.Float64() * math.Log(maxText-100)))
		kill := time.Duration(-1)
		if rng.IntN(2) == 0 {
			kill = time.Duration(math.Exp(rng.Float64()*math.Log(60e3))) * time.Microsecond
		}
		r.appendOne(w, &s, size, kill, rng)
	}
	return s
}

// appendOne runs sess-append once and kills it after a while, unless that is
// negative.
func (r *round) appendOne(w int, s *written, size int, kill time.Duration, rng *rand.Rand) {
	n := s.sent
	s.sent++
	s.sizes = append(s.sizes, size)
	text := marker(w, n) + strings.Repeat(string(rune('a'+rng.IntN(26))), size)
	grace := "100ms"
	if r.other == pieces {
		grace = jsonl.DefaultGrace.String()
	}
	c := exec.Command(r.bin, "--wait", "30s", r.path)
	c.Env = append(os.Environ(), "SESS_GRACE="+grace)
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(text), &out, &errs
	if err := c.Start(); err != nil {
		r.t.Error(err)
		return
	}
	if kill >= 0 {
		timer := time.AfterFunc(kill, func() { _ = c.Process.Kill() })
		defer timer.Stop()
	}
	err := c.Wait()
	switch {
	case !c.ProcessState.Exited():
		s.killed++
	case c.ProcessState.ExitCode() > 0:
		r.t.Errorf("seed %d: sess-append: %v: %s", r.seed, err, errs.String())
	}
	// A printed id is a promise, whatever became of the process then.
	if id, whole := strings.CutSuffix(out.String(), "\n"); whole && id != "" {
		s.acked[n] = id
	}
}

// writeForeign appends lines with no lock, as a shell's >> does, or in pieces,
// and returns them.
func (r *round) writeForeign() []string {
	rng := rand.New(rand.NewPCG(r.seed, 1000))
	var lines []string
	for n := 0; !r.over(); n++ {
		line := fmt.Sprintf(`{"type":"custom","customType":"foreign","id":"foreign-%d","parentId":null,"timestamp":"2026-01-02T03:05:00.000Z","data":%q}`,
			n, strings.Repeat("f", rng.IntN(2000)))
		if err := r.writeLine(line+"\n", rng); err != nil {
			r.t.Error(err)
			break
		}
		lines = append(lines, line)
		time.Sleep(time.Duration(rng.IntN(10)) * time.Millisecond)
	}
	return lines
}

// writeLine appends a line at once, or in two to four pieces 50 to 500 ms apart
// and with a rest behind it, in which others get their turn.
func (r *round) writeLine(line string, rng *rand.Rand) error {
	f, err := os.OpenFile(r.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	pause := func() { time.Sleep(time.Duration(50+rng.IntN(451)) * time.Millisecond) }
	if r.other == pieces {
		for left := 1 + rng.IntN(3); left > 0; left-- {
			n := 1 + rng.IntN(len(line)-left)
			if _, err := f.WriteString(line[:n]); err != nil {
				return err
			}
			line = line[n:]
			pause()
		}
		defer pause()
	}
	_, err = f.WriteString(line)
	return err
}

// tear leaves what a writer leaves that is killed within its write(2), which a
// kill at random rarely meets: a part of a line, under the lock it dies with.
func (r *round) tear() {
	rng := rand.New(rand.NewPCG(r.seed, 2000))
	for !r.over() {
		time.Sleep(time.Duration(100+rng.IntN(300)) * time.Millisecond)
		if err := r.tearOnce(rng.IntN(200_000)); err != nil {
			r.t.Error(err)
			return
		}
	}
}

func (r *round) tearOnce(size int) error {
	f, err := os.OpenFile(r.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], fi.Size()-1); err != nil || last[0] != '\n' {
		return err // torn already
	}
	_, err = f.WriteString(`{"type":"message","id":"dead","message":"` + strings.Repeat("d", size))
	return err
}
