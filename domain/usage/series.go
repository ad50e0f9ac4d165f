package usage

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tollkeeper/domain/metric"
	"tollkeeper/store"
)

// series is a metric whose totals are kept, by some properties.
type series struct {
	ID     int64    `json:"id"`
	Grain  int64    `json:"grain"`
	Keys   []string `json:"keys"` // of the grain, sorted
	Metric string   `json:"metric"`
	First  int      `json:"first"`  // place of its totals in those of the grain, from 1
	Mark   int64    `json:"mark"`   // seq up to which events are in
	Places int      `json:"places"` // digits after the point that quotients in its totals have
}

// seriesAsJSON is rows of usage_series s and usage_grains g as a series is read.
const seriesAsJSON = `coalesce(json_agg(json_build_object('id', s.id, 'grain', s.grain, 'keys', g.keys, 'metric', metric,
	'first', first, 'mark', mark, 'places', quotient_places) ORDER BY s.id), '[]')`

const seriesTables = "usage_series AS s JOIN usage_grains AS g ON g.account_id = s.account_id AND g.id = s.grain"

// seriesWhere lists series that a condition, with arguments from $2 on, holds for.
func seriesWhere(tx *store.Tx, condition string, args ...any) (all []series, err error) {
	var text []byte
	err = tx.Conn().QueryRowContext(tx.Context(), "SELECT "+seriesAsJSON+" FROM "+seriesTables+" WHERE s.account_id = $1 AND "+condition,
		append([]any{tx.AccountID}, args...)...).Scan(&text)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("list series: %w", err)
	}
	return all, nil
}

// TrackMetrics keeps buckets for requests from now on, where that can be done: it says that
// such will be asked again and again. What was asked before is read from events until
// the buckets have caught up.
func TrackMetrics(tx *store.Tx, requests []Request) error {
	var wanted []Request
	metrics := []string{}
	for _, req := range requests {
		if req.summarized() {
			wanted = append(wanted, req)
			metrics = append(metrics, req.Query.Text())
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	known, err := seriesWhere(tx, "metric = ANY ($2)", metrics)
	if err != nil {
		return err
	}
	slices.SortFunc(wanted, func(a, b Request) int { return slices.Compare(a.keys(), b.keys()) }) // as grains are locked
	for _, req := range wanted {
		if slices.ContainsFunc(known, func(s series) bool { return s.exactly(req) }) {
			continue
		}
		added, err := addSeries(tx, req)
		if err != nil {
			return fmt.Errorf("watch usage: %w", err)
		}
		known = append(known, added)
	}
	return nil
}

func (s series) exactly(req Request) bool {
	return s.Metric == req.Query.Text() && slices.Equal(s.Keys, req.keys())
}

// addSeries makes room for the totals of a request, unless another transaction did.
func addSeries(tx *store.Tx, req Request) (series, error) {
	s, width := series{Keys: req.keys(), Metric: req.Query.Text()}, req.Query.Summary().Width()
	err := tx.Conn().QueryRowContext(tx.Context(), `
		INSERT INTO usage_grains AS g (account_id, keys, digest) VALUES ($1, $2, sha256(convert_to($2::text[]::text, 'UTF8')))
		ON CONFLICT (account_id, digest) DO UPDATE SET width = g.width RETURNING id`, tx.AccountID, s.Keys).Scan(&s.Grain)
	if err != nil {
		return s, err
	}
	err = tx.Conn().QueryRowContext(tx.Context(), `
		INSERT INTO usage_series (account_id, grain, metric, digest, first, last, quotient_places)
		SELECT $1, id, $3, sha256(convert_to($3::text, 'UTF8')), width + 1, width + $4, $5 FROM usage_grains WHERE account_id = $1 AND id = $2
		ON CONFLICT DO NOTHING RETURNING id`, tx.AccountID, s.Grain, s.Metric, width, metric.QuotientPlaces).Scan(&s.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return s, nil
	}
	if err == nil {
		_, err = tx.Conn().ExecContext(tx.Context(), "UPDATE usage_grains SET width = width + $1 WHERE account_id = $2 AND id = $3",
			width, tx.AccountID, s.Grain)
	}
	return s, err
}

// summarized tells whether the request could be answered from buckets.
func (req Request) summarized() bool {
	return len(req.Groups) == 0 && req.Filter == nil && req.Query.Summary() != nil
}

// keys are the properties that buckets must tell apart for the request.
func (req Request) keys() []string {
	keys := slices.Clone(req.Split)
	for _, match := range req.Match {
		keys = append(keys, match.Key)
	}
	return unique(keys)
}

func unique(texts []string) []string {
	slices.Sort(texts)
	return append([]string{}, slices.Compact(texts)...)
}

// serving is the series that answers the request with the fewest buckets, nil if there
// is none.
func (st bucketState) serving(req Request) (best *series) {
	if !st.mark.Valid || !req.summarized() {
		return nil
	}
	keys := req.keys()
	for i, s := range st.series {
		serves := s.Metric == req.Query.Text() && !s.coarse(req.Query) && !slices.ContainsFunc(keys, func(key string) bool { return !slices.Contains(s.Keys, key) })
		if serves && (best == nil || len(s.Keys) < len(best.Keys)) {
			best = &st.series[i]
		}
	}
	return best
}
