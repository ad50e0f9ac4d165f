package main

import (
	"io"
	"net"

	"github.com/emersion/go-smtp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// mailbox is an SMTP server that takes everything.
type mailbox struct {
	address string
	taken   chan string
	close   func()
}

func openMailbox() mailbox {
	GinkgoHelper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	box := mailbox{address: listener.Addr().String(), taken: make(chan string, 10)}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return box, nil }))
	go func() { _ = server.Serve(listener) }()
	box.close = func() { _ = server.Close() }
	DeferCleanup(box.close)
	return box
}

func (mailbox) Reset()                               {}
func (mailbox) Logout() error                        { return nil }
func (mailbox) Mail(string, *smtp.MailOptions) error { return nil }
func (mailbox) Rcpt(string, *smtp.RcptOptions) error { return nil }

func (b mailbox) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	b.taken <- string(text)
	return err
}
