package customer

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"unicode/utf8"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewCustomer is what a client asks for.
type NewCustomer struct {
	ExternalCustomerID *string
	Name               string
	Email              string
	AdditionalEmails   []string
	Timezone           *string // nil: the account's
	Currency           *money.Currency
	BillingAddress     *Address
	ShippingAddress    *Address
	TaxID              *TaxID
	AccountingSync     *AccountingSync
	Reporting          *Reporting
	Payments           *Payments
	Tax                *Tax
	PaymentProvider    *string
	PaymentProviderID  *string
	AutoCollection     *bool // nil: whether there is a payment provider
	AutoIssuance       *bool
	EmailDelivery      *bool // nil: true
	Language           *letterhead.Language
	Hierarchy          Hierarchy
	Metadata           map[string]*string
}

// Create makes a customer. An alias that another customer bears is fault.Taken.
func Create(tx *store.Tx, in NewCustomer) (Customer, error) {
	zone, err := in.timezone(tx)
	if err != nil {
		return Customer{}, err
	}
	metadata, err := store.Metadata(nil).Merge(in.Metadata)
	if err != nil {
		return Customer{}, err
	}
	c := Customer{
		Record:             tx.Record("cus"),
		ExternalCustomerID: in.ExternalCustomerID,
		Name:               in.Name,
		Email:              in.Email,
		AdditionalEmails:   append([]string{}, in.AdditionalEmails...),
		Timezone:           zone,
		Currency:           in.Currency,
		BillingAddress:     in.BillingAddress,
		ShippingAddress:    in.ShippingAddress,
		TaxID:              in.TaxID,
		AccountingSync:     in.AccountingSync,
		Reporting:          in.Reporting,
		Payments:           in.Payments,
		Tax:                in.Tax,
		PaymentProvider:    in.PaymentProvider,
		PaymentProviderID:  in.PaymentProviderID,
		AutoCollection:     or(in.AutoCollection, in.PaymentProvider != nil),
		AutoIssuance:       in.AutoIssuance,
		EmailDelivery:      or(in.EmailDelivery, true),
		Language:           in.Language,
		Metadata:           metadata,
	}
	if err := fault.Join(c.check(), c.checkLines(Customer{})); err != nil {
		return Customer{}, err
	}
	if err := refuseTaken(tx, c); err != nil {
		return Customer{}, err
	}
	c, err = insert(tx, c)
	if err == nil && (in.Hierarchy.ParentID != nil || len(in.Hierarchy.ChildIDs) > 0) {
		c, _, err = Place(tx, c.ID, in.Hierarchy)
	}
	return c, err
}

// insert gives the customer a prefix that no other has.
func insert(tx *store.Tx, c Customer) (Customer, error) {
	for {
		c.InvoicePrefix = prefix()
		result := tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "account_id"}, {Name: "invoice_prefix"}},
			DoNothing: true,
		}).Create(&c)
		switch {
		case store.Unique(result.Error, aliasIndex):
			return Customer{}, errTaken
		case result.Error != nil:
			return Customer{}, result.Error
		case result.RowsAffected == 1:
			webhook.Announce(tx, webhook.CustomerCreated, c.ID, nil)
			return c, nil
		}
	}
}

const aliasIndex = "customers_alias"

var errTaken = fault.Taken("customer", "external_customer_id")

// refuseTaken reports an alias that is in use. The index has the last word; this
// comes first so that the transaction is still good when it says so.
func refuseTaken(tx *store.Tx, c Customer) error {
	if c.ExternalCustomerID == nil {
		return nil
	}
	other, err := FindByExternalID(tx, *c.ExternalCustomerID)
	switch {
	case fault.Is(err, fault.KindMissing) || err == nil && other.ID == c.ID:
		return nil
	case err != nil:
		return err
	}
	return errTaken
}

// prefix returns six random letters.
func prefix() string {
	letters := make([]byte, 6)
	for i := range letters {
		var roll [1]byte
		for roll[0] = 255; roll[0] >= 26*9; { // so that all letters are equally likely
			if _, err := rand.Read(roll[:]); err != nil {
				panic(fmt.Sprintf("customer: the system has no randomness: %v", err))
			}
		}
		letters[i] = 'A' + roll[0]%26
	}
	return string(letters)
}

func (in NewCustomer) timezone(tx *store.Tx) (string, error) {
	if in.Timezone == nil {
		settings, err := account.Of(tx)
		return settings.Timezone, err
	}
	if _, err := period.LoadZone(*in.Timezone); err != nil {
		return "", fault.Bad("timezone", "%v", err)
	}
	return *in.Timezone, nil
}

func or(given *bool, otherwise bool) bool {
	if given != nil {
		return *given
	}
	return otherwise
}

// Bounds of what a client may say of a customer (operations, CustomerCreateParams).
const (
	longestName  = 500 // characters; of an e-mail address as well
	mostEmails   = 50  // addresses, all together
	emailPattern = `^[^@\s]+@[^@\s]+$`
)

var email = regexp.MustCompile(emailPattern)

// check refuses what is wrong with a customer whatever the stored state.
func (c Customer) check() error {
	var faults []error
	if n := utf8.RuneCountInString(c.Name); n < 1 || n > longestName {
		faults = append(faults, fault.Bad("name", "must have 1 to %d characters", longestName))
	}
	faults = append(faults, checkEmail("email", c.Email))
	for i, address := range c.AdditionalEmails {
		faults = append(faults, checkEmail(fmt.Sprintf("additional_emails[%d]", i), address))
	}
	if 1+len(c.AdditionalEmails) > mostEmails {
		faults = append(faults, fault.Bad("additional_emails", "must have at most %d addresses", mostEmails-1))
	}
	if c.Currency != nil && !c.Currency.Valid() {
		faults = append(faults, fault.Bad("currency", "must be an ISO 4217 code"))
	}
	faults = append(faults, c.Tax.check())
	return fault.Join(faults...)
}

func checkEmail(field, address string) error {
	if !email.MatchString(address) || utf8.RuneCountInString(address) > longestName {
		return fault.Bad(field, "must be an e-mail address of at most %d characters", longestName)
	}
	return nil
}
