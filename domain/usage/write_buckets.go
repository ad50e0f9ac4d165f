package usage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tollkeeper/domain/metric"
	"tollkeeper/store"
)

// aggregatorRole reads events and writes buckets, and nothing else.
const aggregatorRole = "tollkeeper_aggregator"

// decomposed is a series with what its metric needs of events.
type decomposed struct {
	series
	summary *metric.Summary
}

// put adds the events that a condition on e holds for to the buckets of series, and
// tells which of them failed: one keeps no other. Those of events before an instant are
// added to the buckets of six-hour buckets too.
func put(tx *store.Tx, all []series, condition metric.Fragment, sixHourlyTo time.Time) (failed []int64, err error) {
	reasons := map[int64]error{}
	err = tx.As(aggregatorRole, func() error {
		for _, together := range grainGroups(all, reasons) {
			err := tx.Try(func(tx *store.Tx) error { return together.put(tx, condition, sixHourlyTo) })
			if err == nil {
				continue
			}
			for _, s := range together {
				err := tx.Try(func(tx *store.Tx) error { return grainGroup{s}.put(tx, condition, sixHourlyTo) })
				if tx.Context().Err() != nil {
					return err
				}
				if err != nil {
					reasons[s.ID] = err
				}
			}
		}
		return nil
	})
	for id, reason := range reasons {
		failed = append(failed, id)
		if err == nil {
			err = tx.Exec("UPDATE usage_series SET failed_at = clock_timestamp(), failure = ? WHERE account_id = ? AND id = ?",
				reason.Error(), tx.AccountID, id).Error
		}
	}
	return failed, err
}

// grainGroup is series of one grain whose events are read once.
type grainGroup []decomposed

// grainGroups divides series, so that those that can are put together. It leaves out, with the
// reason, those whose metric this version of the language does not know or add up.
func grainGroups(all []series, reasons map[int64]error) (teams []grainGroup) {
	together := map[int64]int{} // by grain
	for _, each := range all {
		summary, err := each.summary()
		if err != nil {
			reasons[each.ID] = err
			continue
		}
		s := decomposed{each, summary}
		at, known := together[s.Grain]
		switch {
		case s.summary.Steps():
			teams = append(teams, grainGroup{s})
		case known:
			teams[at] = append(teams[at], s)
		default:
			together[s.Grain] = len(teams)
			teams = append(teams, grainGroup{s})
		}
	}
	return teams
}

// summary is what is kept of events for the series. It fails where this version of the
// language does not know the metric, or cannot add it up.
func (s series) summary() (*metric.Summary, error) {
	query, err := metric.Parse(s.Metric)
	if err != nil {
		return nil, err
	}
	if query.Summary() == nil {
		return nil, errNoSummary
	}
	return query.Summary(), nil
}

var errNoSummary = errors.New("usage: the metric does not add up")

// put writes the totals of all series of an hour in one row, and of a six-hour bucket that is
// there in another, and the values that came up for the first time in an hour.
func (t grainGroup) put(tx *store.Tx, condition metric.Fragment, sixHourlyTo time.Time) error {
	var counting metric.Counting
	for _, s := range t {
		counting = append(counting, s.summary)
	}
	grain := t[0].grain()
	to := &statement{}
	to.add("WITH counted AS (")
	to.fragment(counting.Rows(metric.Frame{Events: grain.hourly(tx.AccountID, condition), Keys: 1 + len(grain.keys)}))
	to.add(")")
	if values := counting.Values(1 + len(grain.keys)); values != "" {
		to.add(", noted AS (")
		t.note(to, tx.AccountID, grain, values)
		to.add(")")
	}
	totals, merged := t.totals(counting)
	add := func(table, hour, where string, args ...any) {
		to.add("INSERT INTO "+table+` AS b (account_id, grain, subject, hour, digest, keys, totals)
			SELECT ?, ?, key0, `+hour+` AS hour, `+grain.digest+`, `+grain.row+`, ARRAY[`+strings.Join(totals, ", ")+`]
			FROM counted WHERE `+where+` GROUP BY hour, key0`+grain.columns+`
			ON CONFLICT (account_id, grain, subject, hour, digest) DO UPDATE SET totals = `+merged, append([]any{tx.AccountID, grain.id}, args...)...)
	}
	if !sixHourlyTo.IsZero() {
		to.add(", late AS (")
		add("usage_buckets_6h", sixHoursOf("slice"), "slice < ?", sixHourlyTo)
		to.add(")")
	}
	to.add(" ")
	add("usage_buckets", "slice", "TRUE")
	if _, err := tx.Conn().ExecContext(tx.Context(), to.numbered(), to.args...); err != nil {
		return fmt.Errorf("put events into buckets: %w", err)
	}
	return nil
}

