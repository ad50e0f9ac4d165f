//go:build race

package server_test

// statementStride lets every seventh statement of a deed fail under the race detector,
// from a random one on: it makes each try several times slower, and which statement fails
// makes no difference to what it looks for.
const statementStride = 7
