package portal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/link"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Session is an address that works for a while, by the clock of the account.
type Session struct {
	store.Record
	CustomerID string
	ExpiresAt  time.Time
	EndedAt    *time.Time // before it expired
	Hash       []byte     // SHA-256 of the token

	URL string `gorm:"-"` // known when it is made, and not after that
}

// TableName is the table of sessions.
func (Session) TableName() string { return "portal_sessions" }

// mark begins the tokens of sessions. The account follows, so that it is known where to look.
const (
	mark          = "s_"
	accountPrefix = "acct_"
	accountLength = 20
	secretLength  = 32 // bytes
)

// Bounds of how long a session lasts (gaps H9).
const (
	DefaultMinutes = 60
	mostMinutes    = 180
	MailedMinutes  = mostMinutes // of one whose address is mailed, from the sending on
)

// Create makes a session of a customer. The other ones of the customer end, if that is wanted.
func Create(tx *store.Tx, c customer.Customer, minutes int, endOthers bool) (_ Session, err error) {
	defer fault.Doing(&err, "create a portal session of customer %s", c.ID)
	if minutes < 1 || minutes > mostMinutes {
		return Session{}, fault.Bad("expires_in_minutes", "must be from 1 to %d", mostMinutes)
	}
	if _, err := customer.Lock(tx, c.ID); err != nil { // one after the other, so that one of two that end others is left
		return Session{}, err
	}
	if endOthers {
		if err := endOpen(tx, c.ID); err != nil {
			return Session{}, err
		}
	}
	if err := forget(tx, c.ID); err != nil {
		return Session{}, err
	}
	var secret [secretLength]byte
	_, _ = rand.Read(secret[:]) // never fails
	token := mark + strings.TrimPrefix(tx.AccountID, accountPrefix) + base64.RawURLEncoding.EncodeToString(secret[:])
	hash := sha256.Sum256([]byte(token))
	s := Session{
		Record: tx.Record("portal"), CustomerID: c.ID, ExpiresAt: tx.Now.Add(time.Duration(minutes) * time.Minute), Hash: hash[:],
		URL: tx.Origin + "/portal/" + token,
	}
	return s, tx.Create(&s).Error
}

// keep is how long a session that has ended is kept, to be looked up.
const keep = 30 * 24 * time.Hour

// forget deletes sessions of a customer that ended long ago.
func forget(tx *store.Tx, customerID string) error {
	return tx.Where("customer_id = ? AND expires_at < ?", customerID, tx.Now.Add(-keep)).Delete(&Session{}).Error
}

// Addresses returns the permanent addresses of portals of customers; "" where the account has sessions
// alone.
func Addresses(tx *store.Tx) (func(customer.Customer) string, error) {
	none := func(customer.Customer) string { return "" }
	settings, err := account.Of(tx)
	if err != nil || !settings.PortalLinks {
		return none, err
	}
	keys, err := link.Of(tx)
	if err != nil {
		return none, err
	}
	return func(c customer.Customer) string {
		return keys.PortalPage(link.Subject{ID: c.ID, Withdrawn: c.LinksWithdrawn})
	}, nil
}

// WithdrawLinks ends all addresses of a customer's portal: the permanent one, in whose place another is shown, and
// sessions (semantics 8.6.3).
func WithdrawLinks(tx *store.Tx, customerID string) (customer.Customer, error) {
	c, err := customer.Lock(tx, customerID)
	if err != nil {
		return c, err
	}
	if err := endOpen(tx, c.ID); err != nil {
		return c, err
	}
	err = customer.WithdrawLinks(tx, &c)
	return c, err
}

// endOpen ends the sessions of a customer, whom the caller has locked.
func endOpen(tx *store.Tx, customerID string) error {
	return tx.Model(&Session{}).Where("customer_id = ? AND ended_at IS NULL AND expires_at > ?", customerID, tx.Now).Update("ended_at", tx.Now).Error
}

// ErrEnded says that a token opens nothing, or no longer.
var ErrEnded = errors.New("portal: the session has ended, or there is none")

// AccountOf returns the account that a token names, without knowing whether it is genuine.
func AccountOf(token string) (accountID string, ok bool) {
	if named, ok := link.Parse(link.Portal, token); ok {
		return named.AccountID, true
	}
	text, marked := strings.CutPrefix(token, mark)
	if !marked || len(text) != accountLength+base64.RawURLEncoding.EncodedLen(secretLength) {
		return "", false
	}
	return accountPrefix + text[:accountLength], true
}

// Lasts reports whether a token has the form of one that does not end. There is no session then, and it opens what can be
// read alone (semantics 8.6.2).
func Lasts(token string) bool {
	_, ok := link.Parse(link.Portal, token)
	return ok
}

// Open returns the customer whose portal a token of the transaction's account opens, or ErrEnded.
func Open(tx *store.Tx, token string) (customer.Customer, error) {
	if named, ok := link.Parse(link.Portal, token); ok {
		return permanent(tx, token, named)
	}
	_, c, err := OpenSession(tx, token)
	return c, err
}

// OpenSession returns the session of a token, and whose portal it opens, or ErrEnded.
func OpenSession(tx *store.Tx, token string) (s Session, c customer.Customer, err error) {
	hash := sha256.Sum256([]byte(token))
	var sessions []Session
	err = tx.Where("hash = ? AND ended_at IS NULL AND expires_at > ?", hash[:], tx.Now).Limit(1).Find(&sessions).Error
	if err != nil {
		return s, c, err
	}
	if len(sessions) == 0 {
		return s, c, ErrEnded
	}
	c, err = find(tx, sessions[0].CustomerID)
	return sessions[0], c, err
}

// find returns a customer; where there is none any more, their addresses have ended.
func find(tx *store.Tx, id string) (customer.Customer, error) {
	c, err := customer.Find(tx, id)
	if fault.Is(err, fault.KindMissing) {
		err = ErrEnded
	}
	return c, err
}

// Owner returns the customer who can have a link mailed from the page of a token: that of a session, also where it has ended,
// as long as it is kept, and that of a permanent address. It is false where there is none.
func Owner(tx *store.Tx, token string) (c customer.Customer, found bool, err error) {
	if named, ok := link.Parse(link.Portal, token); ok {
		c, err = permanent(tx, token, named)
	} else {
		hash := sha256.Sum256([]byte(token))
		var sessions []Session
		if err := tx.Where("hash = ?", hash[:]).Limit(1).Find(&sessions).Error; err != nil || len(sessions) == 0 {
			return c, false, err
		}
		c, err = find(tx, sessions[0].CustomerID)
	}
	if errors.Is(err, ErrEnded) {
		return c, false, nil
	}
	return c, err == nil, err
}

// permanent returns the customer of a token that does not end, where the account has such and it was not withdrawn.
func permanent(tx *store.Tx, token string, named link.Token) (c customer.Customer, err error) {
	settings, err := account.Of(tx)
	if err != nil {
		return c, err
	}
	if !settings.PortalLinks {
		return c, ErrEnded
	}
	keys, err := link.Of(tx)
	if err != nil {
		return c, err
	}
	if c, err = find(tx, named.ID); err != nil {
		return c, err
	}
	if !keys.Signed(link.Portal, token, c.LinksWithdrawn) {
		return customer.Customer{}, ErrEnded
	}
	return c, nil
}

// End ends the session of a token, if it is one.
func End(tx *store.Tx, token string) error {
	hash := sha256.Sum256([]byte(token))
	return tx.Model(&Session{}).Where("hash = ? AND ended_at IS NULL AND expires_at > ?", hash[:], tx.Now).Update("ended_at", tx.Now).Error
}
