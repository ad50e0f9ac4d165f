package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"tollkeeper/domain/audit"
	"tollkeeper/gen"
)

// AuditNames says which names a reader of the audit log sees elsewhere, and so in it (semantics 14.1.8).
type AuditNames struct {
	Keys        bool // of API keys
	Invitations bool // the addresses of people who were invited
}

// hidden stands in place of what a reader does not see, as in place of secrets.
const hidden = "hidden"

// columns are those of a record that the reader does not see.
func (n AuditNames) columns(resource string) []string {
	switch {
	case resource == "api_keys" && !n.Keys:
		return []string{"name"}
	case resource == "invitations" && !n.Invitations:
		return []string{"email", "email_key"}
	}
	return nil
}

// AuditLogEntry returns an entry of the audit log with its changes. Instants have fractions
// of a second, since several changes may be made in one.
func AuditLogEntry(e audit.Entry, names AuditNames) (gen.AuditLogEntry, error) {
	shown := gen.AuditLogEntry{
		ID: e.ID, CreatedAt: e.CreatedAt.UTC().Format(time.RFC3339Nano), AccountTime: e.AccountTime.UTC().Format(time.RFC3339Nano),
		Actor:  gen.AuditLogActor{Type: actorType(e.Actor.Type), ID: e.Actor.ID, Name: e.Actor.Name},
		Action: e.Action, RequestID: e.RequestID, Changes: make([]gen.AuditLogChange, len(e.Changes)),
	}
	if e.Actor.Type == audit.APIKey && !names.Keys {
		shown.Actor.Name = e.Actor.ID
	}
	for i, c := range e.Changes {
		unseen := names.columns(c.Resource)
		before, err := auditedMembers[gen.AuditLogBefore](c.Before, unseen)
		if err != nil {
			return shown, err
		}
		after, err := auditedMembers[gen.AuditLogAfter](c.After, unseen)
		if err != nil {
			return shown, err
		}
		shown.Changes[i] = gen.AuditLogChange{Resource: c.Resource, ID: c.RowID, Before: before, After: after}
	}
	return shown, nil
}

// actorType is how an actor is told. A customer in the portal is a person: clients know no more kinds. The id says which
// (semantics 8.6.5).
func actorType(of audit.ActorType) gen.AuditLogActorType {
	if of == audit.PortalSession {
		of = audit.Person
	}
	return gen.AuditLogActorType(of)
}

// auditedMembers reads the columns of a row, and hides those that are not seen. Numbers keep all their digits.
func auditedMembers[M ~map[string]any](row *json.RawMessage, unseen []string) (*M, error) {
	if row == nil {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(*row))
	decoder.UseNumber()
	var members M
	if err := decoder.Decode(&members); err != nil {
		return nil, fmt.Errorf("read a change of the audit log: %w", err)
	}
	for _, column := range unseen {
		if _, there := members[column]; there {
			members[column] = hidden
		}
	}
	return &members, nil
}
