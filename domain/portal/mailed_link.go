package portal

import (
	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/mail"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// MailsLinks reports whether a link to the portal can be mailed to a customer who asks for one (semantics 20.1.8).
func MailsLinks(tx *store.Tx, c customer.Customer) (bool, error) {
	settings, err := account.Of(tx)
	return err == nil && CheckMailedLink(tx, settings, c) == nil, err
}

// CheckMailedLink refuses a link that cannot be mailed, and says why.
func CheckMailedLink(tx *store.Tx, settings account.Account, c customer.Customer) error {
	switch {
	case !mail.Sends(settings):
		return fault.Refused("the account sends no mail; an operator can name its sender: tollkeeper account set %s mail_from", tx.AccountID)
	case !tx.Mailed:
		return fault.Refused("the server has no address that customers reach; an operator can set TOLLKEEPER_PUBLIC_URL")
	case c.Email == "":
		return fault.Refused("the customer has no email")
	}
	return nil
}

// MayAsk reports whether a customer who asks gets another link: not while the one before is recent (semantics
// 18.1.11). It locks the customer, so that of two requests at once one is the first.
func MayAsk(tx *store.Tx, c customer.Customer) (bool, error) {
	if _, err := customer.Lock(tx, c.ID); err != nil {
		return false, err
	}
	recent, err := mail.Recent(tx, mail.PortalLink, c.ID)
	return !recent, err
}
