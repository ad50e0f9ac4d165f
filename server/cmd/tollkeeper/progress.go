package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"tollkeeper/server/cmd/tollkeeper/importevents"
)

// progress shows how far an import is: on a terminal by a bar, elsewhere by a line now
// and then.
type progress struct {
	out   *os.File
	bar   *progressbar.ProgressBar // nil elsewhere
	began time.Time
	shown time.Time
	first int // events of earlier runs
	from  int64
}

// sayEvery is the time between two lines.
const sayEvery = 5 * time.Second

func newProgress(out *os.File) *progress {
	return &progress{out: out}
}

func (p *progress) report(at importevents.Progress) {
	if p.began.IsZero() {
		p.begin(at)
	}
	rate := int(time.Duration(at.Events()-p.first) * time.Second / max(time.Since(p.began), time.Millisecond))
	text := fmt.Sprintf("%d events, %d/s, %d rejected", at.Events(), rate, at.Rejected)
	switch {
	case p.bar != nil:
		p.bar.Describe(text)
		_ = p.bar.Set64(at.Read)
	case time.Since(p.shown) >= sayEvery:
		p.shown = time.Now()
		fmt.Fprintln(p.out, text+p.remaining(at))
	}
}

// begin counts from the first report on: what came before is done.
func (p *progress) begin(at importevents.Progress) {
	p.began, p.shown = time.Now(), time.Now()
	p.first, p.from = at.Events(), at.Read
	if term.IsTerminal(int(p.out.Fd())) {
		p.bar = progressbar.NewOptions64(at.Size, progressbar.OptionSetWriter(p.out), progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetPredictTime(true), progressbar.OptionFullWidth())
		p.bar.Reset()
	}
}

// remaining tells how much of the file is done and how long the rest will take.
func (p *progress) remaining(at importevents.Progress) string {
	read := at.Read - p.from
	if at.Size <= 0 || read <= 0 {
		return ""
	}
	const unit = 1 << 10 // of bytes, to keep the product in bounds
	left := time.Since(p.began) / time.Duration(read/unit+1) * time.Duration((at.Size-at.Read)/unit)
	return fmt.Sprintf(", %d %%, %s left", 100*at.Read/at.Size, left.Round(time.Second))
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Exit()
		fmt.Fprintln(p.out)
	}
}
