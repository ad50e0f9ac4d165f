//go:build !race

package server_test

// statementStride is 1 where each statement of a deed is to fail once.
const statementStride = 1
