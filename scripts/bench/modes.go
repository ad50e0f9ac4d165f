package main

import (
	"context"
	"flag"
)

// mode is what is measured.
type mode struct {
	name    string // of its flag
	does    string // in the words of the flag
	measure func(ctx context.Context, o options) error
}

// modes are those that have a flag. Where several flags are given, the last of this table is measured. With the first one it is
// measured with very many events and subscriptions.
var modes = []mode{
	{"full", "measure what needs very many events", runFull},
	{"billing", "measure billing alone", runBilling},
	{"ingest", "measure how events come in alone", runIngest},
	{"shares", "measure alone what an account feels of another one that does its worst", runShares},
	{"costly", "measure alone what an account feels of requests that cost much", runCostly},
	{"verify", "measure alone how long all records are verified, and that damage is found", runVerify},
	{"credits", "measure credits alone", runCredits},
	{"console", "measure the pages of the console alone, with so many customers as subscriptions are billed", runConsole},
	{"guards", "measure what rights of keys and the audit log cost alone", runGuards},
}

// String is the command of the mode, by which documents name its figures.
func (m mode) String() string {
	if m.name == "" {
		return "bench"
	}
	return "bench -" + m.name
}

// modeFlags makes the flags of modes. Once they are parsed, chosen returns the mode that is measured, and whether with very many
// events and subscriptions.
func modeFlags(flags *flag.FlagSet) (chosen func() (one mode, full bool)) {
	given := make([]*bool, len(modes))
	for k, m := range modes {
		given[k] = flags.Bool(m.name, false, m.does)
	}
	return func() (one mode, full bool) {
		one.measure = runUsual
		for k, m := range modes {
			if *given[k] {
				one = m
			}
		}
		return one, *given[0]
	}
}
