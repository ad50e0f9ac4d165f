package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestFaults(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "scripts/faults")
}

var _ = Describe("The proxy before PostgreSQL", func() {
	var c *cutter
	var client net.Conn
	var reached chan string // what the database was sent

	message := func(kind, text string) []byte {
		return append(append([]byte(kind), binary.BigEndian.AppendUint32(nil, uint32(4+len(text)))...), text...)
	}
	BeforeEach(func() {
		dir, err := os.MkdirTemp("", "tk-") // a short path: a socket is in it
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		listener, err := net.Listen("unix", filepath.Join(dir, "socket"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(listener.Close)
		got := make(chan string, 10)
		reached = got
		go func() { // a database that answers each message with "done"
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			for typed := false; ; typed = true {
				var sent bytes.Buffer
				if err := pass(conn, &sent, typed, func(byte, []byte) bool { return true }); err != nil {
					close(got)
					return
				}
				got <- sent.String()
				_, _ = conn.Write([]byte("done"))
			}
		}()
		c, err = newCutter(listener.Addr().String())
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(c.close)
		client, err = net.Dial("tcp", c.addr())
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { _ = client.Close() })
	})
	ask := func(text []byte) (string, error) {
		_, err := client.Write(text)
		Expect(err).NotTo(HaveOccurred())
		answer := make([]byte, 4)
		_, err = io.ReadFull(client, answer)
		return string(answer), err
	}
	begin := func() {
		GinkgoHelper()
		Expect(ask(message("", "start"))).To(Equal("done"))
		Expect(ask(message("Q", "begin"))).To(Equal("done"))
		Expect(reached).To(Receive())
		Expect(reached).To(Receive())
	}

	It("passes on what no fault concerns", func() {
		begin()
		Expect(ask(message("Q", "commit"))).To(Equal("done"))
		Expect(reached).To(Receive(HaveSuffix("commit")))
	})

	It("cuts before a COMMIT, which the database then does not get", func() {
		begin()
		c.next.Store(&cut{commit: true})
		Expect(ask(message("Q", "insert"))).To(Equal("done"))
		Expect(reached).To(Receive(HaveSuffix("insert")))
		_, err := ask(message("Q", "commit"))
		Expect(err).To(HaveOccurred())
		Eventually(reached).Should(BeClosed())
		Expect(c.done.Load()).To(BeEquivalentTo(1))
	})

	It("cuts after a COMMIT, whose answer the server then does not get", func() {
		begin()
		c.next.Store(&cut{commit: true, answer: true})
		_, err := ask(message("Q", "commit"))
		Expect(err).To(HaveOccurred())
		Eventually(reached).Should(Receive(HaveSuffix("commit")))
	})

	It("cuts after the given number of statements", func() {
		begin()
		third := &cut{}
		third.after.Store(2)
		c.next.Store(third)
		Expect(ask(message("Q", "one"))).To(Equal("done"))
		_, err := ask(message("E", "two"))
		Expect(err).To(HaveOccurred())
	})
})

var _ = Describe("What is kept of seeds", func() {
	It("is read again, and adds up", func() {
		path := filepath.Join(GinkgoT().TempDir(), "state")
		p, err := openProgress(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(p.add(played{Seed: 1, Faults: map[string]int{"servers killed": 2}, Events: 10, Slowest: 1500})).To(Succeed())
		Expect(p.add(played{Seed: 2, Faults: map[string]int{"servers killed": 1, "disks filled": 1}, Events: 5})).To(Succeed())
		p.close()
		p, err = openProgress(path)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(p.close)
		Expect(p.has(2)).To(BeTrue())
		Expect(p.has(3)).To(BeFalse())
		Expect(p.total()).To(HavePrefix("all 2 seeds: 4 faults (1 disks filled, 3 servers killed); 0 histories, 15 events"))
		Expect(p.total()).To(HaveSuffix("within 1.5s"))
	})
})
