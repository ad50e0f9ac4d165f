package account

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"tollkeeper/store/fault"
)

// mostNetworks bounds the list of a key.
const mostNetworks = 50

// Networks are those that requests with the key may come from; none: any.
func (k Key) Networks() []netip.Prefix {
	var all []netip.Prefix
	for _, text := range strings.Fields(k.NetworkList) {
		network, err := netip.ParsePrefix(text)
		if err == nil { // the column has nothing else
			all = append(all, network)
		}
	}
	return all
}

// MayComeFrom reports whether requests with the key may come from an address.
func (k Key) MayComeFrom(address netip.Addr) bool {
	if k.NetworkList == "" {
		return true
	}
	address = address.Unmap()
	return slices.ContainsFunc(k.Networks(), func(n netip.Prefix) bool { return n.Contains(address) })
}

// readNetworks reads networks in CIDR notation, or single addresses.
func readNetworks(texts []string) (string, error) {
	if len(texts) > mostNetworks {
		return "", fault.Bad("networks", "must have at most %d networks", mostNetworks)
	}
	var list []string
	for i, text := range texts {
		network, err := netip.ParsePrefix(text)
		if address, failed := netip.ParseAddr(text); failed == nil && address.Zone() == "" {
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return "", fault.Bad(fmt.Sprintf("networks[%d]", i), "must be a network in CIDR notation, such as 203.0.113.0/24, or an address")
		}
		list = append(list, network.Masked().String())
	}
	return strings.Join(list, " "), nil
}
