//go:build unix

package cluster

import (
	"bytes"
	"fmt"
	"io"
)

// say tells the user what is being done, one line at a time.
func say(log io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(log, format+"\n", args...)
}

// lastLine is where a program that failed says why.
func lastLine(output []byte) string {
	lines := bytes.Split(bytes.TrimSpace(output), []byte("\n"))
	return string(lines[len(lines)-1])
}
