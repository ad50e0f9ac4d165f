package mails

import (
	"strconv"
	"strings"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/mail"
	"tollkeeper/domain/portal"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// sessionAddress stands in a queued mail where the address of the session will be. The session is made as the mail is
// sent: it lasts from then on, and no row and no preview has a link that opens it.
const sessionAddress = "https://the-link-is-made-as-the-mail-is-sent.invalid/"

// QueuePortalLink queues a mail that leads a customer to the portal, to the customer's first address, also where
// email_delivery is false: a person asks for this mail.
func QueuePortalLink(tx *store.Tx, buyer customer.Customer) error {
	settings, err := account.Of(tx)
	if err != nil {
		return err
	}
	if err := portal.CheckMailedLink(tx, settings, buyer); err != nil {
		return err
	}
	w := writer{tx, settings}
	words, err := w.language(mail.PortalLink, buyer)
	if err != nil {
		return err
	}
	return w.queue(mail.Letter{Kind: mail.PortalLink, CustomerID: &buyer.ID, Occasion: store.NewID("portal_link")}, words,
		View{Link: &Link{Text: words.OpenPortal, URL: sessionAddress}},
		map[string]string{"customer_name": buyer.Name, "minutes": strconv.Itoa(portal.MailedMinutes)}, buyer.Email)
}

// openPortal opens a session for a mail that is about to be sent, and puts its address into the mail. Cannot says
// why there is none.
func openPortal(tx *store.Tx, m *mail.Mail) (cannot *mail.Outcome, err error) {
	if !tx.Mailed {
		return &mail.Outcome{Result: mail.Later, Error: "the server has no address that customers reach: TOLLKEEPER_PUBLIC_URL is not set"}, nil
	}
	buyer, err := customer.Find(tx, *m.CustomerID)
	if fault.Is(err, fault.KindMissing) {
		return &mail.Outcome{Result: mail.Refused, Error: "the customer was deleted"}, nil
	}
	if err != nil {
		return nil, err
	}
	session, err := portal.Create(tx, buyer, portal.MailedMinutes, false)
	if err != nil {
		return nil, err
	}
	m.TextBody = strings.ReplaceAll(m.TextBody, sessionAddress, session.URL)
	m.HTMLBody = strings.ReplaceAll(m.HTMLBody, sessionAddress, session.URL)
	return nil, nil
}

// AskPortalLink is QueuePortalLink for a customer who asks at the page of a session that has ended. It queues nothing
// a short time after the one before.
func AskPortalLink(tx *store.Tx, buyer customer.Customer) error {
	may, err := portal.MayAsk(tx, buyer)
	if err != nil || !may {
		return err
	}
	return QueuePortalLink(tx, buyer)
}
