package account

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"sync"
	"time"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// ErrUnknownKey says that no key with that text works: there is none, it has
// expired, or it was revoked.
var ErrUnknownKey = errors.New("no such API key")

// remembered is how long a good key is not asked for again, and renewal the last
// part of that: in it the first request asks for all, so that they need not ask
// at once when it ends.
const (
	remembered = time.Second
	renewal    = remembered / 4
)

// Login is a key and the account that it belongs to.
type Login struct {
	Account Account
	Key     Key
}

// Authenticate returns the account that a key belongs to, or ErrUnknownKey. Both are as they
// were at most a second ago; a transaction reads its own account.
func Authenticate(ctx context.Context, st *store.Store, text string) (Login, error) {
	seen := sighting{st, sha256.Sum256([]byte(text))}
	if in, ok := sightings.find(seen, time.Now()); ok {
		return in, nil
	}
	asked := time.Now() // a slow answer may be about a key that was revoked since
	k, a, err := lookUp(ctx, st, seen.hash)
	if errors.Is(err, sql.ErrNoRows) {
		return Login{}, ErrUnknownKey
	}
	in := Login{a, k}
	if err == nil {
		sightings.keep(seen, in, expiry(k, asked))
	}
	return in, err
}

// lookUp finds a key that works and whose it is, and marks its use. Once the account is known,
// the transaction is that of the account: no other rows can be read in it.
func lookUp(ctx context.Context, st *store.Store, hash [sha256.Size]byte) (k Key, a Account, err error) {
	ctx = store.WithAudit(ctx, "") // the use of a key changes nothing
	err = st.Shared(ctx, func(db *gorm.DB) error {
		var id, owner, set string
		err := db.Raw("SELECT key_id, account, set_config('tollkeeper.account', account, true) FROM find_api_key(digest => ?)", hash[:]).
			Row().Scan(&id, &owner, &set)
		if err != nil {
			return err
		}
		if err := db.Where("id = ?", id).Take(&k).Error; err != nil {
			return err
		}
		return db.Where("id = ?", owner).Take(&a).Error
	})
	return k, a, err
}

// expiry is until when a key that was looked up need not be asked for again.
func expiry(k Key, asked time.Time) time.Time {
	until := asked.Add(remembered)
	if k.ExpiresAt != nil && k.ExpiresAt.Before(until) {
		return *k.ExpiresAt
	}
	return until
}

// A sighting is a key on a database.
type sighting struct {
	store *store.Store
	hash  [sha256.Size]byte
}

// memory keeps good keys and their accounts for a moment.
type memory struct {
	sync.Mutex
	logins map[sighting]memo
}

type memo struct {
	login   Login
	until   time.Time // exclusive
	renewed bool      // a request asks already
}

var sightings = memory{logins: map[sighting]memo{}}

// mostSightings bounds the memory; at the bound all is forgotten.
const mostSightings = 10_000

func (m *memory) find(s sighting, now time.Time) (Login, bool) {
	m.Lock()
	defer m.Unlock()
	seen, ok := m.logins[s]
	if ok && !seen.renewed && now.After(seen.until.Add(-renewal)) {
		seen.renewed = true
		m.logins[s] = seen
		return Login{}, false
	}
	return seen.login, ok && now.Before(seen.until)
}

func (m *memory) keep(s sighting, in Login, until time.Time) {
	m.Lock()
	defer m.Unlock()
	if len(m.logins) >= mostSightings {
		clear(m.logins)
	}
	m.logins[s] = memo{login: in, until: until}
}
