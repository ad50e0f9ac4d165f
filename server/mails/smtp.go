package mails

import (
	"context"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"

	"tollkeeper/domain/mail"
)

// SMTP is a mail server.
type SMTP struct {
	host     string
	port     int
	user     string
	password string
	tls      string // implicit, required or off
	from     *netmail.Address
}

// answersWithin is how long the mail server has for each answer.
const answersWithin = 30 * time.Second

// ParseSMTP reads the address of a mail server: smtp://user:password@host:587, where TLS is required by STARTTLS, smtps:// where it
// is there from the start, or smtp://host:25?tls=off for one on the same machine or network. from is the server's own
// sender: of mails to people who use the console, and where returned mail goes.
func ParseSMTP(text, from string) (*SMTP, error) {
	at, err := url.Parse(text)
	if err != nil || at.Hostname() == "" || at.Path != "" && at.Path != "/" || at.Fragment != "" {
		return nil, errors.New("must be such as smtp://user:password@mail.example.com:587") // without the text, which has a password
	}
	s := &SMTP{host: at.Hostname(), tls: "required", port: 587}
	switch {
	case at.Scheme == "smtps":
		s.tls, s.port = "implicit", 465
	case at.Scheme != "smtp":
		return nil, errors.New("must begin with smtp:// or smtps://")
	case at.Query().Get("tls") == "off":
		s.tls, s.port = "off", 25
	case at.Query().Get("tls") != "":
		return nil, errors.New("tls can only be off")
	}
	for name := range at.Query() {
		if name != "tls" {
			return nil, errors.New("has an unknown parameter; there is only tls=off")
		}
	}
	if at.Port() != "" {
		if s.port, err = strconv.Atoi(at.Port()); err != nil || s.port < 1 || s.port > 65535 {
			return nil, errors.New("must have a port from 1 to 65535")
		}
	}
	if at.User != nil {
		s.user = at.User.Username()
		s.password, _ = at.User.Password()
		if s.tls == "off" {
			return nil, errors.New("would send a password without TLS")
		}
	}
	if from != "" {
		if s.from, err = netmail.ParseAddress(from); err != nil {
			return nil, errors.New("the sender must be an address such as Tollkeeper <billing@example.com>")
		}
	}
	return s, nil
}

// Sender reports whether the mail server has a sender of its own.
func (s *SMTP) Sender() bool { return s != nil && s.from != nil }

// connection is one to the mail server.
type connection struct {
	*gomail.Client
	envelope *netmail.Address
}

// dial connects to the mail server.
func (s *SMTP) dial(ctx context.Context) (*connection, error) {
	options := []gomail.Option{gomail.WithPort(s.port), gomail.WithTimeout(answersWithin)}
	switch s.tls {
	case "implicit":
		options = append(options, gomail.WithSSL())
	case "off":
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.user != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.user), gomail.WithPassword(s.password))
	}
	client, err := gomail.NewClient(s.host, options...)
	if err != nil {
		return nil, fmt.Errorf("set up the connection to the mail server: %w", err)
	}
	if err := client.DialWithContext(ctx); err != nil {
		return nil, fmt.Errorf("connect to the mail server %s: %w", net.JoinHostPort(s.host, strconv.Itoa(s.port)), err)
	}
	return &connection{client, s.from}, nil
}

// message makes the message of a mail. Its Message-ID is the same at each attempt.
func (c *connection) message(m mail.Mail) (*gomail.Msg, error) {
	from, err := netmail.ParseAddress(m.Sender)
	if err != nil {
		return nil, fmt.Errorf("the sender is no address: %w", err)
	}
	to, err := netmail.ParseAddress(m.Recipient)
	if err != nil {
		return nil, fmt.Errorf("the recipient is no address: %w", err)
	}
	message := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	message.FromMailAddress(from)
	message.ToMailAddress(to)
	if c.envelope != nil {
		message.EnvelopeFromMailAddress(c.envelope)
	}
	message.Subject(m.Subject)
	message.SetMessageIDWithValue(messageID(m.ID, from.Address))
	message.SetDateWithValue(m.RecordedAt)
	message.SetGenHeader("Auto-Submitted", "auto-generated")
	message.SetBodyString(gomail.TypeTextPlain, m.TextBody)
	message.AddAlternativeString(gomail.TypeTextHTML, m.HTMLBody)
	return message, nil
}

// messageID is that of a mail, at the domain of its sender.
func messageID(id, sender string) string {
	at := len(sender) - 1
	for at >= 0 && sender[at] != '@' {
		at--
	}
	return id + "@" + sender[at+1:]
}

// hand hands a mail over. Broken reports that the connection cannot be used again.
func (c *connection) hand(m mail.Mail) (o mail.Outcome, broken bool) {
	message, err := c.message(m)
	if err != nil {
		return mail.Outcome{Result: mail.Refused, Error: err.Error()}, false
	}
	err = c.Send(message)
	if err == nil || message.IsDelivered() {
		return mail.Outcome{Result: mail.Taken, Code: codeTaken}, err != nil
	}
	return outcomeOf(err)
}

// codeTaken is what SMTP says of a mail that was taken.
const codeTaken = 250

// outcomeOf says what is known after a failed attempt.
func outcomeOf(err error) (o mail.Outcome, broken bool) {
	o = mail.Outcome{Result: mail.Later, Error: err.Error()}
	var sent *gomail.SendError
	if !errors.As(err, &sent) {
		return o, true
	}
	o.Code = sent.ErrorCode()
	switch {
	case sent.Reason == gomail.ErrConnCheck:
		o.Result = mail.Released
	case sent.Reason == gomail.ErrSMTPDataClose && o.Code == 0:
		o.Result = mail.CutOff // the end of the message was sent, and no answer came
	case (sent.Reason == gomail.ErrSMTPRcptTo || sent.Reason == gomail.ErrSMTPData || sent.Reason == gomail.ErrSMTPDataClose) && o.Code >= 500:
		o.Result = mail.Refused
	}
	return o, o.Code == 0
}
