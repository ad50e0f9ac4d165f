package account

import (
	"context"
	"crypto/rand"
	"math/big"
	"strings"

	"gorm.io/gorm"

	"tollkeeper/domain/audit"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// New is what an account is made of; its settings begin at their defaults.
type New struct {
	Name     string
	Mode     Mode
	Timezone string // IANA name; "" for UTC
}

// Create makes an account. It has no key yet.
func Create(ctx context.Context, st *store.Store, in New) (a Account, err error) {
	err = st.AsOwner(ctx, func(db *gorm.DB) error {
		if a, err = insert(db, in); err != nil {
			return err
		}
		return audit.WriteShared(db, a.ID)
	})
	return a, err
}

// CreateWithKey makes an account with its first key, and returns the text of the key, which cannot
// be asked for again.
func CreateWithKey(ctx context.Context, st *store.Store, in New, first NewKey) (a Account, text string, err error) {
	err = st.AsOwner(ctx, func(db *gorm.DB) error {
		if a, err = insert(db, in); err != nil {
			return err
		}
		if _, text, err = insertKey(db, a, first, origin{}); err != nil {
			return err
		}
		return audit.WriteShared(db, a.ID)
	})
	return a, text, err
}

// insert checks what an account is made of and makes it.
func insert(db *gorm.DB, in New) (a Account, err error) {
	in.Name = strings.TrimSpace(in.Name)
	if in.Timezone == "" {
		in.Timezone = "UTC"
	}
	if err := in.check(); err != nil {
		return a, err
	}
	err = db.Raw(`INSERT INTO accounts (id, name, mode, timezone, number_prefix) VALUES (?, ?, ?, ?, ?) RETURNING *`,
		store.NewID("acct"), in.Name, in.Mode, in.Timezone, randomPrefix()).Scan(&a).Error
	return a, err
}

func (in New) check() error {
	var name, mode, timezone error
	if in.Name == "" {
		name = fault.Bad("name", "must not be empty")
	}
	if in.Mode != ModeLive && in.Mode != ModeTest {
		mode = fault.Bad("mode", "must be live or test")
	}
	if _, err := period.LoadZone(in.Timezone); err != nil {
		timezone = fault.Bad("timezone", "%s", err)
	}
	return fault.Join(name, mode, timezone)
}

// Find returns an account by id.
func Find(ctx context.Context, st *store.Store, id string) (a Account, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error {
		if err := db.Exec("SELECT set_config('tollkeeper.account', ?, true)", id).Error; err != nil {
			return err
		}
		a, err = findIn(db, id)
		return err
	})
	return a, err
}

func findIn(db *gorm.DB, id string) (a Account, err error) {
	err = db.Where("id = ?", id).Take(&a).Error
	return a, store.Found(err, "Account", id)
}

// List returns all accounts, the oldest first, to the operator.
func List(ctx context.Context, st *store.Store) (all []Account, err error) {
	err = st.AsOwner(ctx, func(db *gorm.DB) error { return db.Order("seq").Find(&all).Error })
	return all, err
}

// prefixLength is that of JYEFHK-00001.
const prefixLength = 6

func randomPrefix() string {
	letters := make([]byte, prefixLength)
	for i := range letters {
		k, err := rand.Int(rand.Reader, big.NewInt('Z'-'A'+1))
		if err != nil {
			panic(err) // the system has no randomness
		}
		letters[i] = 'A' + byte(k.Int64())
	}
	return string(letters)
}
