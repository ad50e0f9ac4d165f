package usage

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"tollkeeper/store"
)

// series is a metric whose buckets are kept, by some properties.
type series struct {
	ID     int64    `json:"id"`
	Metric string   `json:"metric"`
	Keys   []string `json:"keys"` // sorted
}

// Watch keeps buckets for requests from now on, where that can be done: it says that
// such will be asked again and again. What was asked before is read from events until
// the buckets have caught up.
func Watch(tx *store.Tx, requests []Request) error {
	wanted := map[string]series{}
	for _, req := range requests {
		if req.summarized() {
			s := series{Metric: req.Query.Text(), Keys: req.keys()}
			wanted[string(s.digest())] = s
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	return addSeries(tx, wanted)
}

func addSeries(tx *store.Tx, wanted map[string]series) error {
	digests, metrics, keys := [][]byte{}, []string{}, []string{}
	for digest, s := range wanted {
		digests = append(digests, []byte(digest))
		metrics = append(metrics, s.Metric)
		text, err := json.Marshal(s.Keys)
		if err != nil {
			return fmt.Errorf("write keys: %w", err)
		}
		keys = append(keys, string(text))
	}
	_, err := tx.Conn().ExecContext(tx.Context(), `
		INSERT INTO usage_series (account_id, digest, metric, keys)
		SELECT $1, digest, metric, ARRAY(SELECT json_array_elements_text(keys::json))
		FROM unnest($2::bytea[], $3::text[], $4::text[]) AS w (digest, metric, keys)
		WHERE NOT EXISTS (SELECT FROM usage_series AS s WHERE s.account_id = $1 AND s.digest = w.digest)
		ORDER BY digest
		ON CONFLICT DO NOTHING`, tx.AccountID, digests, metrics, keys)
	if err != nil {
		return fmt.Errorf("watch usage: %w", err)
	}
	return nil
}

func (s series) digest() []byte {
	text, _ := json.Marshal([]any{s.Metric, s.Keys}) // strings always can be written
	sum := sha256.Sum256(text)
	return sum[:]
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
func (st standing) serving(req Request) (best *series) {
	if !st.mark.Valid || !req.summarized() {
		return nil
	}
	keys := req.keys()
	for i, s := range st.series {
		serves := s.Metric == req.Query.Text() && !slices.ContainsFunc(keys, func(key string) bool { return !slices.Contains(s.Keys, key) })
		if serves && (best == nil || len(s.Keys) < len(best.Keys)) {
			best = &st.series[i]
		}
	}
	return best
}
