package main

import (
	"fmt"
	"io"
	"time"
)

// options are what the command line says.
type options struct {
	present int    // events that are there before
	rounds  int    // how often each way to get events in is taken
	huge    int64  // bytes of the one huge request
	billed  int    // subscriptions that are billed
	binary  string // the server's; "": built from this checkout
	keep    bool
	each    time.Duration // how long each kind of costly request is sent

	mode string    // what is measured: a flag of the command
	out  io.Writer // of figures
}

// Events that are there before, unless the command line says otherwise.
const (
	usualPresent = 1_000_000
	fullPresent  = 20_000_000
)

// check refuses options by which a part would measure nothing: one subscription of a hundred is of the kinds that differ.
func (o options) check() error {
	if o.rounds < 1 || o.each <= 0 || o.present < 1 || o.huge < 1 || o.billed < variedShare*variedKinds {
		return fmt.Errorf("-rounds, -for, -present and -huge must be at least 1, and -subscriptions at least %d, so that each kind of customer is billed", variedShare*variedKinds)
	}
	return nil
}