// totals are those of a row by their places, and how they are merged with a row b that
// is there, which may have more of them.
func (t grainGroup) totals(counting metric.Counting) (totals []string, merged string) {
	for k, s := range t {
		for i, total := range counting.Totals(k) {
			place := s.First + i
			for len(totals) < place {
				totals = append(totals, "NULL")
			}
			totals[place-1] = total
		}
	}
	places := make([]string, len(totals))
	for place := range places {
		places[place] = fmt.Sprintf("b.totals[%d]", place+1)
	}
	for k, s := range t {
		for i := range counting[k].Width() {
			place := s.First + i
			places[place-1] = counting[k].Merged(i, fmt.Sprintf("b.totals[%d]", place), fmt.Sprintf("excluded.totals[%d]", place))
		}
	}
	return totals, fmt.Sprintf("ARRAY[%s] || b.totals[%d:]", strings.Join(places, ", "), len(places)+1)
}

// note writes the hours of values that are not known yet.
func (t grainGroup) note(to *statement, account string, grain grain, values string) {
	ids := make([]int64, len(t))
	for k, s := range t {
		ids[k] = s.ID
	}
	to.add("INSERT INTO usage_values AS b (account_id, series, subject, month, digest, keys, total, value, hours) SELECT v.* FROM (")
	to.fragment(noted(account, ids, grain, values))
	to.add(`) AS v
			LEFT JOIN usage_values AS known USING (account_id, series, subject, month, digest, total, value)
		WHERE known.hours IS NULL OR known.hours | v.hours <> known.hours
		ON CONFLICT (account_id, series, subject, month, digest, total, value) DO UPDATE SET hours = b.hours | excluded.hours`)
}

// noted is the hours in which values came up, as rows of usage_values.
func noted(account string, series []int64, grain grain, values string) metric.Fragment {
	s := &statement{}
	s.add(`SELECT ?::text COLLATE "C" AS account_id, (?::bigint[])[place + 1] AS series, key0 COLLATE "C" AS subject,
				date_trunc('month', slice) AS month, `+grain.digest+` AS digest, `+grain.row+` AS keys, total, value,
				bit_or(set_bit(0::bit(744), (extract(epoch FROM slice - date_trunc('month', slice)) / 3600)::integer, 1)) AS hours
			FROM (`+values+`) AS v GROUP BY place, key0, month, total, value`+grain.columns, account, series)
	return metric.Fragment{SQL: s.text.String(), Args: s.args}
}

// grain is the keys of buckets, as SQL over columns key1, key2, ….
type grain struct {
	id      int64
	keys    []string
	columns string // each behind a comma
	row     string
	digest  string
}

func (s series) grain() grain {
	g := grain{id: s.Grain, keys: s.Keys, digest: "''::bytea"}
	columns := make([]string, len(s.Keys))
	for i := range columns {
		columns[i] = fmt.Sprintf("key%d", i+1)
		g.columns += ", " + columns[i]
	}
	g.row = "ARRAY[" + strings.Join(columns, ", ") + "]::text[]"
	if len(columns) > 0 {
		g.digest = "sha256(convert_to(" + g.row + "::text, 'UTF8'))"
	}
	return g
}

// hourly are events of the account by hour, subject and keys.
func (g grain) hourly(account string, condition metric.Fragment) metric.Fragment {
	from := &statement{}
	from.add("SELECT " + hourOf(`e."timestamp"`) + " AS slice, e.subject AS key0, ")
	for i, key := range g.keys {
		from.fragment(metric.Label("e", key))
		from.add(fmt.Sprintf(" AS key%d, ", i+1))
	}
	from.add("e.* FROM events AS e WHERE e.account_id = ? AND ", account)
	from.fragment(condition)
	return metric.Fragment{SQL: from.text.String(), Args: slices.Clone(from.args)}
}
