//go:build !race

package paper_test

const raceDetector = false
