package account

import (
	"net/netip"
	"slices"
	"strings"

	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Maker is who asks for a key: another key, or a person in the console, who is limited by rights alone.
type Maker struct {
	ID     string // of the key or the person
	Rights Rights
	Person bool
}

// lockKey returns the key that asks, as it is now, and keeps it from being replaced until the transaction
// ends. A key that has ended makes none, although a server may take it for a second more. Nor does one that was
// replaced, so that its text is of little use to others while both work. It is nil for a person.
func (m Maker) lockKey(tx *store.Tx) (*Key, error) {
	if m.Person {
		return nil, nil
	}
	var k struct {
		Key
		Works bool
	}
	if err := tx.Raw("SELECT *, "+works+" AS works FROM api_keys WHERE account_id = ? AND id = ? FOR UPDATE", tx.AccountID, m.ID).Scan(&k).Error; err != nil {
		return nil, err
	}
	if !k.Works {
		return nil, fault.Refused("the key of this request has expired or was revoked, and makes no others")
	}
	var replaced bool
	if err := tx.Raw("SELECT EXISTS (SELECT FROM api_keys WHERE account_id = ? AND replaces = ?)", tx.AccountID, m.ID).Scan(&replaced).Error; err != nil {
		return nil, err
	}
	if replaced {
		return nil, fault.Refused("the key of this request was replaced, and makes no others; use the one that replaced it")
	}
	return &k.Key, nil
}

// checkLimits refuses a key that would work from elsewhere than the key that makes it, or longer.
func (k *Key) checkLimits(made Key) error {
	if k == nil {
		return nil
	}
	if k.NetworkList != "" && (made.NetworkList == "" || !within(made.Networks(), k.Networks())) {
		return fault.Refused("networks must lie within those of the key of this request: %s", strings.ReplaceAll(k.NetworkList, " ", ", "))
	}
	if k.ExpiresAt != nil && (made.ExpiresAt == nil || made.ExpiresAt.After(*k.ExpiresAt)) {
		return fault.Refused("the key would work longer than the key of this request, which ends at %s", period.FormatInstant(*k.ExpiresAt))
	}
	return nil
}

// within reports whether each network lies in one of others.
func within(networks, others []netip.Prefix) bool {
	for _, n := range networks {
		if !slices.ContainsFunc(others, func(o netip.Prefix) bool { return o.Bits() <= n.Bits() && o.Contains(n.Addr()) }) {
			return false
		}
	}
	return true
}
