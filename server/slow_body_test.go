package server_test

import (
	"io"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server"
)

// slowSender sends a body, by a clock of its own: each part with so many bytes, so long after the one before.
type slowSender struct {
	now      time.Time
	deadline time.Time
	part     int
	pause    time.Duration
	left     int // bytes of the body
}

func (s *slowSender) SetReadDeadline(at time.Time) error {
	s.deadline = at
	return nil
}

func (s *slowSender) Read(b []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	if arrives := s.now.Add(s.pause); arrives.After(s.deadline) {
		s.now = s.deadline
		return 0, os.ErrDeadlineExceeded
	}
	s.now = s.now.Add(s.pause)
	n := min(s.part, s.left, len(b))
	s.left -= n
	return n, nil
}

func (s *slowSender) Close() error { return nil }

var _ = Describe("A body that comes slowly", func() {
	const stalled, second, much = 30 * time.Second, 64 << 10, 1 << 30 // bytes
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	buffer := make([]byte, second)
	read := func(body io.Reader) error {
		_, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{body}, buffer)
		return err
	}
	begin := func(s *slowSender) io.Reader {
		s.now = begun
		return server.TimedBody(s, s, stalled, func() time.Time { return s.now })
	}

	It("has all the time that it takes at 64 KiB a second", func() {
		s := &slowSender{part: second, pause: time.Second, left: much}
		Expect(read(begin(s))).To(Succeed())
		Expect(s.now.Sub(begun)).To(Equal(much / second * time.Second))
	})

	It("has a minute more, for a client of a slow network", func() {
		s := &slowSender{part: second / 4, pause: time.Second, left: second * 16}
		Expect(read(begin(s))).To(Succeed())
	})

	DescribeTable("is given up, whatever came before", func(part int, pause, after time.Duration) {
		s := &slowSender{part: second, left: much}
		body := begin(s)
		_, err := io.ReadFull(body, make([]byte, much/16))
		Expect(err).NotTo(HaveOccurred())
		s.part, s.pause = part, pause
		slow := s.now
		Expect(read(body)).To(MatchError(os.ErrDeadlineExceeded))
		Expect(s.now.Sub(slow)).To(BeNumerically("~", after, time.Second))
	},
		Entry("where nothing comes", 0, time.Hour, stalled),
		Entry("where a blank comes each ten seconds", 1, 10*time.Second, 2*stalled),
		Entry("where half of the rate comes", second/2, time.Second, 4*stalled),
	)
})
