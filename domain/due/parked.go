package due

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Parked is a unit of due work that failed, and is tried again later.
type Parked struct {
	AccountID string `gorm:"primaryKey"`
	ID        string `gorm:"primaryKey"`
	Kind      string // the job, as the worker calls it
	Lane      Lane
	Subject   `gorm:"embedded"`

	DueAt         time.Time // when the unit that failed first was due, by the account's clock
	Attempts      int       // that failed, 1 or more
	Error         string    // of the last attempt
	FirstFailedAt time.Time // real time
	LastFailedAt  time.Time // real time
	NextTryAt     time.Time // real time; the unit holds up others until then
}

// TableName is what the table is called.
func (Parked) TableName() string { return "parked_units" }

// Failure is an attempt of a unit that failed.
type Failure struct {
	Kind  string
	Lane  Lane
	Of    Subject
	DueAt time.Time // by the account's clock
	Err   error
}

// Back-off: how long a unit is left alone after its first failure, and at most. It doubles with each failure,
// and is longer or shorter by up to a fifth, so that units that failed together are not tried together.
const (
	firstWait   = time.Second
	longestWait = 10 * time.Minute
)

// wait is how long a unit is left alone after so many failures.
func wait(attempts int) time.Duration {
	length := longestWait
	if attempts < 20 {
		length = min(firstWait<<(attempts-1), longestWait)
	}
	return length*4/5 + rand.N(length*2/5)
}

// longestError bounds the text of an error that is kept, in bytes.
const longestError = 2000

