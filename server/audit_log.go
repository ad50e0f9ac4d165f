package server

import (
	"context"
	"slices"

	"tollkeeper/domain/account"
	"tollkeeper/domain/audit"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// readsKeys is who sees the names of keys. Invitations are seen by who may do everything, as on the page of the team.
var readsKeys = account.Right{Resource: "api_keys", Access: account.AccessRead}

// ListAuditLog serves GET /v1/audit_log.
func (s *Server) ListAuditLog(ctx context.Context, req gen.ListAuditLogRequestObject) (gen.ListAuditLogResponseObject, error) {
	p := req.Params
	created, err := wire.ReadRange("created_at", p.CreatedAtGt, p.CreatedAtGte, p.CreatedAtLt, p.CreatedAtLte)
	if err != nil {
		return nil, err
	}
	filter := audit.Filter{Created: created, ActorID: wire.Deref(p.ActorID), Action: wire.Deref(p.Action), ResourceID: wire.Deref(p.ResourceID)}
	reader := requestOf(ctx).apiKey
	names := wire.AuditNames{Keys: reader.May(readsKeys), Invitations: slices.Contains(reader.Scopes(), account.ScopeAll)}
	var page gen.AuditLogPage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		entries, next, err := audit.List(tx, filter, wire.ReadPage(p.Limit, p.Cursor))
		if err != nil {
			return err
		}
		page.PaginationMetadata = wire.Page(next)
		page.Data = make([]gen.AuditLogEntry, len(entries))
		for i, e := range entries {
			if page.Data[i], err = wire.AuditLogEntry(e, names); err != nil {
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
