package alert

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"tollkeeper/domain/due"
	"tollkeeper/domain/event"
	"tollkeeper/store"
)

// watched joins subscriptions s to the alerts a that may be on for them: who looks finds
// the exceptions.
const watched = `JOIN alerts AS a ON a.account_id = s.account_id AND a.deleted_at IS NULL AND a.enabled
	AND (a.subscription_id = s.id OR a.plan_id = s.plan_id AND a.plan_version = s.plan_version)`

// ScheduleEvaluation says that the costs of a subscription may have changed: what watches them, or the
// balances that it is paid from, looks at it once the transaction is done. It costs next to
// nothing where no alert does.
func ScheduleEvaluation(tx *store.Tx, subscriptionID string) error {
	return errors.Join(
		schedule(tx, "s.id = $3", subscriptionID),
		scheduleBalances(tx, "f.customer_id = (SELECT customer_id FROM subscriptions WHERE account_id = $1 AND id = $3)", subscriptionID),
	)
}

// ScheduleCustomer is ScheduleEvaluation for all subscriptions of a customer.
func ScheduleCustomer(tx *store.Tx, customerID string) error {
	return errors.Join(schedule(tx, "s.customer_id = $3", customerID), scheduleBalances(tx, "f.customer_id = $3", customerID))
}

// ScheduleSubjects is ScheduleEvaluation for the subscriptions that may count events of the subjects.
// It also schedules the balances that pay for them. Nil: all subscriptions and balances.
func ScheduleSubjects(tx *store.Tx, subjects []string) error {
	if subjects == nil {
		return errors.Join(schedule(tx, "true"), scheduleBalances(tx, "true"))
	}
	var ids, aliases []string
	for _, subject := range subjects {
		if id, named := strings.CutPrefix(subject, "c:"); named {
			ids = append(ids, id)
		} else {
			aliases = append(aliases, strings.TrimPrefix(subject, "e:"))
		}
	}
	return scheduleUsers(tx, ids, aliases)
}

// scheduleUsers is LookAtSubjects for customers, by id or by alias.
func scheduleUsers(tx *store.Tx, ids, aliases []string) error {
	if len(ids)+len(aliases) == 0 {
		return nil
	}
	// a child's usage may be the parent's to pay for
	const theirs = `IN (SELECT unnest(ARRAY[c.id, c.parent_id]) FROM customers AS c
		WHERE c.account_id = $1 AND (c.id = ANY ($3) OR c.external_customer_id = ANY ($4)))`
	return errors.Join(schedule(tx, "s.customer_id "+theirs, ids, aliases), scheduleBalances(tx, "f.customer_id "+theirs, ids, aliases))
}

// followed are the customers whose balance has to be known at once after usage: who is
// told by alerts, and who buys credits by itself.
const followed = `SELECT customer_id FROM alerts WHERE account_id = $1 AND customer_id IS NOT NULL AND deleted_at IS NULL
	UNION SELECT customer_id FROM top_ups WHERE account_id = $1 AND deactivated_at IS NULL`

func scheduleBalances(tx *store.Tx, which string, args ...any) error {
	_, err := tx.Conn().ExecContext(tx.Context(), `
		INSERT INTO alert_looks (account_id, customer_id, due_at)
		SELECT $1, f.customer_id, $2::timestamptz FROM (`+followed+`) AS f WHERE `+which,
		append([]any{tx.AccountID, tx.Now}, args...)...)
	if err != nil {
		return fmt.Errorf("say what to look at: %w", err)
	}
	return nil
}

func scheduleAlert(tx *store.Tx, a Alert) error {
	if a.CustomerID != nil {
		return TrackAllBalances(tx, *a.CustomerID)
	}
	if err := TrackBalances(tx); err != nil {
		return err
	}
	return schedule(tx, "a.id = $3", a.ID)
}

// toLookAt begins the statement that says which subscriptions to look at, of the account $1
// at the instant $2.
const toLookAt = `INSERT INTO alert_looks (account_id, subscription_id, due_at)
	SELECT DISTINCT s.account_id, s.id, $2::timestamptz FROM subscriptions AS s ` + watched + `
	WHERE s.account_id = $1 AND `

func schedule(tx *store.Tx, which string, args ...any) error {
	_, err := tx.Conn().ExecContext(tx.Context(), toLookAt+which, append([]any{tx.AccountID, tx.Now}, args...)...)
	if err != nil {
		return fmt.Errorf("say what to look at: %w", err)
	}
	return nil
}

// TrackAllBalances is Follow for the balances of a customer, which are looked at once more:
// events may have come in since they were worked out.
func TrackAllBalances(tx *store.Tx, customerID string) error {
	if err := TrackBalances(tx); err != nil {
		return err
	}
	return scheduleBalances(tx, "f.customer_id = $3", customerID)
}

