package account

import (
	"time"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Keys that requests handle: those of the transaction's account.

// CreateOwnKey is [CreateKey] for the transaction's account. The key has no right that its maker lacks, and
// where the maker is a key, it works from no other networks and no longer than that one.
func CreateOwnKey(tx *store.Tx, by Maker, in NewKey) (k Key, text string, err error) {
	if in.Scopes == nil {
		in.Scopes = []Scope{ScopeAll}
	}
	if err := checkScopes(in.Scopes); err != nil {
		return k, "", err
	}
	if err := by.Rights.checkGrant(in.Scopes); err != nil {
		return k, "", err
	}
	parent, err := by.lockKey(tx)
	if err != nil {
		return k, "", err
	}
	a, err := Of(tx)
	if err != nil {
		return k, "", err
	}
	if k, text, err = insertKey(tx.DB, a, in, origin{createdBy: &by.ID}); err != nil {
		return k, "", err
	}
	return k, text, parent.checkLimits(k)
}

// ListOwnKeys returns keys of the transaction's account, the newest first, also those that
// work no more.
func ListOwnKeys(tx *store.Tx, page store.Page) (keys []Key, next string, err error) {
	return store.List[Key](tx.Model(&Key{}), page)
}

// FindOwnKey returns a key of the transaction's account.
func FindOwnKey(tx *store.Tx, id string) (k Key, err error) {
	err = tx.Where("id = ?", id).Take(&k).Error
	return k, store.Found(err, "Key", id)
}

// KeysMadeBy returns the keys that still work of those that a key or a person made, or a key made that they had made,
// and so on; the newest first.
func KeysMadeBy(tx *store.Tx, makerID string) (keys []Key, err error) {
	err = tx.Raw(`WITH RECURSIVE made AS (
			SELECT id FROM api_keys WHERE account_id = @account AND created_by = @maker
			UNION SELECT k.id FROM api_keys AS k JOIN made ON k.created_by = made.id WHERE k.account_id = @account)
		SELECT * FROM api_keys WHERE account_id = @account AND id IN (SELECT id FROM made) AND `+works+` ORDER BY seq DESC`,
		map[string]any{"account": tx.AccountID, "maker": makerID}).Scan(&keys).Error
	return keys, err
}

// RevokeOwnKey is [RevokeKey] for a key of the transaction's account. byKey is the key of
// the request, "" for none: a key cannot revoke itself, since the answer could not be repeated.
func RevokeOwnKey(tx *store.Tx, byKey, id string) (Key, error) {
	if id == byKey {
		return Key{}, fault.Refused("a key cannot revoke itself; use another key")
	}
	return revoke(tx.DB, "id = ? AND account_id = ?", id, tx.AccountID)
}

// RotateOwnKey is [RotateKey] for a key of the transaction's account, which has no more rights, networks and
// time than its maker: see [CreateOwnKey].
func RotateOwnKey(tx *store.Tx, by Maker, id string, overlap time.Duration) (k Key, text string, err error) {
	parent, err := by.lockKey(tx)
	if err != nil {
		return k, "", err
	}
	old, err := FindOwnKey(tx, id)
	if err != nil {
		return k, "", err
	}
	if err := fault.Join(by.Rights.checkGrant(old.Scopes()), parent.checkLimits(old)); err != nil {
		return k, "", err
	}
	return rotate(tx.DB, overlap, &by.ID, "id = ? AND account_id = ?", id, tx.AccountID)
}

// KeyNames returns the names of keys of the transaction's account by their ids.
func KeyNames(tx *store.Tx, ids []string) (map[string]string, error) {
	var keys []Key
	if err := tx.Select("id", "name").Where("id IN ?", ids).Find(&keys).Error; err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, k := range keys {
		names[k.ID] = k.Name
	}
	return names, nil
}
