package importevents

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// rejects is the file of the events that were not stored. It is made with the first.
type rejects struct {
	path   string
	file   *os.File
	size   int64
	out    *bufio.Writer
	writer func(out io.Writer, fresh bool) func(entry, string) error
	write  func(entry, string) error
}

// openRejects goes on with a file that an earlier run has written so much of. What that
// run wrote after its last journal comes again. A new feed overwrites nothing, since the
// file may hold corrections made by hand.
func openRejects(path string, j *journal, writer func(io.Writer, bool) func(entry, string) error) (*rejects, error) {
	r := &rejects{path: path, writer: writer, size: j.RejectsSize}
	if !j.continued {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, fmt.Errorf("%s is there already: move it away, or name another with --rejects", path))
		}
	}
	if r.size == 0 {
		return r, nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(file.Truncate(r.size), toEnd(file)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	r.begin(file)
	return r, nil
}

func toEnd(file *os.File) error {
	_, err := file.Seek(0, io.SeekEnd)
	return err
}

func (r *rejects) begin(file *os.File) {
	r.file, r.out = file, bufio.NewWriter(file)
	r.write = r.writer(io.MultiWriter(r.out, (*counter)(&r.size)), r.size == 0)
}

// counter adds up what is written.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// add writes an entry with the reasons why it was not stored.
func (r *rejects) add(e entry, reasons []string) error {
	if r.file == nil {
		file, err := os.Create(r.path)
		if err != nil {
			return unwritable(err)
		}
		r.begin(file)
	}
	return r.write(e, strings.Join(reasons, "; "))
}

// flush makes all that was added durable as far as the process is concerned, and tells
// how much that is.
func (r *rejects) flush() (size int64, err error) {
	if r.file == nil {
		return 0, nil
	}
	if err := r.out.Flush(); err != nil {
		return r.size, unwritable(err)
	}
	return r.size, nil
}

// unwritable says what to do where the file system of a container is read-only, or full.
func unwritable(err error) error {
	return fmt.Errorf("--rejects: must be a file that can be written: %w", err)
}

func (r *rejects) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
