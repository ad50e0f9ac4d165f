package server_test

import (
	"context"
	"io"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/mail"
	"tollkeeper/server/mails"
	"tollkeeper/store"
)

// postOffice is an SMTP server that keeps what it takes.
type postOffice struct {
	address string
	server  *smtp.Server

	mu     sync.Mutex
	taken  []*netmail.Message
	bodies []string // of those
	answer func(recipient string) error
	atEnd  func() error // at the end of a message, before it is taken
}

// openPostOffice listens at an address; ":0" is a port of its own.
func openPostOffice(address string) *postOffice {
	GinkgoHelper()
	p := &postOffice{}
	listener, err := net.Listen("tcp", address)
	Expect(err).NotTo(HaveOccurred())
	p.address = listener.Addr().String()
	p.server = smtp.NewServer(p)
	p.server.Domain = "post.test"
	go func() { _ = p.server.Serve(listener) }()
	DeferCleanup(p.close)
	return p
}

func (p *postOffice) close() { _ = p.server.Close() }

// NewSession begins a connection.
func (p *postOffice) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &postSession{office: p, conn: c}, nil
}

type postSession struct {
	office *postOffice
	conn   *smtp.Conn
}

func (*postSession) Reset()                               {}
func (*postSession) Logout() error                        { return nil }
func (*postSession) Mail(string, *smtp.MailOptions) error { return nil }

func (s *postSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.office.mu.Lock()
	defer s.office.mu.Unlock()
	if s.office.answer != nil {
		return s.office.answer(to)
	}
	return nil
}

func (s *postSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	message, err := netmail.ReadMessage(strings.NewReader(string(text)))
	if err != nil {
		return err
	}
	s.office.mu.Lock()
	defer s.office.mu.Unlock()
	s.office.taken, s.office.bodies = append(s.office.taken, message), append(s.office.bodies, string(text))
	if s.office.atEnd != nil {
		if err := s.office.atEnd(); err != nil {
			_ = s.conn.Conn().Close()
			return err
		}
	}
	return nil
}

// mailFixture is an account that sends mail to customers at a domain of its own.
type mailFixture struct {
	fixture
	office *postOffice
	sender *mails.Sender
	domain string
	ahead  time.Duration // of the real time
}

func newMailFixture(now string) *mailFixture {
	GinkgoHelper()
	m := &mailFixture{fixture: startAlone().newFixture(now), office: openPostOffice("127.0.0.1:0"), domain: strings.ToLower(store.Random(10)) + ".test"}
	m.setting("mail_from", `"Acme & Söhne" <billing@acme.test>`)
	m.setting("mail_in_test", true)
	m.sender = m.to(m.office.address)
	return m
}

// to makes a sender to a mail server.
func (m *mailFixture) to(address string) *mails.Sender {
	GinkgoHelper()
	server, err := mails.ParseSMTP("smtp://"+address+"?tls=off", "")
	Expect(err).NotTo(HaveOccurred())
	cfg := m.server.MailSender(func() time.Time { return time.Now().Add(m.ahead) }).Config
	cfg.SMTP = server
	return mails.NewSender(cfg)
}

// buys makes a customer, with a mailbox in the domain for each name, who takes mail.
func (m *mailFixture) buys(change object, names ...string) string {
	GinkgoHelper()
	var more list
	for _, name := range names[1:] {
		more = append(more, name+"@"+m.domain)
	}
	if more == nil {
		more = list{}
	}
	return m.buyer(with(object{"name": "Globex", "email": names[0] + "@" + m.domain, "additional_emails": more, "currency": "USD"}, change))
}

// pass lets real time pass, and sends what is due.
func (m *mailFixture) pass(time time.Duration) {
	GinkgoHelper()
	m.ahead += time
	Expect(m.sender.Pass(context.Background())).To(Succeed())
}

// got are the mails that the domain got: recipient, subject.
func (m *mailFixture) got() (all []string) {
	m.office.mu.Lock()
	defer m.office.mu.Unlock()
	for _, message := range m.office.taken {
		to, err := message.Header.AddressList("To")
		if err == nil && strings.HasSuffix(to[0].Address, "@"+m.domain) {
			subject, _ := new(wordDecoder).DecodeHeader(message.Header.Get("Subject"))
			all = append(all, strings.TrimSuffix(to[0].Address, "@"+m.domain)+": "+subject)
		}
	}
	return all
}

// log are the mails of the account, oldest first.
func (m *mailFixture) log() (all []mail.Mail) {
	GinkgoHelper()
	m.tx(func(tx *store.Tx) error { return tx.Order("seq").Find(&all).Error })
	return all
}

// statuses are those of the log.
func (m *mailFixture) statuses() (all []mail.Status) {
	GinkgoHelper()
	for _, one := range m.log() {
		all = append(all, one.Status)
	}
	return all
}
