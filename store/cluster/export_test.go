//go:build unix

package cluster

// Runs reports whether a process is alive.
var Runs = runs
