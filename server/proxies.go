package server

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"github.com/labstack/echo/v4"

	"tollkeeper/server/console"
)

// addressReader reads the address of the client: that of the connection, or the one that a
// trusted proxy names in X-Forwarded-For.
func addressReader(proxies []netip.Prefix) echo.IPExtractor {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, network := range proxies {
		options = append(options, echo.TrustIPRange(ipNet(network)))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}

func ipNet(network netip.Prefix) *net.IPNet {
	bits := network.Addr().BitLen()
	return &net.IPNet{IP: network.Masked().Addr().AsSlice(), Mask: net.CIDRMask(network.Bits(), bits)}
}

// forwarding are the headers by which a proxy says for whom it asks.
var forwarding = []string{echo.HeaderXForwardedFor, "Forwarded", echo.HeaderXForwardedProto}

// strangeProxies warns once of a proxy that is not trusted. Behind such a proxy all clients have its address: what one of
// them fails slows down the sign-ins of all (semantics 14.8.6).
type strangeProxies struct{ warned sync.Once }

func (p *strangeProxies) note(r *http.Request, proxies []netip.Prefix, log *slog.Logger) {
	for _, name := range forwarding {
		if r.Header.Get(name) == "" || console.FromProxy(r, proxies) {
			continue
		}
		p.warned.Do(func() {
			log.WarnContext(r.Context(), "a request came with "+name+" from an address that is not trusted, so the header is not looked at; "+
				"if a proxy of yours has this address, name it in TOLLKEEPER_TRUSTED_PROXIES: until then all its clients count as one, "+
				"for sign-ins and for keys that are limited to networks, and cookies are not for TLS alone. This is said once",
				"address", r.RemoteAddr)
		})
		return
	}
}
