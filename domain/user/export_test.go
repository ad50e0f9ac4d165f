package user

import (
	"context"
	"time"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// CheckPassword is checkPassword.
var CheckPassword = checkPassword

// Computed is how many passwords were computed.
func Computed() int64 { return computed.Load() }

// StartResetIn is [Session.StartReset] in a transaction of its own.
func (s Session) StartResetIn(st *store.Store, ctx context.Context, personID string) (token string, err error) {
	err = st.Update(s.Begin(ctx, "resetMember", ""), func(tx *store.Tx) error {
		token, err = s.StartReset(tx, personID)
		return err
	})
	return token, err
}

// Line is a queue of places for specs.
type Line = line

// NewLine is newLine.
var NewLine = newLine

// Enter is enter.
func (l *line) Enter(ctx context.Context, known bool) error { return l.enter(ctx, known) }

// Release is release.
func (l *line) Release() { l.release() }

// Waiting is how many wait.
func (l *line) Waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting()
}

// Free is how many places are free.
func (l *line) Free() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.free
}

// Hashes is where passwords are hashed.
func Hashes() *Line { return hashes }

// WithHashes has passwords be hashed in another line while fn runs.
func WithHashes(l *Line, fn func()) {
	before := hashes
	hashes = l
	defer func() { hashes = before }()
	fn()
}

// KnownAt is what a browser keeps in which a person signed in so long ago.
func KnownAt(st *store.Store, personID string, ago time.Duration) (token string) {
	err := st.Shared(context.Background(), func(db *gorm.DB) error {
		s, err := findSigner(db)
		s.Moment = s.Moment.Add(-ago)
		token = s.sign(personID, newToken())
		return err
	})
	if err != nil {
		panic(err)
	}
	return token
}
