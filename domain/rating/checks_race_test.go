//go:build race

package rating_test

// checks is how often each property is tried under the race detector, which makes it many
// times slower and has nothing to find in code without goroutines.
const checks = "300"
