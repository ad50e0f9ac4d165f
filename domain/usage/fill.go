package usage

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tollkeeper/domain/metric"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// gap is whole hours whose buckets have to be made anew.
type gap struct {
	ID       int64
	Subjects []string // nil: everybody's
	Period   period.Period
}

// fillGap makes the buckets of a part of the oldest gap anew, of the events below each
// series' mark. A change of history that it cannot see yet comes with a gap of its own.
func fillGap(tx *store.Tx, _ int64) (bool, error) {
	g, found, err := oldestGap(tx)
	if err != nil || !found {
		return false, err
	}
	part := g.part()
	effects, err := effectsWhere(tx, "start_at < $2 AND end_at > $3 AND ($4::text[] IS NULL OR subjects IS NULL OR subjects && $4)",
		part.End, part.Start, g.Subjects)
	if err != nil {
		return false, err
	}
	count, err := counting(effects)
	if err != nil {
		return false, err
	}
	all, err := seriesWhere(tx, "mark > 0")
	if err != nil {
		return false, err
	}
	failed, err := eachSeries(tx, all, func(tx *store.Tx, s standingSeries) error {
		if err := s.clear(tx, g.Subjects, part); err != nil {
			return err
		}
		about := &statement{}
		about.add(`e.seq < ? AND e."timestamp" >= ? AND e."timestamp" < ? AND `, s.Mark, part.Start, part.End)
		if g.Subjects != nil {
			about.add("e.subject = ANY(?::text[]) AND ", g.Subjects)
		}
		about.fragment(count)
		return s.put(tx, metric.Fragment{SQL: about.text.String(), Args: about.args})
	})
	if err != nil {
		return false, err
	}
	for id := range failed { // its buckets say nothing any more: it begins again
		if err := tx.Exec("UPDATE usage_series SET mark = 0 WHERE account_id = ? AND id = ?", tx.AccountID, id).Error; err != nil {
			return false, fmt.Errorf("put a series back: %w", err)
		}
	}
	return true, g.shrink(tx, part.End)
}

func oldestGap(tx *store.Tx) (g gap, found bool, err error) {
	var subjects []byte
	err = tx.Conn().QueryRowContext(tx.Context(),
		"SELECT id, to_json(subjects), start_at, end_at FROM usage_gaps WHERE account_id = $1 ORDER BY id LIMIT 1",
		tx.AccountID).Scan(&g.ID, &subjects, &g.Period.Start, &g.Period.End)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return g, false, nil
	case err == nil && subjects != nil:
		err = json.Unmarshal(subjects, &g.Subjects)
	}
	if err != nil {
		return g, false, fmt.Errorf("look for gaps: %w", err)
	}
	return g, true, nil
}

// part is as much of the gap, from its start, as is made anew at once: nothing beyond a
// month in UTC, and of everybody's usage a day.
func (g gap) part() period.Period {
	start := g.Period.Start.UTC()
	end := time.Date(start.Year(), start.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	if day := time.Date(start.Year(), start.Month(), start.Day()+1, 0, 0, 0, 0, time.UTC); g.Subjects == nil {
		end = day
	}
	if g.Period.End.Before(end) {
		end = g.Period.End
	}
	return period.Period{Start: start, End: end}
}

// shrink takes what lies before an instant out of the gap.
func (g gap) shrink(tx *store.Tx, to time.Time) (err error) {
	if to.Before(g.Period.End) {
		err = tx.Exec("UPDATE usage_gaps SET start_at = ? WHERE account_id = ? AND id = ?", to, tx.AccountID, g.ID).Error
	} else {
		err = tx.Exec("DELETE FROM usage_gaps WHERE account_id = ? AND id = ?", tx.AccountID, g.ID).Error
	}
	if err != nil {
		return fmt.Errorf("close a gap: %w", err)
	}
	return nil
}

// clear empties the buckets of some hours of one month.
func (s standingSeries) clear(tx *store.Tx, subjects []string, hours period.Period) error {
	_, err := tx.Conn().ExecContext(tx.Context(), `
		DELETE FROM usage_buckets WHERE account_id = $1 AND series = $2 AND ($3::text[] IS NULL OR subject = ANY ($3))
			AND hour >= $4 AND hour < $5`, tx.AccountID, s.ID, subjects, hours.Start, hours.End)
	if err == nil {
		months, masks := monthMasks([]period.Period{hours})
		_, err = tx.Conn().ExecContext(tx.Context(), `
			UPDATE usage_values SET hours = hours & ~ $5::text::bit(744)
			WHERE account_id = $1 AND series = $2 AND ($3::text[] IS NULL OR subject = ANY ($3)) AND month = $4
				AND (hours & $5::text::bit(744)) <> 0::bit(744)`, tx.AccountID, s.ID, subjects, months[0], masks[0])
	}
	if err != nil {
		return fmt.Errorf("clear buckets of series %d: %w", s.ID, err)
	}
	return nil
}

// effectsWhere are the revisions in effect that a condition, with arguments from $2 on,
// holds for.
func effectsWhere(tx *store.Tx, condition string, args ...any) (effects []effect, err error) {
	var text []byte
	err = tx.Conn().QueryRowContext(tx.Context(), "SELECT coalesce("+effectsAsJSON+", '[]') FROM usage_revisions WHERE account_id = $1 AND "+condition,
		append([]any{tx.AccountID}, args...)...).Scan(&text)
	if err == nil {
		err = json.Unmarshal(text, &effects)
	}
	if err != nil {
		return nil, fmt.Errorf("list revisions: %w", err)
	}
	return effects, nil
}
