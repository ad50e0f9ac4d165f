package mails

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"tollkeeper/domain/mail"
	"tollkeeper/server/background"
	"tollkeeper/store"
)

const (
	pollEvery    = time.Second // the database, for mails that are due
	forgetEvery  = 10 * time.Minute
	shortestRest = 5 * time.Second // after the mail server did not answer, doubled each time
	longestRest  = 5 * time.Minute
)

// Sender sends the mails that are due. It connects to the mail server before it takes a mail, so while that
// does not answer, mails only wait (semantics 18.2.1). Several servers may run a sender at once.
type Sender struct {
	Config
	rest  time.Duration
	until time.Time // the mail server is not asked before
}

// Config is what a sender needs from outside.
type Config struct {
	Store  *store.Store
	Log    *slog.Logger
	Runner *background.Runner
	SMTP   *SMTP            // nil: nothing is sent
	Now    func() time.Time // real time; time.Now when nil
}

// NewSender makes a sender. It does nothing until Run is called.
func NewSender(cfg Config) *Sender {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Sender{Config: cfg}
}

// Run sends until ctx ends. Mails are forgotten also where there is no mail server.
func (s *Sender) Run(ctx context.Context) {
	ctx = store.For(ctx, store.Background)
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	var forgotten time.Time
	for {
		if s.SMTP != nil {
			s.Runner.Run(ctx, background.Unit{Work: "send mails"}, func() error { return s.Pass(ctx) })
		}
		if now := s.Now(); now.Sub(forgotten) > forgetEvery {
			forgotten = now
			s.Runner.Run(ctx, background.Unit{Work: "forget old mails"}, func() error { return s.forget(ctx, now) })
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (s *Sender) forget(ctx context.Context, now time.Time) (err error) {
	for more := true; more && err == nil && ctx.Err() == nil; {
		more, err = mail.Forget(ctx, s.Store, now)
	}
	return err
}

// Pass sends what is due now, a mail of each account in turn.
func (s *Sender) Pass(ctx context.Context) (err error) {
	now := s.Now()
	if now.Before(s.until) {
		return nil
	}
	accounts, err := mail.AllDue(ctx, s.Store, now)
	if err != nil || len(accounts) == 0 {
		return err
	}
	server, err := s.SMTP.dial(ctx)
	if err != nil {
		s.rest = min(max(2*s.rest, shortestRest), longestRest)
		s.until = now.Add(s.rest)
		s.Log.WarnContext(ctx, "mails wait: the mail server cannot be used", "error", err, "again_in", s.rest.String())
		return nil
	}
	s.rest = 0
	defer func() {
		if server != nil {
			_ = server.Close()
		}
	}()
	for len(accounts) > 0 && ctx.Err() == nil {
		var more []string
		for _, account := range accounts {
			if server == nil {
				return nil // the next pass connects again
			}
			found, broken, err := s.one(store.WithAccount(ctx, account), server)
			if broken {
				_ = server.Close()
				server = nil
			}
			if err != nil {
				return err
			}
			if found && ctx.Err() == nil {
				more = append(more, account)
			}
		}
		accounts = more
	}
	return nil
}

// one sends the mail of an account that has been due longest, and records what came of it, also while the server is ending.
func (s *Sender) one(ctx context.Context, server *connection) (found, broken bool, err error) {
	ctx = context.WithoutCancel(ctx)
	var m mail.Mail
	var cannot *mail.Outcome
	err = s.Store.Update(ctx, func(tx *store.Tx) (err error) {
		cannot = nil
		m, found, err = mail.Claim(tx, s.Now())
		if err == nil && found && m.Kind == mail.PortalLink {
			cannot, err = openPortal(tx, &m)
		}
		return err
	})
	if err != nil || !found {
		return false, false, err
	}
	var outcome mail.Outcome
	if cannot != nil {
		outcome = *cannot
	} else {
		outcome, broken = server.hand(m)
	}
	outcome.At = s.Now().Truncate(time.Microsecond)
	if outcome.Result == mail.Refused || outcome.Result == mail.CutOff {
		s.Log.WarnContext(ctx, "a mail was not sent", "mail", m.ID, "account", m.AccountID, "code", outcome.Code, "uncertain", outcome.Result == mail.CutOff)
	}
	err = s.Store.Update(ctx, func(tx *store.Tx) error { return mail.Record(tx, m, outcome) })
	if err != nil {
		return true, broken, fmt.Errorf("record an attempt at %s: %w", m.ID, err)
	}
	return true, broken, nil
}

// ErrNoSender says that the server has no address to send mails of its own from.
var ErrNoSender = errors.New("no mail server is set up for mails to people: set TOLLKEEPER_SMTP_URL and TOLLKEEPER_MAIL_FROM")

// SendLink sends a link that signs a person in, at once. It is not stored: after a failure, the person asks again.
func (s *SMTP) SendLink(ctx context.Context, to string, v View, subject string, now time.Time) error {
	if !s.Sender() {
		return ErrNoSender
	}
	v.Sender = s.from.Name
	if v.Sender == "" {
		v.Sender = s.from.Address
	}
	text, html, err := v.Render(subject)
	if err != nil {
		return err
	}
	server, err := s.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	m := mail.Mail{Record: store.Record{ID: store.NewID("mail")}, Sender: s.from.String(), Recipient: to, Subject: subject, TextBody: text, HTMLBody: html, RecordedAt: now}
	if o, _ := server.hand(m); o.Result != mail.Taken {
		return fmt.Errorf("send the mail: %s", o.Error)
	}
	return nil
}
