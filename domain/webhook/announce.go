package webhook

import (
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Announcement is word of something that a transaction did to a resource.
type Announcement struct {
	Type  Type
	ID    string // of the resource; "" where the type has none
	About any    // what the type tells beside the resource, see its constant; may be nil
}

// Announce tells endpoints that want to know what the transaction does. It costs
// nothing at the moment: the message is written when the transaction has done all else,
// shows the resource as it is by then, and is gone with the transaction. Announcements
// are sent in their order.
//
//	webhook.Announce(tx, webhook.CustomerEdited, after.ID, before)
//
// A new type takes a constant here and, where it tells more than the resource, a line in
// the server, which alone knows how things look outside.
func Announce(tx *store.Tx, t Type, id string, about any) {
	tx.Note(Announcement{Type: t, ID: id, About: about})
}

// Message is the stored text of an announcement. All attempts of all its deliveries send the same
// text.
type Message struct {
	store.Record
	Type       Type
	Body       string    // JSON
	RecordedAt time.Time `gorm:"->"` // real time
}

// TableName has no noun of its own.
func (Message) TableName() string { return "webhook_messages" }

// Queue writes announcements down for the endpoints that want them. write makes the
// body of a message that has none yet. With no such endpoint it does no more than look.
func Queue(tx *store.Tx, announced []Announcement, write func(*store.Tx, Message, Announcement) (string, error)) error {
	endpoints, err := listening(tx)
	if err != nil || len(endpoints) == 0 {
		return err
	}
	for _, a := range announced {
		wanting := slices.Clone(endpoints)
		wanting = slices.DeleteFunc(wanting, func(e Endpoint) bool { return !e.Wants(a.Type) })
		if len(wanting) == 0 {
			continue
		}
		message := Message{Record: tx.Record("wh"), Type: a.Type}
		message.Body, err = write(tx, message, a)
		if fault.Is(err, fault.KindMissing) {
			continue // made and taken back in one transaction
		}
		if err != nil {
			return fmt.Errorf("write %s of %q: %w", a.Type, a.ID, err)
		}
		if _, err := message.post(tx, wanting...); err != nil {
			return err
		}
	}
	return nil
}

// Wanted reports whether an endpoint subscribes to one of the types. Callers use it where finding
// such changes takes work.
func Wanted(tx *store.Tx, types ...Type) (bool, error) {
	endpoints, err := listening(tx)
	return slices.ContainsFunc(endpoints, func(e Endpoint) bool { return slices.ContainsFunc(types, e.Wants) }), err
}

// listening returns the enabled endpoints, oldest first. None is deleted before the transaction
// ends.
func listening(tx *store.Tx) (endpoints []Endpoint, err error) {
	err = tx.Clauses(clause.Locking{Strength: "KEY SHARE"}).Where("enabled").Order("seq").Find(&endpoints).Error
	return endpoints, err
}

// post stores the message with a delivery to each endpoint.
func (m Message) post(tx *store.Tx, to ...Endpoint) ([]Delivery, error) {
	if err := tx.Create(&m).Error; err != nil {
		return nil, fmt.Errorf("store a message: %w", err)
	}
	deliveries := make([]Delivery, len(to))
	for i, e := range to {
		deliveries[i] = Delivery{Record: tx.Record("whd"), EndpointID: e.ID, MessageID: m.ID, Type: m.Type, Status: StatusPending, Attempts: []Attempt{}}
	}
	if err := tx.Create(&deliveries).Error; err != nil {
		return nil, fmt.Errorf("store deliveries: %w", err)
	}
	return deliveries, nil
}
