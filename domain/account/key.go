package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"math/big"
	"regexp"
	"strings"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/fault"
	"tollkeeper/store"
)

// Key is what is kept of an API key. Its text is not.
type Key struct {
	ID         string
	Seq        int64
	AccountID  string
	CreatedAt  time.Time
	Name       string
	Hash       []byte     // SHA-256 of the text
	Hint       string     // how the text begins
	ExpiresAt  *time.Time // exclusive; nil: never
	RevokedAt  *time.Time
	LastUsedAt *time.Time // to the minute
}

// TableName is what the table of keys is called.
func (Key) TableName() string { return "api_keys" }

// NewKey is what a key is made of.
type NewKey struct {
	Name     string
	Lifetime *time.Duration // from now on; nil: for ever
	Text     string         // "" for a random one
}

// chosenKey is what a key of one's own choice looks like.
var chosenKey = regexp.MustCompile(`^[\x21-\x7e]{20,200}$`)

// hintLength shows the random part's first four characters.
const hintLength = len("tk_test_") + 4

// CreateKey gives an account a key and returns its text, which cannot be asked
// for again. A text that is in use already is refused as taken.
func CreateKey(ctx context.Context, st *store.Store, accountID string, in NewKey) (k Key, key string, err error) {
	a, err := Find(ctx, st, accountID)
	if err != nil {
		return k, "", err
	}
	if in.Name = strings.TrimSpace(in.Name); in.Name == "" {
		return k, "", fault.Bad("name", "must not be empty")
	}
	var lifetime *int64
	if in.Lifetime != nil {
		if *in.Lifetime <= 0 {
			return k, "", fault.Bad("lifetime", "must be positive")
		}
		lifetime = new(in.Lifetime.Microseconds())
	}
	key = in.Text
	if key == "" {
		key = randomKey(a.Mode)
	} else if !chosenKey.MatchString(key) {
		return k, "", fault.Bad("key", "must have 20 to 200 visible ASCII characters")
	}
	hash := sha256.Sum256([]byte(key))
	err = st.Shared(ctx, func(db *gorm.DB) error {
		return db.Raw(`INSERT INTO api_keys (id, account_id, name, hash, hint, expires_at)
			VALUES (?, ?, ?, ?, ?, clock_timestamp() + ?::bigint * interval '1 microsecond') RETURNING *`,
			store.NewID("key"), a.ID, in.Name, hash[:], key[:hintLength], lifetime).Scan(&k).Error
	})
	if store.Unique(err, "api_keys_hash_key") {
		err = fault.Taken("key", "text")
	}
	return k, key, err
}

// ListKeys returns the keys of an account, the oldest first, also those that
// work no more.
func ListKeys(ctx context.Context, st *store.Store, accountID string) (keys []Key, err error) {
	if _, err := Find(ctx, st, accountID); err != nil {
		return nil, err
	}
	err = st.Shared(ctx, func(db *gorm.DB) error {
		return db.Where("account_id = ?", accountID).Order("seq").Find(&keys).Error
	})
	return keys, err
}

// RevokeKey ends a key, within a second for servers that have just seen it. A
// key that was revoked keeps the instant of the first time.
func RevokeKey(ctx context.Context, st *store.Store, id string) (k Key, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error {
		return db.Raw(`UPDATE api_keys SET revoked_at = coalesce(revoked_at, clock_timestamp()) WHERE id = ? RETURNING *`, id).Scan(&k).Error
	})
	if err == nil && k.ID == "" {
		err = fault.Missing("Key", id)
	}
	return k, err
}

// keyDigits is what 32 bytes need in base 62.
const keyDigits = 43

// randomKey writes 32 random bytes in base 62, always in the same length.
func randomKey(mode Mode) string {
	var secret [32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		panic(err) // the system has no randomness
	}
	digits := new(big.Int).SetBytes(secret[:]).Text(62)
	return "tk_" + string(mode) + "_" + strings.Repeat("0", keyDigits-len(digits)) + digits
}
