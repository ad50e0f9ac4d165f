package alert

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// Firing is that a threshold of usage, costs or a license was reached. The schema keeps it
// from happening twice in a period.
type Firing struct {
	store.Record
	AlertID        string
	SubscriptionID string
	PeriodStart    time.Time // of the billing period or, of licenses, of what they are granted for
	GroupDigest    []byte
	Threshold      money.Decimal
	Value          money.Decimal // that reached it
}

// TableName has no noun of its own.
func (Firing) TableName() string { return "alert_firings" }

// Reading is a value that an alert watches, in a billing period. A grouped alert has one for each
// group. An alert of licenses has one for each license and unit.
type Reading struct {
	Group []string // values of the grouping keys; none without. Of licenses: name, id and unit
	Value money.Decimal
}

// ThresholdCrossing is the content of a notification: for each group, the greatest threshold that one
// evaluation found reached (semantics 12.2.3).
type ThresholdCrossing struct {
	Alert  Alert // as the subscription sees it
	Period period.Period
	Groups []Crossed // without groups it is one
}

// Crossed is a threshold, and the value that reached it.
type Crossed struct {
	Group     []string
	Threshold money.Decimal
	Value     money.Decimal
}

// Fire compares readings of a subscription's period with the thresholds, and
// announces those that are reached for the first time in the period. Where several look at the
// same time, one of them announces.
func (a Alert) Fire(tx *store.Tx, subscriptionID string, in period.Period, readings []Reading) error {
	var reached []Firing
	for _, r := range readings {
		for _, threshold := range Reached(a.For(r.Group), r.Value) {
			reached = append(reached, Firing{
				Record: tx.Record("firing"), AlertID: a.ID, SubscriptionID: subscriptionID, PeriodStart: in.Start,
				GroupDigest: digest(r.Group), Threshold: threshold, Value: r.Value,
			})
		}
	}
	first, err := insertNew(tx, reached)
	if err != nil {
		return err
	}
	tell := greatest(first)
	var crossed []Crossed
	for _, r := range readings {
		if threshold, new := tell[string(digest(r.Group))]; new {
			crossed = append(crossed, Crossed{Group: r.Group, Threshold: threshold, Value: r.Value})
		}
	}
	if len(crossed) == 0 {
		return nil
	}
	crossing := ThresholdCrossing{Alert: a, Period: in, Groups: crossed}
	if a.OwnerID != nil {
		tx.Note(OwnCrossing{subscriptionID, crossing})
	} else {
		webhook.Announce(tx, a.announcement(), subscriptionID, crossing)
	}
	return nil
}

func (a Alert) announcement() webhook.Type {
	switch {
	case a.Type == UsageExceeded:
		return webhook.SubscriptionUsageExceeded
	case a.Type == LicenseReached:
		return webhook.SubscriptionLicenseBalanceThresholdMet
	case a.Type == SpendExceeded:
		return webhook.SubscriptionSpendExceeded
	case a.Grouped():
		return webhook.SubscriptionGroupedCostExceeded
	default:
		return webhook.SubscriptionCostExceeded
	}
}

// insertNew keeps those firings that there are none of yet, and returns them.
func insertNew(tx *store.Tx, reached []Firing) (first []Firing, err error) {
	if len(reached) == 0 {
		return nil, nil
	}
	// in one order for all who do so at once
	slices.SortFunc(reached, func(a, b Firing) int {
		return cmp.Or(bytes.Compare(a.GroupDigest, b.GroupDigest), a.Threshold.Cmp(b.Threshold))
	})
	var ids, thresholds, values []string
	var digests [][]byte
	for _, f := range reached {
		ids, digests = append(ids, f.ID), append(digests, f.GroupDigest)
		thresholds, values = append(thresholds, f.Threshold.String()), append(values, f.Value.String())
	}
	of := reached[0]
	rows, err := tx.Conn().QueryContext(tx.Context(), `
		INSERT INTO alert_firings AS f (account_id, id, created_at, alert_id, subscription_id, period_start, group_digest, threshold, value)
		SELECT $1, id, $2, $3, $4, $5, digest, threshold::numeric, value::numeric
		FROM unnest($6::text[], $7::bytea[], $8::text[], $9::text[]) WITH ORDINALITY AS r (id, digest, threshold, value, place)
		WHERE NOT EXISTS (SELECT FROM alert_firings AS known WHERE known.account_id = $1 AND known.alert_id = $3 AND known.subscription_id = $4
			AND known.period_start = $5 AND known.group_digest = r.digest AND known.threshold = r.threshold::numeric)
		ORDER BY place
		ON CONFLICT ON CONSTRAINT alert_firings_once DO NOTHING
		RETURNING f.id`,
		tx.AccountID, tx.Now, of.AlertID, of.SubscriptionID, of.PeriodStart, ids, digests, thresholds, values)
	if err != nil {
		return nil, fmt.Errorf("keep what fired: %w", err)
	}
	kept, err := scanned(rows)
	if err != nil {
		return nil, fmt.Errorf("keep what fired: %w", err)
	}
	inserted := map[string]bool{}
	for _, id := range kept {
		inserted[id] = true
	}
	return slices.DeleteFunc(reached, func(f Firing) bool { return !inserted[f.ID] }), nil
}

// greatest are the highest thresholds among firings, by the digests of their groups. The
// firings of a group rise.
func greatest(firings []Firing) map[string]money.Decimal {
	by := map[string]money.Decimal{}
	for _, f := range firings {
		by[string(f.GroupDigest)] = f.Threshold
	}
	return by
}

func digest(group []string) []byte {
	if len(group) == 0 {
		return []byte{}
	}
	sum := sha256.Sum256([]byte(strings.Join(group, "\x00"))) // which no value has
	return sum[:]
}

func scanned(rows *sql.Rows) (texts []string, err error) {
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, rows.Err()
}
