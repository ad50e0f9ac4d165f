// Package download bounds the files that clients download while they are made. Each holds a transaction and a
// connection to the database, so one that nobody takes, or that takes hours, is paid by all.
package download

import (
	"cmp"
	"time"
)

// Limits of downloads. What is 0 is as usual.
type Limits struct {
	AtOnce  int           // files that a server makes at one time; 4. An account alone has half of them
	Wait    time.Duration // how long a request waits for one of them to be free; 10 seconds
	Slowest int64         // bytes a second that a client must take, on average over the file; 32 KiB
	Lag     time.Duration // how long it may take none, and how far it may fall behind that; a minute
	Longest time.Duration // that a download takes in all, whatever the client does; 15 minutes
}

// FewestAtOnce leave one file to a second account.
const FewestAtOnce = 2

// OrUsual returns the limits, with the usual one for each that is 0. Files at one time are as many as an account may
// have transactions, at most, so that they never take all connections.
func (l Limits) OrUsual(transactions int) Limits {
	return Limits{
		AtOnce:  max(FewestAtOnce, min(cmp.Or(l.AtOnce, 4), transactions)),
		Wait:    cmp.Or(l.Wait, 10*time.Second),
		Slowest: cmp.Or(l.Slowest, 32<<10),
		Lag:     cmp.Or(l.Lag, time.Minute),
		Longest: cmp.Or(l.Longest, 15*time.Minute),
	}
}
