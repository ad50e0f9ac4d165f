package event

import (
	"fmt"
	"time"

	"tollkeeper/store"
)

// ChangedResend is an event that came again under a known key with another body, which was
// ignored (semantics 2.3.7).
type ChangedResend struct {
	Sent   Stored    // as it came last
	Kept   Stored    // as it is stored and counts
	SentAt time.Time // the last time, by the account's clock
	Times  int       // that it came with another body
}

// Bounds of the list of changed resends.
const (
	resendDays     = 7 // of 24 hours
	resendExamples = 20
)

// ChangedResends are those of the last days: since when, how many events there are, and of these the
// last ones, the latest first.
type ChangedResends struct {
	Since    time.Time
	Events   int
	Examples []ChangedResend
}

// FindChangedResends looks for events that came again with another body in the last days. It
// reads only.
func FindChangedResends(tx *store.Tx) (found ChangedResends, err error) {
	found.Since = tx.Now.Add(-resendDays * 24 * time.Hour)
	err = found.read(tx, "sent_at >= $2", found.Since)
	return found, err
}

// FindChangedResendsFrom is FindChangedResends of those that came after a seq of LastChangedResend.
func FindChangedResendsFrom(tx *store.Tx, seq int64) (found ChangedResends, err error) {
	err = found.read(tx, "seq > $2", seq)
	return found, err
}

// LastChangedResend is the seq of the last one so far, 0 without any.
func LastChangedResend(tx *store.Tx) (seq int64, err error) {
	err = tx.Raw("SELECT coalesce(max(seq), 0) FROM changed_resends WHERE account_id = ?", tx.AccountID).Scan(&seq).Error
	if err != nil {
		return 0, fmt.Errorf("look for the last changed resend: %w", err)
	}
	return seq, nil
}

func (c *ChangedResends) read(tx *store.Tx, condition string, arg any) error {
	err := tx.Conn().QueryRowContext(tx.Context(), "SELECT count(*) FROM changed_resends WHERE account_id = $1 AND "+condition, tx.AccountID, arg).Scan(&c.Events)
	if err != nil {
		return fmt.Errorf("count changed resends: %w", err)
	}
	rows, err := tx.Conn().QueryContext(tx.Context(), `
		SELECT r.idempotency_key, r.event_name, r.subject, r."timestamp", r.properties::text, r.sent_at, r.times,
			e.event_name, e.subject, e."timestamp", e.properties::text, e.deprecated
		FROM (SELECT * FROM changed_resends WHERE account_id = $1 AND `+condition+` ORDER BY seq DESC LIMIT $3) AS r
			JOIN event_keys AS k ON k.account_id = $1 AND k.idempotency_key = r.idempotency_key
			JOIN events AS e ON e.account_id = $1 AND e.seq = k.seq
		ORDER BY r.seq DESC`, tx.AccountID, arg, resendExamples)
	if err != nil {
		return fmt.Errorf("list changed resends: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var r ChangedResend
		s, k := &r.Sent, &r.Kept
		err := rows.Scan(&s.Key, &s.Name, &s.Subject, &s.Timestamp, &s.Properties, &r.SentAt, &r.Times, &k.Name, &k.Subject, &k.Timestamp, &k.Properties, &k.Deprecated)
		if err != nil {
			return fmt.Errorf("read a changed resend: %w", err)
		}
		k.Key = s.Key
		s.Timestamp, k.Timestamp, r.SentAt = s.Timestamp.UTC(), k.Timestamp.UTC(), r.SentAt.UTC()
		c.Examples = append(c.Examples, r)
	}
	return rows.Err()
}
