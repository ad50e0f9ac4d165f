package store

import "context"

type auditKey struct{}

// WithAudit returns a context whose read-write transactions belong to an entry of the audit
// log: triggers record the rows that they change. What [Store.UpdateAt] does is due work and
// has none. The writer of the entry is [Store.BeforeCommit]'s, which is called for each such
// transaction, even without notes.
func WithAudit(ctx context.Context, entryID string) context.Context {
	return context.WithValue(ctx, auditKey{}, entryID)
}

// AuditID returns the audit entry of the context, "" when there is none.
func AuditID(ctx context.Context) string {
	id, _ := ctx.Value(auditKey{}).(string)
	return id
}
