package download_test

import (
	"io"
	"os"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/download"
)

func TestDownload(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Downloads")
}

// slow is a client that takes so many bytes a second, by a clock of its own.
type slow struct {
	now      time.Time
	rate     int64
	deadline time.Time
	taken    int64
}

func (c *slow) SetWriteDeadline(at time.Time) error {
	c.deadline = at
	return nil
}

func (c *slow) Write(b []byte) (int, error) {
	done := c.now.Add(time.Duration(len(b)) * time.Second / time.Duration(c.rate))
	if done.After(c.deadline) {
		c.now = c.deadline
		return 0, os.ErrDeadlineExceeded
	}
	c.now = done
	c.taken += int64(len(b))
	return len(b), nil
}

var _ = Describe("A download", func() {
	const size = 16 << 20 // bytes
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	usual := download.Limits{}.OrUsual(8)

	// take downloads a file as one write, and returns how long it took.
	take := func(client *slow) (took time.Duration, err error) {
		client.now = begun
		w := download.NewWriter(client, client, usual, func() time.Time { return client.now })
		_, err = w.Write(make([]byte, size))
		return client.now.Sub(begun), err
	}

	It("goes on at the least rate, for as long as a download may last", func() {
		took, err := take(&slow{rate: usual.Slowest})
		Expect(err).NotTo(HaveOccurred())
		Expect(took).To(Equal(size / (32 << 10) * time.Second))
	})

	It("is cut where the client takes less", func() {
		client := &slow{rate: usual.Slowest / 2}
		took, err := take(client)
		Expect(err).To(MatchError(os.ErrDeadlineExceeded))
		Expect(took).To(BeNumerically("~", 2*time.Minute, 10*time.Second), "after the lag, which half of the rate takes two minutes to reach")
		Expect(client.taken).To(BeNumerically("<", size))
	})

	It("is cut where the client takes nothing, and where it lasts too long, whatever was taken before", func() {
		client := &slow{now: begun, rate: 1 << 30}
		w := download.NewWriter(client, client, usual, func() time.Time { return client.now })
		for range 64 {
			_, err := w.Write(make([]byte, size))
			Expect(err).NotTo(HaveOccurred())
		}
		client.rate = 1
		stalled := client.now
		_, err := w.Write(make([]byte, size))
		Expect(err).To(MatchError(os.ErrDeadlineExceeded))
		Expect(client.now.Sub(stalled)).To(Equal(usual.Lag))

		client.rate = 1 << 20
		for err = nil; err == nil; {
			_, err = w.Write(make([]byte, size))
		}
		Expect(client.now.Sub(begun)).To(Equal(usual.Longest))
	})

	It("loses no time while the server works", func() {
		client := &slow{now: begun, rate: usual.Slowest}
		w := download.NewWriter(client, client, usual, func() time.Time { return client.now })
		for range 5 {
			client.now = client.now.Add(2 * usual.Lag)
			_, err := io.WriteString(w, "a row")
			Expect(err).NotTo(HaveOccurred())
		}
	})
})

var _ = Describe("The limits of downloads", func() {
	It("leave connections to others, and a file to a second account", func() {
		for transactions, files := range map[int]int{8: 4, 3: 3, 1: 2} {
			Expect(download.Limits{}.OrUsual(transactions).AtOnce).To(Equal(files))
		}
		Expect(download.Limits{AtOnce: 6, Wait: time.Second}.OrUsual(8)).To(Equal(download.Limits{
			AtOnce: 6, Wait: time.Second, Slowest: 32 << 10, Lag: time.Minute, Longest: 15 * time.Minute,
		}))
	})
})
