//go:build !race

package money_test

// checks is how often each law is tried, unless the command line says otherwise.
const checks = "10000"
