package usage

import (
	"encoding/json"
	"fmt"
	"time"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// Replacement is a change of history that takes effect as a whole and can be taken back:
// the events that were sent under its id count from then on.
type Replacement struct {
	ID       string
	Subjects []string      // whose usage it changes; nil for everybody's
	Period   period.Period // when
	Replaces bool          // the events that are there when it takes effect count no more
	Filter   string        // of those, only the ones that this condition holds for; "" for all
}

// Apply puts a revision into effect, for every reading from the end of the transaction
// on. Events of its id must all be stored by then, and lie in its period and scope.
func Apply(tx *store.Tx, r Replacement) error {
	if _, err := parseFilter(r.Filter); err != nil {
		return err
	}
	_, err := tx.Conn().ExecContext(tx.Context(), `
		INSERT INTO usage_revisions (account_id, id, subjects, start_at, end_at, replaces, filter, seen)
		VALUES ($1, $2, $3, $4, $5, $6, $7, `+event.Moment+`)`,
		tx.AccountID, r.ID, r.Subjects, r.Period.Start, r.Period.End, r.Replaces, r.Filter)
	if err != nil {
		return fmt.Errorf("revise usage: %w", err)
	}
	return invalidate(tx, r.Subjects, r.Period)
}

// Revert takes a revision back: all counts as if it had never been.
func Revert(tx *store.Tx, id string) error {
	var whose []byte
	err := tx.Conn().QueryRowContext(tx.Context(), `
		WITH gone AS (DELETE FROM usage_revisions WHERE account_id = $1 AND id = $2 RETURNING *)
		INSERT INTO usage_gaps (account_id, subjects, start_at, end_at)
		SELECT account_id, subjects, `+wholeHours+` FROM gone
		RETURNING to_json(subjects)`, tx.AccountID, id).Scan(&whose)
	if err != nil {
		return fmt.Errorf("restore usage: revision %s: %w", id, err)
	}
	var subjects []string
	if whose != nil {
		if err := json.Unmarshal(whose, &subjects); err != nil {
			return fmt.Errorf("restore usage: %w", err)
		}
	}
	return revalued(tx, subjects)
}

// Invalidate says that what the subject's event at an instant counts for has changed.
func Invalidate(tx *store.Tx, subject string, at time.Time) error {
	return invalidate(tx, []string{subject}, period.Period{Start: at, End: at.Add(time.Microsecond)})
}

// wholeHours are those that the time between start_at and end_at touches.
var wholeHours = hourOf("start_at") + ", " + hourOf("end_at + interval '1 hour' - interval '1 microsecond'")

// invalidate leaves the hours that a period touches to be read from events, until their
// buckets are rebuilt.
func invalidate(tx *store.Tx, subjects []string, p period.Period) error {
	if err := event.RefuseDropped(tx, p); err != nil {
		return err
	}
	_, err := tx.Conn().ExecContext(tx.Context(), `
		INSERT INTO usage_gaps (account_id, subjects, start_at, end_at)
		SELECT $1, $2, `+wholeHours+` FROM (SELECT $3::timestamptz AS start_at, $4::timestamptz AS end_at) AS p`,
		tx.AccountID, subjects, p.Start, p.End)
	if err != nil {
		return fmt.Errorf("reopen usage: %w", err)
	}
	return revalued(tx, subjects)
}

// revalued is changed where the value of the usage of subjects is another by now, of
// everybody if they are nil.
func revalued(tx *store.Tx, subjects []string) error {
	if err := changed(tx); err != nil {
		return err
	}
	return alert.ScheduleSubjects(tx, subjects)
}

// changed tells readings that have begun to begin again.
func changed(tx *store.Tx) error {
	_, err := tx.Conn().ExecContext(tx.Context(), `
		INSERT INTO usage_history AS h (account_id, changes) VALUES ($1, 1)
		ON CONFLICT (account_id) DO UPDATE SET changes = h.changes + 1`, tx.AccountID)
	if err != nil {
		return fmt.Errorf("change the history of usage: %w", err)
	}
	return nil
}

// effect is a revision as those see it that read events.
type effect struct {
	Replacement
	Seen string // pg_snapshot

	// Events that were amended since, by seq: the filter held for them or did not.
	Matched, Unmatched []int64
}

// remember notes of an event, which is about to be amended, whether the filters of
// revisions in effect held for it: what they replace is what was there then (semantics
// 3.1.7). Of an event that was amended before it is known.
func remember(tx *store.Tx, e event.Stored) error {
	effects, err := effectsWhere(tx, `replaces AND filter <> '' AND start_at <= $2 AND end_at > $2
		AND (subjects IS NULL OR $3 = ANY (subjects)) AND $4::bigint <> ALL (matched || unmatched)`, e.Timestamp, e.Subject, e.Seq)
	if err != nil {
		return err
	}
	for _, r := range effects {
		filter, err := parseFilter(r.Filter)
		if err != nil {
			return err
		}
		s := &statement{}
		s.add(`UPDATE usage_revisions SET matched = CASE WHEN held THEN matched || ?::bigint ELSE matched END,
				unmatched = CASE WHEN held THEN unmatched ELSE unmatched || ?::bigint END
			FROM (SELECT (`, e.Seq, e.Seq)
		s.fragment(filter.Compile("e"))
		s.add(`) IS TRUE AS held FROM events AS e WHERE e.account_id = ? AND e.seq = ? AND e."timestamp" = ?) AS e
			WHERE account_id = ? AND id = ?`, tx.AccountID, e.Seq, e.Timestamp, tx.AccountID, r.ID)
		if _, err := tx.Conn().ExecContext(tx.Context(), s.numbered(), s.args...); err != nil {
			return fmt.Errorf("remember what a revision replaced: %w", err)
		}
	}
	return nil
}

// counting is a condition on events: whether they count. Effects are those that touch
// the subjects and the time that are read.
func counting(effects []effect) (metric.Fragment, error) {
	s := &statement{}
	if len(effects) == 0 {
		s.add("NOT e.deprecated AND e.backfill_id IS NULL")
		return metric.Fragment{SQL: s.text.String()}, nil
	}
	ids := make([]string, len(effects))
	for i, r := range effects {
		ids[i] = r.ID
	}
	s.add("NOT e.deprecated AND (e.backfill_id IS NULL OR e.backfill_id = ANY(?::text[]))", ids)
	for _, r := range effects {
		if !r.Replaces {
			continue
		}
		s.add(` AND NOT (e."timestamp" >= ? AND e."timestamp" < ? AND e.backfill_id IS DISTINCT FROM ?
			AND `+event.InSnapshot("?"), r.Period.Start, r.Period.End, r.ID, r.Seen)
		if r.Subjects != nil {
			s.add(" AND e.subject = ANY(?::text[])", r.Subjects)
		}
		filter, err := parseFilter(r.Filter)
		if err != nil {
			return metric.Fragment{}, err
		}
		if filter != nil {
			s.add(" AND ((")
			s.fragment(filter.Compile("e"))
			s.add(") IS TRUE AND e.seq <> ALL (?::bigint[]) OR e.seq = ANY (?::bigint[]))", r.Unmatched, r.Matched)
		}
		s.add(")")
	}
	return metric.Fragment{SQL: s.text.String(), Args: s.args}, nil
}

func parseFilter(text string) (*metric.Condition, error) {
	if text == "" {
		return nil, nil
	}
	return metric.ParseCondition(text)
}
