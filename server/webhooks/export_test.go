package webhooks

import "net/netip"

// Allows reports whether webhooks may call an address where no networks are listed.
func Allows(address netip.Addr) bool { return allowlist{}.allows(address) }
