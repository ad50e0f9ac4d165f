package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// ActorType says who acts.
type ActorType string

// Actors.
const (
	APIKey  ActorType = "api_key"
	Command ActorType = "command" // at the command line
	Person  ActorType = "person"  // in the console

	PortalSession ActorType = "portal_session" // a customer, in their portal
)

// Actor is who made a change.
type Actor struct {
	Type ActorType
	ID   string // of the key, the person or the session; the name of the system's user for a command
	Name string // of a session: of its customer, as it was then
}

// Entry is a request or command that changed something.
type Entry struct {
	store.Record           // created at real time
	AccountTime  time.Time // by the account's clock
	Actor        Actor     `gorm:"embedded;embeddedPrefix:actor_"`
	Action       string    // the operation of the contract, or the command
	RequestID    *string   // nil for a command

	Changes []Change `gorm:"-"` // in the order they were made
}

// TableName is what the table of entries is called.
func (Entry) TableName() string { return "audit_entries" }

// Change is a row that was added, changed or deleted.
type Change struct {
	AccountID string `gorm:"primaryKey"`
	EntryID   string `gorm:"primaryKey"`
	Seq       int64  `gorm:"primaryKey"`
	Resource  string // the table
	RowID     *string
	Before    *json.RawMessage `gorm:"type:jsonb"` // the columns that changed; nil: the row was added
	After     *json.RawMessage `gorm:"type:jsonb"` // likewise; nil: the row was deleted
}

// TableName is what the table of changes is called.
func (Change) TableName() string { return "audit_changes" }

type entryKey struct{}

// Begin returns a context in which transactions belong to a new entry.
func Begin(ctx context.Context, actor Actor, action string, requestID *string) context.Context {
	e := Entry{Record: store.Record{ID: store.NewID("aud")}, Actor: actor, Action: action, RequestID: requestID}
	return store.WithAudit(context.WithValue(ctx, entryKey{}, e), e.ID)
}

// Write adds the entry of a transaction's context, if it has one. It is called before the
// transaction commits. Several transactions of one context share the entry.
func Write(tx *store.Tx) error {
	if tx.AuditID == "" {
		return nil
	}
	return write(tx.DB, tx.AccountID, tx.Now)
}

// WriteShared is [Write] for a transaction of no account that changes one.
func WriteShared(db *gorm.DB, accountID string) error {
	if store.AuditID(db.Statement.Context) == "" {
		return nil
	}
	var now time.Time
	// The transaction becomes that of the account first, or the server's role would not see it.
	err := db.Raw("SELECT begin_account(?)", accountID).Row().Scan(&now)
	if err != nil {
		return fmt.Errorf("read the clock for the audit log: %w", err)
	}
	return write(db, accountID, now.UTC())
}

func write(db *gorm.DB, accountID string, now time.Time) error {
	e, ok := db.Statement.Context.Value(entryKey{}).(Entry)
	if !ok {
		return nil
	}
	err := db.Exec(`INSERT INTO audit_entries (account_id, id, account_time, actor_type, actor_id, actor_name, action, request_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		accountID, e.ID, now, e.Actor.Type, e.Actor.ID, e.Actor.Name, e.Action, e.RequestID).Error
	if err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	return nil
}
