package event

import (
	"errors"
	"io"
)

// largestMember bounds an event, and any other member of a request, in bytes: what
// is read of it may be held in memory.
const largestMember = 32 << 20

var errTooLong = errors.New("event: a member of the request is too long")

// limitedReader is a body that fails with errTooLong, then and ever after, when more is
// asked for than was allowed.
type limitedReader struct {
	body        io.Reader
	read, until int64
	exceeded    bool
}

// allow lets so many bytes be read from now on.
func (m *limitedReader) allow(bytes int64) { m.until = m.read + bytes }

func (m *limitedReader) Read(p []byte) (int, error) {
	left := m.until - m.read
	if m.exceeded = m.exceeded || left <= 0; m.exceeded {
		return 0, errTooLong
	}
	n, err := m.body.Read(p[:min(int64(len(p)), left)])
	m.read += int64(n)
	return n, err
}
