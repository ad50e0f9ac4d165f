//go:build !linux

package storetest

// Place is where the directory of a cluster is made: where temporary files are.
func Place() string { return "" }