// RescheduleAt says when a subscription is to be looked at although no request changes it.
func RescheduleAt(tx *store.Tx, subscriptionID string, at time.Time) error {
	err := tx.Exec("INSERT INTO alert_looks (account_id, subscription_id, due_at) VALUES (?, ?, ?)", tx.AccountID, subscriptionID, at).Error
	if err != nil {
		return fmt.Errorf("say what to look at: %w", err)
	}
	return nil
}

// TrackBalances begins to look at subscriptions when events come in. Those that are there by now
// need no look.
func TrackBalances(tx *store.Tx) error {
	err := tx.Exec("INSERT INTO alert_progress (account_id, seen) VALUES (?, "+event.Moment+") ON CONFLICT DO NOTHING", tx.AccountID).Error
	if err != nil {
		return fmt.Errorf("follow events: %w", err)
	}
	return nil
}

// free is the condition that no parked unit holds up a look l. A look at balances draws credits, so it waits as
// that does.
var free = due.Alerts.FreeSubscription("l.account_id", "l.customer_id", "l.subscription_id") +
	" AND (l.customer_id IS NULL OR " + due.Billing.FreeCustomer("l.account_id", "l.customer_id") + ")"

// NextDue returns the earliest instant, at or before by, at which a subscription is to be
// looked at. New events are due at once, if they came by then.
func NextDue(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	var first sql.NullTime
	var seen event.Snapshot
	err = tx.Conn().QueryRowContext(tx.Context(), `
		SELECT (SELECT due_at FROM alert_looks AS l WHERE account_id = p.account_id AND due_at <= $2 AND `+free+` ORDER BY due_at, id LIMIT 1), seen::text
		FROM alert_progress AS p WHERE p.account_id = $1`, tx.AccountID, by).Scan(&first, &seen)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return at, false, nil
	case err != nil:
		return at, false, fmt.Errorf("ask what to look at: %w", err)
	case first.Valid:
		return first.Time.UTC(), true, nil
	}
	found, err = event.AnySince(tx, seen, by)
	if tx.Now.After(by) {
		return by, found, err
	}
	return tx.Now, found, err
}

// ScanNewEvents turns events that came in into looks at the subscriptions that they count for. It
// reports false when none came in, or another server is doing so.
func ScanNewEvents(tx *store.Tx) (some bool, err error) {
	var seen event.Snapshot
	err = tx.Conn().QueryRowContext(tx.Context(),
		"SELECT seen::text FROM alert_progress WHERE account_id = $1 FOR UPDATE SKIP LOCKED", tx.AccountID).Scan(&seen)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("follow events: %w", err)
	}
	ids, aliases, now, err := event.Since(tx, seen)
	if err != nil || len(ids)+len(aliases) == 0 {
		return false, err
	}
	if err := tx.Exec("UPDATE alert_progress SET seen = ?::pg_snapshot WHERE account_id = ?", string(now), tx.AccountID).Error; err != nil {
		return false, fmt.Errorf("follow events: %w", err)
	}
	return true, scheduleUsers(tx, ids, aliases)
}

// Due is what is to be looked at: a subscription or, of a customer, the balances.
type Due struct{ SubscriptionID, CustomerID *string }

// TakeDue takes what was to be looked at first, at or before tx.Now, off the list: all that
// said so by now is settled with one look. It is false when nothing is to be looked at, or
// other servers are at all.
func TakeDue(tx *store.Tx) (look Due, found bool, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(), `
		WITH first AS (
			SELECT * FROM alert_looks AS l WHERE account_id = $1 AND due_at <= $2 AND `+free+`
			ORDER BY due_at, id LIMIT 1 FOR UPDATE SKIP LOCKED), settled AS (
			SELECT l.id FROM alert_looks AS l JOIN first
				ON coalesce(l.subscription_id, l.customer_id) = coalesce(first.subscription_id, first.customer_id)
			WHERE l.account_id = $1 FOR UPDATE OF l SKIP LOCKED)
		DELETE FROM alert_looks AS l USING first
		WHERE l.account_id = $1 AND (l.id = first.id OR l.id IN (SELECT id FROM settled))
		RETURNING l.subscription_id, l.customer_id`, tx.AccountID, tx.Now).Scan(&look.SubscriptionID, &look.CustomerID)
	if errors.Is(err, sql.ErrNoRows) {
		return look, false, nil
	}
	if err != nil {
		return look, false, fmt.Errorf("take what to look at: %w", err)
	}
	due.Concern(tx, due.Subject{SubscriptionID: look.SubscriptionID, CustomerID: look.CustomerID})
	return look, true, nil
}

// SkipDue takes what a parked unit was to look at off the list, without a look.
func SkipDue(tx *store.Tx, p due.Parked) error {
	return tx.Exec("DELETE FROM alert_looks WHERE account_id = ? AND coalesce(subscription_id, customer_id) = ? AND due_at <= ?",
		tx.AccountID, cmp.Or(p.SubscriptionID, p.CustomerID), tx.Now).Error
}
