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

// Queue is the queue of hashes, for specs.
type Queue = queue

// NewQueue is newQueue.
var NewQueue = newQueue

// Enter is enter.
func (q *queue) Enter(ctx context.Context, who string) error { return q.enter(ctx, who) }

// Release is release.
func (q *queue) Release() { q.release() }

// Waiting is how many wait.
func (q *queue) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting()
}

// Free is how many places are free.
func (q *queue) Free() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.free
}

// Hashes is where passwords are hashed.
func Hashes() *Queue { return hashes }

// WithHashes has passwords be hashed in another queue while fn runs.
func WithHashes(q *Queue, fn func()) {
	before := hashes
	hashes = q
	defer func() { hashes = before }()
	fn()
}

// KnownAt is what a browser keeps in which a person signed in so long ago.
func KnownAt(st *store.Store, personID string, ago time.Duration) (token string) {
	err := st.Shared(context.Background(), func(db *gorm.DB) error {
		s, err := findSigner(db, personID)
		s.Moment = s.Moment.Add(-ago)
		token = s.sign(personID, newToken())
		return err
	})
	if err != nil {
		panic(err)
	}
	return token
}
