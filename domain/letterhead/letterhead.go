package letterhead

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"gorm.io/gorm"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Letterhead is one version of it.
type Letterhead struct {
	store.Record
	Content  Content `gorm:"serializer:json"`
	Logo     []byte  // empty: none
	LogoType string  // image/png or image/jpeg; "" without one

	LogoDrawn []byte // as documents draw it, a PNG; empty: they draw the file itself
}

// Content is what it says. Empty texts are left out of documents.
type Content struct {
	Name         string        `json:"name,omitempty"` // legal name; "": the name of the account
	Address      Address       `json:"address"`
	TaxNumbers   []TaxNumber   `json:"tax_numbers,omitempty"`
	Email        string        `json:"email,omitempty"`
	Phone        string        `json:"phone,omitempty"`
	Website      string        `json:"website,omitempty"`
	Bank         Bank          `json:"bank"`
	Instructions string        `json:"instructions,omitempty"` // how to pay
	Footer       string        `json:"footer,omitempty"`
	Color        string        `json:"color,omitempty"` // #RRGGBB
	Language     Language      `json:"language,omitempty"`
	CustomFields []CustomField `json:"custom_fields,omitempty"`
	LinkDays     int           `json:"link_days,omitempty"` // how long links to documents work after the issue; 0: DefaultLinkDays
}

// DefaultLinkDays is how long a link works after the issue of its document (semantics 8.1.17).
const DefaultLinkDays = 60

// Address is where the seller is.
type Address struct {
	Line1      string `json:"line1,omitempty"`
	Line2      string `json:"line2,omitempty"`
	PostalCode string `json:"postal_code,omitempty"`
	City       string `json:"city,omitempty"`
	State      string `json:"state,omitempty"`
	Country    string `json:"country,omitempty"` // ISO 3166-1 alpha-2
}

// NumberKind is the register that a number of the seller is from.
type NumberKind string

// The kinds of numbers.
const (
	NumberVAT      NumberKind = "vat"      // with its country: DE123456789
	NumberTax      NumberKind = "tax"      // of a tax office
	NumberRegister NumberKind = "register" // of a register of companies
)

// TaxNumber is a number of the seller.
type TaxNumber struct {
	Kind  NumberKind `json:"kind"`
	Value string     `json:"value"`
}

// Number returns the first number of a kind, "" when there is none.
func (c Content) Number(kind NumberKind) string {
	at := slices.IndexFunc(c.TaxNumbers, func(n TaxNumber) bool { return n.Kind == kind })
	if at < 0 {
		return ""
	}
	return c.TaxNumbers[at].Value
}

// Bank is the account that customers pay to.
type Bank struct {
	Holder        string `json:"holder,omitempty"`
	Name          string `json:"name,omitempty"`
	IBAN          string `json:"iban,omitempty"`
	BIC           string `json:"bic,omitempty"`
	AccountNumber string `json:"account_number,omitempty"`
	RoutingNumber string `json:"routing_number,omitempty"`
}

// CustomField is an entry of metadata that documents show (semantics 19.5.3).
type CustomField struct {
	Key   string `json:"key"` // in the metadata of the invoice, else of its subscription, else of the customer
	Label string `json:"label"`
}

// Language is that of the fixed words of a document.
type Language string

// The languages that documents are made in.
const (
	English    Language = "en"
	German     Language = "de"
	French     Language = "fr"
	Spanish    Language = "es"
	Portuguese Language = "pt"
	Japanese   Language = "ja"
)

// Languages lists all of them.
var Languages = []Language{English, German, French, Spanish, Portuguese, Japanese}

// Current returns the newest letterhead of the account. Without one, the empty letterhead has no id.
func Current(tx *store.Tx) (Letterhead, error) { return newest(tx.DB) }

// CurrentText is Current without the files of the logo, for what does not draw it.
func CurrentText(tx *store.Tx) (Letterhead, error) { return newest(tx.Omit(logoFiles...)) }

// logoFiles are the columns of the files of a logo.
var logoFiles = []string{"logo", "logo_drawn"}

func newest(query *gorm.DB) (l Letterhead, err error) {
	var rows []Letterhead
	err = query.Order("seq DESC").Limit(1).Find(&rows).Error
	if len(rows) > 0 {
		l = rows[0]
	}
	return l, err
}

// FindAll returns letterheads by id, without the files of their logos.
func FindAll(tx *store.Tx, ids []string) (map[string]Letterhead, error) {
	byID := map[string]Letterhead{}
	if len(ids) == 0 {
		return byID, nil
	}
	var rows []Letterhead
	err := tx.Omit(logoFiles...).Where("id IN ?", ids).Find(&rows).Error
	for _, l := range rows {
		byID[l.ID] = l
	}
	return byID, err
}

// WithLogo returns a letterhead with the files of its logo, if it has one.
func WithLogo(tx *store.Tx, l Letterhead) (Letterhead, error) {
	if l.LogoType == "" {
		return l, nil
	}
	var files Letterhead
	err := tx.Select(logoFiles).Where("id = ?", l.ID).Take(&files).Error
	l.Logo, l.LogoDrawn = files.Logo, files.LogoDrawn
	return l, err
}

// Read checks a letterhead with the file of its logo, which may be empty, and returns it unsaved. That takes
// time, so it belongs before the transaction that saves it.
func Read(ctx context.Context, content Content, logo []byte) (Letterhead, error) {
	kind, form, err := readLogo(ctx, logo)
	if err := fault.Join(content.check(), err); err != nil {
		return Letterhead{}, err
	}
	return Letterhead{Content: content, Logo: append([]byte{}, logo...), LogoType: kind, LogoDrawn: append([]byte{}, form...)}, nil
}

// Update makes a letterhead that was read the current one. Documents that are issued keep theirs
// (semantics 19.5.1).
func Update(tx *store.Tx, l Letterhead) (Letterhead, error) {
	l.Record = tx.Record("head")
	return l, tx.Create(&l).Error
}

var (
	color   = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)
	country = regexp.MustCompile(`^[A-Z]{2}$`)
)

// IsCountry reports whether a text has the form of a country's code by ISO 3166-1: two capital letters.
func IsCountry(code string) bool { return country.MatchString(code) }

func (c Content) check() error {
	var faults []error
	if c.Color != "" && !color.MatchString(c.Color) {
		faults = append(faults, fault.Bad("color", "must be #RRGGBB"))
	}
	if c.Address.Country != "" && !IsCountry(c.Address.Country) {
		faults = append(faults, fault.Bad("address.country", "must be two capital letters of ISO 3166-1"))
	}
	if c.Language != "" && !slices.Contains(Languages, c.Language) {
		faults = append(faults, fault.Bad("language", "must be one of %v", Languages))
	}
	seen := map[string]bool{}
	for k, f := range c.CustomFields {
		if seen[f.Key] {
			faults = append(faults, fault.Bad(fmt.Sprintf("custom_fields[%d].key", k), "must be another key of metadata than those before"))
		}
		seen[f.Key] = true
	}
	return fault.Join(faults...)
}