// Park keeps a unit that failed, and returns how often it did. It returns 0 where another server parked the
// unit a moment ago, whose attempt counts.
func Park(tx *store.Tx, f Failure) (attempts int, err error) {
	var before []int
	if err := tx.Model(&Parked{}).Where("kind = ? AND customer_id IS NOT DISTINCT FROM ? AND subscription_id IS NOT DISTINCT FROM ?",
		f.Kind, f.Of.CustomerID, f.Of.SubscriptionID).Pluck("attempts", &before).Error; err != nil {
		return 0, fmt.Errorf("read parked units: %w", err)
	}
	attempts = 1
	if len(before) > 0 {
		attempts += before[0]
	}
	done := tx.Exec(`
		INSERT INTO parked_units AS p (account_id, id, kind, lane, customer_id, subscription_id, due_at, attempts, error, first_failed_at, last_failed_at, next_try_at)
		SELECT ?, ?, ?, ?, ?, ?, ?, 1, ?, now, now, now + ? * interval '1 microsecond' FROM clock_timestamp() AS now
		ON CONFLICT (account_id, kind, coalesce(customer_id, ''), coalesce(subscription_id, '')) DO UPDATE
		SET attempts = p.attempts + 1, error = excluded.error, last_failed_at = excluded.last_failed_at, next_try_at = excluded.next_try_at
		WHERE p.next_try_at <= clock_timestamp()`,
		tx.AccountID, store.NewID("park"), f.Kind, f.Lane, f.Of.CustomerID, f.Of.SubscriptionID, f.DueAt, shorten(f.Err.Error()), wait(attempts).Microseconds())
	if done.Error != nil {
		return 0, fmt.Errorf("park a unit: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return 0, nil
	}
	return attempts, nil
}

// shorten cuts a text to what is kept, and replaces what the database does not take.
func shorten(text string) string {
	if len(text) > longestError {
		text = text[:longestError]
	}
	valid := []rune{}
	for _, r := range text {
		if r != 0 && r != '\uFFFD' {
			valid = append(valid, r)
		}
	}
	return string(valid)
}

// List returns the parked units of the account, those that failed first first, at most so many.
func List(tx *store.Tx, most int) (all []Parked, err error) {
	err = tx.Order("first_failed_at, id").Limit(most).Find(&all).Error
	return all, err
}

// Find returns a parked unit.
func Find(tx *store.Tx, id string) (p Parked, err error) {
	err = tx.Where("id = ?", id).Take(&p).Error
	return p, store.Found(err, "ParkedUnit", id)
}

// Lock is Find, and keeps others from changing the unit until the transaction ends.
func Lock(tx *store.Tx, id string) (p Parked, err error) {
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Where("id = ?", id).Take(&p).Error
	return p, store.Found(err, "ParkedUnit", id)
}

// Retry makes a parked unit due now.
func Retry(tx *store.Tx, id string) (p Parked, err error) {
	defer fault.Doing(&err, "retry parked unit %s", id)
	if p, err = Find(tx, id); err != nil {
		return p, err
	}
	return p, tx.Model(&p).Update("next_try_at", gorm.Expr("clock_timestamp()")).Error
}

// RetryAll makes all parked units of the account due now.
func RetryAll(tx *store.Tx) error {
	return tx.Model(&Parked{}).Where("next_try_at > clock_timestamp()").Update("next_try_at", gorm.Expr("clock_timestamp()")).Error
}

// Remove deletes a parked unit. What it held up goes on.
func Remove(tx *store.Tx, p Parked) error { return tx.Delete(&p).Error }

// State is what a search for due work has to know of the parked units of the account.
type State struct {
	Held   map[Lane]bool // lanes that a unit without a subject holds up
	Trying []Parked      // whose next try has come; only their ids and kinds, and when they are due
	At     time.Time     // real time, as of which this holds; zero: no unit is parked
}

// Look reads the state. The rest of the transaction is as of it, too: see [AsOf].
func Look(tx *store.Tx) (State, error) {
	var rows []struct {
		At       time.Time
		Some     bool
		ID, Kind *string
		Lane     Lane
		DueAt    time.Time
		Trying   bool
	}
	state := State{Held: map[Lane]bool{}}
	err := tx.Raw(`SELECT at, EXISTS (SELECT FROM parked_units WHERE account_id = @account) AS some, id, kind, lane, due_at, next_try_at <= at AS trying
		FROM (SELECT clock_timestamp() AS at OFFSET 0) AS look
		LEFT JOIN parked_units ON account_id = @account AND (next_try_at <= at OR customer_id IS NULL AND subscription_id IS NULL)`,
		map[string]any{"account": tx.AccountID}).Scan(&rows).Error
	if err != nil {
		return state, fmt.Errorf("read parked units: %w", err)
	}
	for _, r := range rows {
		if r.Some {
			state.At = r.At
		}
		switch {
		case r.ID == nil:
		case r.Trying:
			state.Trying = append(state.Trying, Parked{ID: *r.ID, Kind: *r.Kind, DueAt: r.DueAt})
		default:
			state.Held[r.Lane] = true
		}
	}
	return state, AsOf(tx, state.At)
}

// AsOf has the transaction see as held up what was held up at an instant of real time; a zero one changes nothing.
// A unit that is found by a search is done as of the search: what a try that came meanwhile sets free is due before
// it, and is found by the next search.
func AsOf(tx *store.Tx, at time.Time) error {
	if at.IsZero() {
		return nil
	}
	if err := tx.Exec("SELECT set_config('tollkeeper.parked_as_of', ?::timestamptz::text, true)", at).Error; err != nil {
		return fmt.Errorf("look at parked units as of an instant: %w", err)
	}
	return nil
}

// Unpark deletes units of which nothing is due any more, unless they failed again meanwhile.
func Unpark(tx *store.Tx, those []Parked) error {
	ids := make([]string, len(those))
	for k, p := range those {
		ids[k] = p.ID
	}
	return tx.Where("id IN ? AND next_try_at <= clock_timestamp()", ids).Delete(&Parked{}).Error
}

// Count is how many units of a kind an account has parked.
type Count struct {
	AccountID string
	Kind      string
	Units     int
	NextTryAt time.Time // the earliest, real time
}

// CountAll counts the parked units of all accounts.
func CountAll(ctx context.Context, st *store.Store) (counts []Count, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error {
		return db.Raw("SELECT * FROM parked_units_by_kind()").Scan(&counts).Error
	})
	if err != nil {
		return nil, fmt.Errorf("count parked units: %w", err)
	}
	return counts, nil
}
