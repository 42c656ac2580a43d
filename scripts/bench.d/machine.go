package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// file returns what a file says, nothing if it is not there.
func file(name string) string {
	text, _ := os.ReadFile(name)
	return string(text)
}

// field returns what the first group of a pattern matches, "" if nothing.
func field(text, pattern string) string {
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(m[1])
}

// firstCore is the first core this process may run on, as taskset numbers it.
func firstCore() string {
	if core := field(file("/proc/self/status"), `(?m)^Cpus_allowed_list:\s*(\d+)`); core != "" {
		return core
	}
	return "0"
}

// loadAverage is that of the last minute for each core, 0 if it is not known.
func loadAverage() float64 {
	load, err := strconv.ParseFloat(field(file("/proc/loadavg"), `^(\S+)`), 64)
	if err != nil {
		return 0
	}
	return load / float64(runtime.NumCPU())
}

// mostLoad is what others may have of each core while a page is measured.
const mostLoad = 0.5

// quiet warns if the machine has other work, or is an error if a page is to be written.
func (b *bench) quiet(write bool) error {
	load := loadAverage()
	switch {
	case load <= mostLoad:
		return nil
	case write:
		return fmt.Errorf("the load average is %.1f a core: no page is written above %.1f; wait until the machine is quiet", load, mostLoad)
	}
	b.s.Warnf("the load average is %.1f a core: only ratios mean something, and they little", load)
	return nil
}

// busy begins to count what the machine does. The function that it returns says how much of
// each core others than this program and its children had since then; 0 if the system does
// not tell.
func busy() (others func() float64) {
	begun, all, ours := time.Now(), ticks(), ownTime()
	return func() float64 {
		const tick = time.Second / 100
		spent := time.Duration(ticks()-all)*tick - (ownTime() - ours)
		return max(0, spent.Seconds()) / time.Since(begun).Seconds() / float64(runtime.NumCPU())
	}
}

// ticks is how long all cores have worked, in hundredths of a second.
func ticks() (n int64) {
	fields := strings.Fields(field(file("/proc/stat"), `(?m)^cpu\s+(.+)$`))
	for i, f := range fields[:min(len(fields), 7)] { // user nice system idle iowait irq softirq
		if v, err := strconv.ParseInt(f, 10, 64); err == nil && i != 3 && i != 4 {
			n += v
		}
	}
	return n
}

// machine says in words what was measured on, without a name.
func (b *bench) machine() string {
	processor := field(file("/proc/cpuinfo"), `(?m)^model name\s*:\s*(.+)$`)
	if processor == "" {
		processor = "a processor of unknown model"
	}
	words := fmt.Sprintf("%s, %d cores", processor, runtime.NumCPU())
	if kb, err := strconv.ParseFloat(field(file("/proc/meminfo"), `(?m)^MemTotal:\s*(\d+) kB`), 64); err == nil {
		words += fmt.Sprintf(", %.0f GiB of memory", kb/(1<<20))
	}
	return words + fmt.Sprintf("; %s on %s, %s", runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// programs are the versions of the peers that are here.
func (b *bench) programs(ctx context.Context) []string {
	var out []string
	add := func(name, path string, args ...string) {
		if path == "" {
			return
		}
		text, err := exec.CommandContext(ctx, path, args...).Output()
		version := field(string(text), `(\d+\.\d+(?:\.\d+)*)`)
		if err == nil && version != "" {
			out = append(out, name+" "+version)
		}
	}
	search, find, _ := b.search()
	bun, _ := b.bun()
	ccusage, _ := b.ccusage()
	add("cat", b.find("cat"), "--version")
	add(search, find[0], "--version")
	add("jq", b.find("jq"), "--version")
	add("node", b.find("node"), "--version")
	add("bun", bun, "--version")
	add("ccusage", ccusage, "--version")
	return out
}

// count prints a number with its thousands apart.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
