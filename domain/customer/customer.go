package customer

import (
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// Customer is a buyer.
type Customer struct {
	store.Record
	ExternalCustomerID *string // alias; unique among customers that are not deleted
	ParentID           *string // the customer that it is a child of; one with a parent has no children
	Name               string
	Email              string
	AdditionalEmails   []string        `gorm:"serializer:json"`
	Timezone           string          // IANA name
	Currency           *money.Currency // a real one; nil: that of the first subscription
	BillingAddress     *Address        `gorm:"serializer:json"`
	ShippingAddress    *Address        `gorm:"serializer:json"`
	TaxID              *TaxID          `gorm:"serializer:json"`
	AccountingSync     *AccountingSync `gorm:"serializer:json"`
	Reporting          *Reporting      `gorm:"serializer:json"`
	Payments           *Payments       `gorm:"serializer:json"`
	Tax                *Tax            `gorm:"serializer:json"`
	PaymentProvider    *string
	PaymentProviderID  *string
	AutoCollection     bool
	AutoIssuance       *bool // nil: as the account
	EmailDelivery      bool
	Language           *letterhead.Language // of their documents; nil: that of the letterhead
	Balance            money.Decimal        // in Currency; above 0 it lowers what is due, below 0 it is owed
	InvoicePrefix      string               // six letters A to Z, unique in the account
	LastInvoiceNumber  int64                // 0: none was issued under the prefix
	LinksWithdrawn     int                  // how often the links to the portal were withdrawn: part of the code of the next one
	DeletedAt          *time.Time
	Metadata           store.Metadata
}

// Address is where a customer is. Nothing in it is checked.
type Address struct {
	City       *string `json:"city,omitempty"`
	Country    *string `json:"country,omitempty"`
	Line1      *string `json:"line1,omitempty"`
	Line2      *string `json:"line2,omitempty"`
	PostalCode *string `json:"postal_code,omitempty"`
	State      *string `json:"state,omitempty"`
}

// TaxID is a tax number. The number itself is not checked (gaps B28).
type TaxID struct {
	Country string `json:"country"` // ISO 3166-1 alpha-2, or EU
	Type    string `json:"type"`    // such as eu_vat
	Value   string `json:"value"`
}

// Location is the zone in which the customer's days begin.
func (c Customer) Location() *time.Location {
	loc, err := period.LoadZone(c.Timezone)
	if err != nil {
		panic(fmt.Sprintf("customer: %s was accepted with a zone that is none: %v", c.ID, err))
	}
	return loc
}

// Find returns the customer with that id, or fault.Missing.
func Find(tx *store.Tx, id string) (c Customer, err error) {
	err = tx.Where("id = ? AND deleted_at IS NULL", id).Take(&c).Error
	return c, store.Found(err, "Customer", id)
}

// FindByExternalID returns the customer with that alias, or fault.Missing.
func FindByExternalID(tx *store.Tx, alias string) (c Customer, err error) {
	err = tx.Where("external_customer_id = ? AND deleted_at IS NULL", alias).Take(&c).Error
	return c, store.Found(err, "Customer", alias)
}

// FindAll returns the customers with those ids, by id, the deleted ones too:
// what they bought still names them. It asks once.
func FindAll(tx *store.Tx, ids []string) (map[string]Customer, error) {
	var rows []Customer
	if len(ids) > 0 {
		if err := tx.Where("id IN ?", ids).Find(&rows).Error; err != nil {
			return nil, err
		}
	}
	byID := make(map[string]Customer, len(rows))
	for _, c := range rows {
		byID[c.ID] = c
	}
	return byID, nil
}

// Named are the customers with those ids or aliases, by creation.
func Named(tx *store.Tx, ids, aliases []string) (customers []Customer, err error) {
	err = tx.Where("(id IN ? OR external_customer_id IN ?) AND deleted_at IS NULL", ids, aliases).Order("seq").Find(&customers).Error
	return customers, err
}

// Existing tells which of the ids name a customer. It asks once.
func Existing(tx *store.Tx, ids []string) (map[string]bool, error) {
	existing := map[string]bool{}
	if len(ids) == 0 {
		return existing, nil
	}
	var found []string
	err := tx.Model(&Customer{}).Where("id IN ? AND deleted_at IS NULL", ids).Pluck("id", &found).Error
	for _, id := range found {
		existing[id] = true
	}
	return existing, err
}

// ExistingAliases tells which of the aliases a customer bears. It asks once.
func ExistingAliases(tx *store.Tx, aliases []string) (map[string]bool, error) {
	var found []string
	err := tx.Model(&Customer{}).Where("external_customer_id IN ? AND deleted_at IS NULL", aliases).Pluck("external_customer_id", &found).Error
	known := make(map[string]bool, len(found))
	for _, alias := range found {
		known[alias] = true
	}
	return known, err
}

// IDsByExternal is a sub-query for the ids of the customers with those aliases.
func IDsByExternal(tx *store.Tx, aliases []string) *gorm.DB {
	return tx.Model(&Customer{}).Select("id").Where("external_customer_id IN ? AND deleted_at IS NULL", aliases)
}

// linesOfCustomer counts a line for the customer, and one for each ten children, which it is shown with.
const linesOfCustomer = `(SELECT 1 + count(*) / 10 FROM customers AS child
	WHERE child.account_id = customers.account_id AND child.parent_id = customers.id AND child.deleted_at IS NULL)`

// List returns a page of customers, newest first.
func List(tx *store.Tx, created store.Range, page store.Page) (customers []Customer, next string, err error) {
	query := created.On(tx.Model(&Customer{}).Where("deleted_at IS NULL"), "created_at")
	return store.List[Customer](store.Long(query, linesOfCustomer), page)
}

// Lock is Find, and keeps the customer from changing until the transaction ends.
func Lock(tx *store.Tx, id string) (c Customer, err error) {
	err = tx.Clauses(clause.Locking{Strength: "UPDATE"}).
		Where("id = ? AND deleted_at IS NULL", id).Take(&c).Error
	return c, store.Found(err, "Customer", id)
}

// Any reports whether the account has a customer.
func Any(tx *store.Tx) (found bool, err error) {
	err = tx.Raw("SELECT EXISTS (SELECT FROM customers WHERE account_id = ? AND deleted_at IS NULL)", tx.AccountID).
		Scan(&found).Error
	return found, err
}
