package wire

import (
	"tollkeeper/domain/portal"
	"tollkeeper/gen"
)

// PortalSession returns a session with its address, which is known when it is made.
func PortalSession(s portal.Session) gen.PortalSession {
	return gen.PortalSession{
		ID: s.ID, CreatedAt: Instant(s.CreatedAt), CustomerID: s.CustomerID, ExpiresAt: OptionalInstant(&s.ExpiresAt), URL: s.URL,
	}
}
