package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tollkeeper/server/mails"
)

// smtp is the mail server that is set up; nil: none is.
func (e environment) smtp() (*mails.SMTP, error) {
	if e.SMTPURL == "" {
		if e.MailFrom != "" {
			return nil, errors.New("TOLLKEEPER_MAIL_FROM: needs TOLLKEEPER_SMTP_URL, the mail server")
		}
		return nil, nil //nolint:nilnil // none
	}
	if _, err := mails.ParseSMTP(e.SMTPURL, ""); err != nil {
		return nil, fmt.Errorf("TOLLKEEPER_SMTP_URL: %w", err)
	}
	smtp, err := mails.ParseSMTP(e.SMTPURL, e.MailFrom)
	if err != nil {
		return nil, fmt.Errorf("TOLLKEEPER_MAIL_FROM: %w", err)
	}
	return smtp, nil
}

// checkMail refuses to mail a link where no sender is set up, before anything is made.
func (e environment) checkMail(asked bool) error {
	smtp, err := e.smtp()
	if err == nil && asked && !smtp.Sender() {
		err = mails.ErrNoSender
	}
	return err
}

// mailLink mails a link that works once, in place of printing it.
func (e environment) mailLink(ctx context.Context, out io.Writer, to, subject, path, life string) error {
	smtp, err := e.smtp()
	if err != nil {
		return err
	}
	v := mails.View{
		Heading: subject, Paragraphs: []string{"Follow this link:"}, Link: &mails.Link{Text: "Open Tollkeeper", URL: e.link(path)},
		Footer: "The link works once, for " + life + ". If you did not expect it, ignore this mail.",
	}
	if err := smtp.SendLink(ctx, to, v, subject, time.Now()); err != nil {
		return fmt.Errorf("%w; run the command again for another link", err)
	}
	_, err = fmt.Fprintf(out, "a link is mailed to %s; it works once, for %s\n", to, life)
	return err
}
