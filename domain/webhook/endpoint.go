package webhook

import (
	"fmt"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Endpoint is a place that messages go to.
type Endpoint struct {
	store.Record
	URL        string
	EventTypes *[]Type `gorm:"serializer:json"` // what it is told; nil: everything
	Enabled    bool    // otherwise nothing is sent, and what happens meanwhile is not kept for it
	Secret     string  // signs what is sent; shown when it is made
}

// TableName has no noun of its own.
func (Endpoint) TableName() string { return "webhook_endpoints" }

// Wants reports whether the endpoint is told of such things.
func (e Endpoint) Wants(t Type) bool {
	return e.EventTypes == nil || slices.Contains(*e.EventTypes, t)
}

// NewEndpoint is what a client asks for. Whether the URL may be called at all is the
// caller's to say, who knows the networks.
type NewEndpoint struct {
	URL        string
	EventTypes *[]Type // nil: everything
}

// CreateEndpoint makes an endpoint with a secret of its own.
func CreateEndpoint(tx *store.Tx, in NewEndpoint) (Endpoint, error) {
	if err := checkRoom(tx); err != nil {
		return Endpoint{}, err
	}
	e := Endpoint{Record: tx.Record("whe"), URL: in.URL, EventTypes: in.EventTypes, Enabled: true, Secret: newSecret()}
	if err := e.check(); err != nil {
		return Endpoint{}, err
	}
	if err := tx.Create(&e).Error; err != nil {
		return Endpoint{}, err
	}
	return e, e.startLooking(tx)
}

// mostEndpoints bounds the endpoints of an account, also those that are not enabled: each
// message is sent to every one.
const mostEndpoints = 1000

// checkRoom refuses another endpoint where the account has as many as it may. Requests that make
// endpoints wait for each other.
func checkRoom(tx *store.Tx) error {
	if _, err := account.InTurn(tx); err != nil {
		return err
	}
	var there int64
	if err := tx.Model(&Endpoint{}).Count(&there).Error; err != nil {
		return err
	}
	if there >= mostEndpoints {
		return fault.Refused("an account has at most %d webhook endpoints; remove one first", mostEndpoints)
	}
	return nil
}

// secretLength is that of the random part of a secret: 238 bits.
const secretLength = 40

func newSecret() string { return "whsec_" + store.Random(secretLength) }

func (e Endpoint) check() error {
	if e.EventTypes == nil {
		return nil
	}
	if len(*e.EventTypes) == 0 {
		return fault.Bad("event_types", "must name at least one type; null means all")
	}
	for i, t := range *e.EventTypes {
		if !slices.Contains(types, t) {
			return fault.Bad(fmt.Sprintf("event_types[%d]", i), "must be a type of event")
		}
		if slices.Contains((*e.EventTypes)[:i], t) {
			return fault.Bad(fmt.Sprintf("event_types[%d]", i), "is there already")
		}
	}
	return nil
}

// FindEndpoint returns the endpoint with that id, or fault.Missing.
func FindEndpoint(tx *store.Tx, id string) (Endpoint, error) { return findEndpoint(tx.DB, id) }

func findEndpoint(query *gorm.DB, id string) (e Endpoint, err error) {
	err = query.Where("id = ?", id).Take(&e).Error
	return e, store.Found(err, "Webhook endpoint", id)
}

func lockEndpoint(tx *store.Tx, id string) (Endpoint, error) {
	return findEndpoint(tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}), id)
}

// ListEndpoints returns a page of endpoints, newest first.
func ListEndpoints(tx *store.Tx, page store.Page) (endpoints []Endpoint, next string, err error) {
	return store.List[Endpoint](tx.Model(&Endpoint{}), page)
}

// UpdateEndpoint applies an edit to an endpoint. One that is enabled again is sent what
// was still to be sent when it was disabled.
func UpdateEndpoint(tx *store.Tx, id string, edit func(*Endpoint)) (Endpoint, error) {
	e, err := lockEndpoint(tx, id)
	if err != nil {
		return Endpoint{}, err
	}
	edit(&e)
	if err := e.check(); err != nil {
		return Endpoint{}, err
	}
	if err := e.save(tx, "url", "event_types", "enabled"); err != nil {
		return Endpoint{}, err
	}
	return e, e.startLooking(tx)
}

// RotateSecret gives an endpoint a new secret, which signs every attempt from now on,
// also of older messages (semantics 13.3).
func RotateSecret(tx *store.Tx, id string) (Endpoint, error) {
	e, err := lockEndpoint(tx, id)
	if err != nil {
		return Endpoint{}, err
	}
	e.Secret = newSecret()
	return e, e.save(tx, "secret")
}

func (e *Endpoint) save(tx *store.Tx, columns ...string) error {
	return tx.Model(e).Select(columns).Updates(e).Error
}

// RemoveEndpoint ends an endpoint and its part of the log.
func RemoveEndpoint(tx *store.Tx, id string) error {
	removed := tx.Where("id = ?", id).Delete(&Endpoint{})
	if removed.Error == nil && removed.RowsAffected == 0 {
		return fault.Missing("Webhook endpoint", id)
	}
	return removed.Error
}
