package event

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// largestMember bounds an event, and any other member of a request, in bytes: what
// is read of it may be held in memory.
const largestMember = 32 << 20

var errTooLong = errors.New("event: a member of the request is too long")

// limitedReader is a body that fails with errTooLong, then and ever after, when more is
// asked for than was allowed. Blanks between tokens are passed over: the decoder would hold
// all of them until the next token comes.
type limitedReader struct {
	body        io.Reader
	decoder     *jsontext.Decoder // that reads from here
	read, until int64             // bytes
	blanks      int64             // that were passed over, in bytes
	exceeded    bool
}

// allow lets so many bytes be read from now on.
func (m *limitedReader) allow(bytes int64) { m.until = m.read + bytes }

// Read never returns bytes from both sides of blanks that it passes over, so what the decoder finds wrong
// in them is at its own offset and blanks.
func (m *limitedReader) Read(p []byte) (n int, err error) {
	left := m.until - m.read
	if m.exceeded = m.exceeded || left <= 0; m.exceeded {
		return 0, errTooLong
	}
	p = p[:min(int64(len(p)), left)]
	between := m.betweenTokens()
	for n == 0 && err == nil {
		n, err = m.body.Read(p)
		if between {
			token := bytes.TrimLeft(p[:n], blank)
			m.blanks += int64(n - len(token))
			n = copy(p, token)
		}
	}
	m.read += int64(n)
	return n, err
}

// blank are the characters of JSON that mean nothing between tokens.
const blank = " \t\r\n"

// betweenTokens reports whether the decoder has all of the last token, and nothing of the next one.
func (m *limitedReader) betweenTokens() bool {
	return len(bytes.TrimLeft(m.decoder.UnreadBuffer(), blank+",:")) == 0
}
