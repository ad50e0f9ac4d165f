//go:build !linux

package storetest

// place is where the directory of a cluster is made: where temporary files are.
func place() string { return "" }
