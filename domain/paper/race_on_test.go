//go:build race

package paper_test

const raceDetector = true // figures of time mean nothing
