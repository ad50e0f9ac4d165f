package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"tollkeeper/domain/audit"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// ListAuditLog serves GET /v1/audit_log.
func (s *Server) ListAuditLog(ctx context.Context, req gen.ListAuditLogRequestObject) (gen.ListAuditLogResponseObject, error) {
	p := req.Params
	created, err := rangeFromWire("created_at", p.CreatedAtGt, p.CreatedAtGte, p.CreatedAtLt, p.CreatedAtLte)
	if err != nil {
		return nil, err
	}
	filter := audit.Filter{Created: created, ActorID: orEmpty(p.ActorID), Action: orEmpty(p.Action), ResourceID: orEmpty(p.ResourceID)}
	var page gen.AuditLogPage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		entries, next, err := audit.List(tx, filter, pageFromWire(p.Limit, p.Cursor))
		if err != nil {
			return err
		}
		page.PaginationMetadata = pageToWire(next)
		page.Data = make([]gen.AuditLogEntry, len(entries))
		for i, e := range entries {
			if page.Data[i], err = auditEntryToWire(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return gen.ListAuditLog200JSONResponse(page), nil
}

func auditEntryToWire(e audit.Entry) (gen.AuditLogEntry, error) {
	shown := gen.AuditLogEntry{
		ID: e.ID, CreatedAt: e.CreatedAt.UTC().Format(time.RFC3339Nano), AccountTime: e.AccountTime.UTC().Format(time.RFC3339Nano),
		Actor:  gen.AuditLogActor{Type: gen.AuditLogActorType(e.Actor.Type), ID: e.Actor.ID, Name: e.Actor.Name},
		Action: e.Action, RequestID: e.RequestID, Changes: make([]gen.AuditLogChange, len(e.Changes)),
	}
	for i, c := range e.Changes {
		before, err := auditedMembers[gen.AuditLogBefore](c.Before)
		if err != nil {
			return shown, err
		}
		after, err := auditedMembers[gen.AuditLogAfter](c.After)
		if err != nil {
			return shown, err
		}
		shown.Changes[i] = gen.AuditLogChange{Resource: c.Resource, ID: c.RowID, Before: before, After: after}
	}
	return shown, nil
}

// auditedMembers reads the columns of a row. Numbers keep all their digits.
func auditedMembers[M ~map[string]any](row *json.RawMessage) (*M, error) {
	if row == nil {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(*row))
	decoder.UseNumber()
	var members M
	if err := decoder.Decode(&members); err != nil {
		return nil, fmt.Errorf("read a change of the audit log: %w", err)
	}
	return &members, nil
}
