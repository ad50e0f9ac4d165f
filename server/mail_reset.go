package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tollkeeper/domain/user"
	"tollkeeper/server/background"
	"tollkeeper/server/mails"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// mostResets is how many links for a new password are mailed at once. More are not mailed: who asked asks again.
const mostResets = 4

// resets mails links for a new password. They begin with origin: an address that the request names could be
// anybody's.
type resets struct {
	origin string
	smtp   *mails.SMTP
	store  *store.Store
	runner *background.Runner
	log    *slog.Logger
	places chan struct{}
}

// resetWithin is how long the mail server has for a link.
const resetWithin = time.Minute

// can reports whether links for a new password can be mailed.
func (r *resets) can() bool { return r.smtp.Sender() && r.origin != "" }

// mail mails a link to the person with an address, if there is one, beside the request. The link is kept nowhere
// else, so what fails is not tried again.
func (r *resets) mail(email string, from user.Request) {
	select {
	case r.places <- struct{}{}:
	default:
		r.log.Warn("a link for a new password is not mailed: too many are on their way")
		return
	}
	go func() {
		defer func() { <-r.places }()
		ctx, done := context.WithTimeout(store.For(context.Background(), store.Background), resetWithin)
		defer done()
		r.runner.Run(ctx, background.Unit{Work: "mail a link for a new password"}, func() error {
			person, token, err := user.StartForgotten(ctx, r.store, email, from)
			if fault.Is(err, fault.KindMissing) || errors.Is(err, user.ErrMailedEnough) {
				return nil
			}
			if err != nil {
				return err
			}
			const subject = "Choose a new password for Tollkeeper"
			return r.smtp.SendLink(ctx, person.Email, mails.View{
				Heading: subject, Paragraphs: []string{"Follow this link:"},
				Link:   &mails.Link{Text: "Choose a new password", URL: r.origin + "/console/reset/" + token},
				Footer: "The link works once, for an hour; links that came before work until one of them is used. If you did not ask for it, ignore this mail: your password stays.",
			}, subject, time.Now()) //nolint:forbidigo // real time
		})
	}()
}
