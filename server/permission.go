package server

import (
	"context"
	"net/netip"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/account"
	"tollkeeper/domain/audit"
	"tollkeeper/server/contract"
	"tollkeeper/server/mails"
	"tollkeeper/server/webhooks"
	"tollkeeper/store"
)

// permit refuses a request that its key has no right to make.
func (s *Server) permit(c echo.Context, k account.Key) error {
	if k.NetworkList != "" {
		address, err := netip.ParseAddr(c.RealIP())
		if err != nil || !k.MayComeFrom(address) {
			return contract.Forbidden("this API key may not be used from this address")
		}
	}
	right, needed := s.rightOf(requestOf(c.Request().Context()))
	if !needed || k.May(right) {
		return nil
	}
	return contract.Forbidden("this API key needs the scope " + right.String())
}

// rightOf returns the right that a request needs, if it needs any.
func (s *Server) rightOf(r *request) (right account.Right, needed bool) {
	if r.operation != nil {
		right, needed = s.rights[r.operation.Scope]
	}
	return right, needed
}

// readRights reads the rights that operations of the contract need.
func readRights(c *contract.Contract) map[string]account.Right {
	rights := map[string]account.Right{}
	for _, scope := range c.Scopes() {
		right, err := account.ParseRight(scope)
		if err != nil {
			panic("server: x-scope in the contract: " + err.Error()) // specs load it
		}
		rights[scope] = right
	}
	return rights
}

// beginAudit has the changes of a request recorded in the audit log. What only reads, and
// sending events, has no entry (see package audit).
func (s *Server) beginAudit(c echo.Context, actor audit.Actor) {
	r := requestOf(c.Request().Context())
	if right, _ := s.rightOf(r); right.Access != account.AccessWrite {
		return
	}
	c.SetRequest(c.Request().WithContext(audit.Begin(c.Request().Context(), actor, r.operation.ID, &r.id)))
}

// actorOf returns who makes the changes of a request: a person at the console, or a key.
func actorOf(ctx context.Context, k account.Key) audit.Actor {
	if p, ok := personOf(ctx); ok {
		return p.actor
	}
	return audit.Actor{Type: audit.APIKey, ID: k.ID, Name: k.Name}
}

// makerOf is who asks for a key.
func makerOf(ctx context.Context) account.Maker {
	by := actorOf(ctx, requestOf(ctx).apiKey)
	return account.Maker{ID: by.ID, Rights: requestOf(ctx).apiKey.Rights(), Person: by.Type == audit.Person}
}

// beforeCommit ends each transaction: what it announced becomes messages, and the request
// an entry of the audit log. An answer that is given again changes nothing and has none.
func beforeCommit(tx *store.Tx, notes []any) error {
	if err := webhooks.Announce(tx, notes); err != nil {
		return err
	}
	if err := mails.Announce(tx, notes); err != nil {
		return err
	}
	if requestOf(tx.Context()).replayed {
		return nil
	}
	return audit.Write(tx)
}
