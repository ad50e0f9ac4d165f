package webhook

import (
	"math/rand/v2"
	"time"
)

// longestWait bounds what a receiver can ask for with Retry-After.
const longestWait = 24 * time.Hour

// after is how long the next attempt waits after one that failed: as the schedule says for
// that many tries, up to a tenth longer so that not all come at once, or as long as the
// receiver asked for. There is none after the last.
func after(schedule []time.Duration, tries int, asked time.Duration) (wait time.Duration, again bool) {
	if tries > len(schedule) {
		return 0, false
	}
	wait = schedule[tries-1]
	wait += rand.N(wait/10 + 1)
	return max(wait, min(asked, longestWait)), true
}
