package webhooks

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"tollkeeper/store/fault"
)

// allowlist decides which addresses webhooks may call: public ones, and the networks that the
// operator lists. It decides for each connection, after the name was resolved: an earlier
// resolution of the same name may have had another result.
type allowlist struct {
	networks []netip.Prefix // beside public addresses
	only     bool           // no public addresses: plain HTTP stays in the networks
}

// nonPublic are networks without public services, though their addresses have the form of
// public ones (the registries of special-purpose addresses, RFC 6890 and later).
var nonPublic = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // a cloud's own service behind a public address
	"2001::/23",        // protocols, among them tunnels that carry other addresses
	"2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
)

// public6 contains all public addresses of version 6. Outside it are loopback, link-local,
// unique local and multicast addresses, and those that represent addresses of version 4.
var public6 = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// allows reports whether an address may be called.
func (l allowlist) allows(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	contains := func(p netip.Prefix) bool { return p.Contains(address) }
	switch {
	case slices.ContainsFunc(l.networks, contains):
		return true
	case l.only || !address.IsValid() || slices.ContainsFunc(nonPublic, contains):
		return false
	}
	return address.Is4() || public6.Contains(address)
}

var errUnreachable = errors.New("the name has no public address")

// dialControl refuses a connection before its first packet.
func (l allowlist) dialControl(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !l.allows(at.Addr()) {
		return errUnreachable
	}
	return nil
}

// Bounds of connections to receivers.
const (
	readBytes  = 64 << 10 // of an answer, at most
	idleWithin = 30 * time.Second
)

// client returns a client that calls allowed addresses only. It follows no redirect and uses
// no proxy of the environment.
func (l allowlist) client(resolver *net.Resolver) *http.Client {
	dialer := &net.Dialer{Timeout: answerWithin, Control: l.dialControl, Resolver: resolver}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			MaxResponseHeaderBytes: readBytes,
			MaxIdleConnsPerHost:    mostAttempts,
			IdleConnTimeout:        idleWithin,
			TLSHandshakeTimeout:    answerWithin,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// CheckURL refuses a URL that would never be called: neither http nor https, with a user, with
// an address that is not allowed, or plain HTTP where that is not allowed (semantics 13.1.1).
// The addresses of a name are checked at each call. test is whether the account is a test
// account.
func CheckURL(text string, test bool, networks []netip.Prefix) error {
	const field = "url"
	at, err := url.Parse(text)
	switch {
	case err != nil || at.Opaque != "" || at.Hostname() == "" || strings.ContainsAny(text, " \t\r\n"):
		return fault.Bad(field, "must be a URL such as https://hooks.example.com/billing")
	case len(text) > longestURL:
		return fault.Bad(field, "must have at most %d characters", longestURL)
	case at.User != nil:
		return fault.Bad(field, "must have no user; what is sent is signed")
	case at.Fragment != "":
		return fault.Bad(field, "must have no fragment")
	}
	allowed := allowlist{networks: networks}
	switch at.Scheme {
	case "https":
	case "http":
		allowed.only = !test
	default:
		return fault.Bad(field, "must begin with https://")
	}
	if allowed.only && len(networks) == 0 {
		return fault.Bad(field, "must begin with https://")
	}
	if address, err := netip.ParseAddr(at.Hostname()); err == nil && !allowed.allows(address) {
		return fault.Bad(field, "must have a public address")
	}
	return nil
}

const longestURL = 2000 // characters

// ParseNetworks reads networks such as 10.0.0.0/8, and single addresses such as 127.0.0.1.
func ParseNetworks(texts []string) (networks []netip.Prefix, err error) {
	for _, text := range texts {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			address, wrong := netip.ParseAddr(text)
			if wrong != nil {
				return nil, fmt.Errorf("%q is no network such as 10.0.0.0/8", text)
			}
			network = netip.PrefixFrom(address, address.BitLen())
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}
