package main

import (
	"errors"
	"io"
	"syscall"
)

// untilClosed ends the server once the reader of its output is gone, as in `tollkeeper serve | head`.
type untilClosed struct {
	io.Writer
	end func()
}

func (w untilClosed) Write(text []byte) (int, error) {
	n, err := w.Writer.Write(text)
	if errors.Is(err, syscall.EPIPE) {
		w.end()
	}
	return n, err
}
