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

	"tollkeeper/domain/audit"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Key is what is stored of an API key. Its text is not.
type Key struct {
	store.Record // created at real time
	Name         string
	Hash         []byte     // SHA-256 of the text
	Hint         string     // how the text begins
	ScopeList    string     `gorm:"column:scopes"`   // see [Key.Scopes]
	NetworkList  string     `gorm:"column:networks"` // see [Key.Networks]
	Replaces     *string    // id of the key that this one was rotated from
	CreatedBy    *string    // id of the key or the person that made it; nil: the command line, or not known
	ExpiresAt    *time.Time // exclusive; nil: never
	RevokedAt    *time.Time
	LastUsedAt   *time.Time // to the minute
}

// TableName is what the table of keys is called.
func (Key) TableName() string { return "api_keys" }

// NewKey is what a key is made of.
type NewKey struct {
	Name     string
	Lifetime *time.Duration // from now on; nil: for ever
	Text     string         // "" for a random one
	Scopes   []Scope        // nil: all
	Networks []string       // CIDR that requests may come from; none: any
}

// chosenKey is what a key of one's own choice looks like.
var chosenKey = regexp.MustCompile(`^[\x21-\x7e]{20,200}$`)

// longestKeyName is in characters.
const longestKeyName = 255

// hintLength shows the random part's first four characters.
const hintLength = len("tk_test_") + 4

// CreateKey gives an account a key and returns its text, which cannot be asked
// for again. A text that is in use already is refused as taken.
func CreateKey(ctx context.Context, st *store.Store, accountID string, in NewKey) (k Key, text string, err error) {
	err = st.AsOwner(ctx, func(db *gorm.DB) error {
		a, err := findIn(db, accountID)
		if err != nil {
			return err
		}
		if k, text, err = insertKey(db, a, in, origin{}); err != nil {
			return err
		}
		return audit.WriteShared(db, a.ID)
	})
	return k, text, err
}

// origin is where a key comes from.
type origin struct {
	replaces  *string    // id of the key that it is rotated from; nil: none
	until     *time.Time // when that ends, and so this one; nil: as the new key says
	createdBy *string    // see [Key.CreatedBy]
}

// insertKey checks what a key is made of and makes it.
func insertKey(db *gorm.DB, a Account, in NewKey, of origin) (k Key, text string, err error) {
	if in.Name = strings.TrimSpace(in.Name); in.Name == "" || len([]rune(in.Name)) > longestKeyName {
		return k, "", fault.Bad("name", "must have 1 to %d characters", longestKeyName)
	}
	var lifetime *int64
	if in.Lifetime != nil {
		if *in.Lifetime <= 0 {
			return k, "", fault.Bad("lifetime", "must be positive")
		}
		lifetime = new(in.Lifetime.Microseconds())
	}
	if in.Scopes == nil {
		in.Scopes = []Scope{ScopeAll}
	}
	if err := checkScopes(in.Scopes); err != nil {
		return k, "", err
	}
	networks, err := readNetworks(in.Networks)
	if err != nil {
		return k, "", err
	}
	text = in.Text
	if text == "" {
		text = randomKey(a.Mode)
	} else if !IsKeyText(text) {
		return k, "", fault.Bad("key", "must have 20 to 200 visible ASCII characters")
	}
	hash := sha256.Sum256([]byte(text))
	err = db.Raw(`INSERT INTO api_keys (id, account_id, name, hash, hint, scopes, networks, replaces, created_by, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(?::timestamptz, clock_timestamp() + ?::bigint * interval '1 microsecond')) RETURNING *`,
		store.NewID("key"), a.ID, in.Name, hash[:], text[:hintLength], joinScopes(in.Scopes), networks, of.replaces, of.createdBy, of.until, lifetime).Scan(&k).Error
	if store.Unique(err, "api_keys_hash_key") {
		err = fault.Taken("key", "text")
	}
	return k, text, err
}

// IsKeyText reports whether a text can be a key that is chosen: 20 to 200 visible ASCII characters.
func IsKeyText(text string) bool { return chosenKey.MatchString(text) }

// ListKeys returns the keys of an account, the oldest first, also those that
// work no more.
func ListKeys(ctx context.Context, st *store.Store, accountID string) (keys []Key, err error) {
	if _, err := Find(ctx, st, accountID); err != nil {
		return nil, err
	}
	err = st.AsOwner(ctx, func(db *gorm.DB) error {
		return db.Where("account_id = ?", accountID).Order("seq").Find(&keys).Error
	})
	return keys, err
}

// RevokeKey ends a key, within a second for servers that have just seen it. A
// key that was revoked keeps the instant of the first time.
func RevokeKey(ctx context.Context, st *store.Store, id string) (k Key, err error) {
	err = st.AsOwner(ctx, func(db *gorm.DB) error {
		if k, err = revoke(db, "id = ?", id); err != nil {
			return err
		}
		return audit.WriteShared(db, k.AccountID)
	})
	return k, err
}

// works is the condition of SQL that a key opens its account.
const works = "(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp()))"

func revoke(db *gorm.DB, condition string, args ...any) (k Key, err error) {
	err = db.Raw(`UPDATE api_keys SET revoked_at = coalesce(revoked_at, clock_timestamp()) WHERE `+condition+` RETURNING *`, args...).Scan(&k).Error
	if err == nil && k.ID == "" {
		err = fault.Missing("Key", args[0].(string))
	}
	return k, err
}

// RotateKey makes a key with the name, scopes, networks and the end of
// another, which goes on to work for the overlap, at most as long as it would have.
// The overlap is not negative; with 0 the old key ends at once. A key that has ended
// cannot be rotated.
func RotateKey(ctx context.Context, st *store.Store, id string, overlap time.Duration) (k Key, text string, err error) {
	err = st.AsOwner(ctx, func(db *gorm.DB) error {
		if k, text, err = rotate(db, overlap, nil, "id = ?", id); err != nil {
			return err
		}
		return audit.WriteShared(db, k.AccountID)
	})
	return k, text, err
}

// longestOverlap bounds how long a key works beside the one that replaced it.
const longestOverlap = 90 * 24 * time.Hour

func rotate(db *gorm.DB, overlap time.Duration, by *string, condition string, args ...any) (k Key, text string, err error) {
	if overlap < 0 || overlap > longestOverlap {
		return k, "", fault.Bad("overlap", "must be from 0 to 90 days")
	}
	var old struct {
		Key
		Works bool
	}
	err = db.Raw(`SELECT *, `+works+` AS works FROM api_keys WHERE `+condition+` FOR UPDATE`, args...).Scan(&old).Error
	switch {
	case err != nil:
		return k, "", err
	case old.ID == "":
		return k, "", fault.Missing("Key", args[0].(string))
	case !old.Works:
		return k, "", fault.Refused("the key has expired or was revoked; create a new one")
	}
	a, err := findIn(db, old.AccountID)
	if err != nil {
		return k, "", err
	}
	in := NewKey{Name: old.Name, Scopes: old.Scopes(), Networks: strings.Fields(old.NetworkList)}
	k, text, err = insertKey(db, a, in, origin{replaces: &old.ID, until: old.ExpiresAt, createdBy: by})
	if err != nil {
		return k, "", err
	}
	err = db.Exec(`UPDATE api_keys SET expires_at = least(expires_at, clock_timestamp() + ? * interval '1 microsecond') WHERE id = ?`,
		overlap.Microseconds(), old.ID).Error
	return k, text, err
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
