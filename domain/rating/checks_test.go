//go:build !race

package rating_test

// checks is how often each property is tried, unless the command line says otherwise.
const checks = "2000"
