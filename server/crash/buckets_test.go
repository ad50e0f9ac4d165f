package crash_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// metered is an account with usage in the past, seen as the server sees it.
type metered struct {
	client
	account string
	store   *store.Store
}

// openMetered makes the account, with a price for each kind of metric that buckets are
// kept for, some of them by a property.
func (m *machine) openMetered() metered {
	GinkgoHelper()
	made := m.testAccount("Metering")
	m.execute("UPDATE accounts SET grace_period_seconds = 8640000, corrections_per_customer = 1000000 WHERE id = '" + made.ID + "'")
	c := m.client(made.Key)
	c.must(http.MethodPost, "/v1/test_clock/advance", object{"now": pastEnd}, "")
	item := c.must(http.MethodPost, "/v1/items", object{"name": "Calls"}, "")
	var prices []object
	for _, sql := range []string{
		"SELECT COUNT(*) FROM events", "SELECT SUM(n) FROM events", "SELECT MAX(n) FROM events", "SELECT AVG(n) FROM events",
		"SELECT COUNT(DISTINCT user) FROM events", "SELECT SUM(n) FROM events WHERE region = 'eu'",
	} {
		metric := c.must(http.MethodPost, "/v1/metrics", object{"name": sql, "description": nil, "item_id": item, "sql": sql}, "")
		price := object{"name": sql, "item_id": item, "billable_metric_id": metric, "cadence": "monthly"}
		if strings.Contains(sql, "COUNT") {
			price["model_type"], price["matrix_config"] = "matrix", object{"default_unit_amount": "1", "dimensions": []string{"region"}, "matrix_values": []object{
				{"dimension_values": []string{"us"}, "unit_amount": "3"},
			}}
		} else {
			price["model_type"], price["unit_config"] = "unit", object{"unit_amount": "1"}
		}
		prices = append(prices, object{"price": price})
	}
	plan := c.must(http.MethodPost, "/v1/plans", object{"name": "Calls", "currency": "USD", "prices": prices}, "")
	for _, alias := range buyersOfPast {
		buyer := c.must(http.MethodPost, "/v1/customers", object{"name": alias, "email": "a@acme.test", "external_customer_id": alias}, "")
		c.must(http.MethodPost, "/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan, "start_date": "2025-01-01"}, "")
	}
	st, err := store.Open(context.Background(), m.url())
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(st.Close)
	return metered{c, made.ID, st}
}

func (a metered) ctx() context.Context { return store.WithAccount(context.Background(), a.account) }

// differences compares costs from buckets with those from events, in one snapshot,
// whatever clients and aggregator are doing.
func (a metered) differences() (found string, err error) {
	err = a.store.View(a.ctx(), func(tx *store.Tx) (err error) {
		found, err = differencesIn(tx)
		return err
	})
	return found, err
}

func differencesIn(tx *store.Tx) (string, error) {
	var found strings.Builder
	fromEvents := &store.Tx{DB: tx.WithContext(usage.ReadEvents(tx.Context())), AccountID: tx.AccountID, Now: tx.Now}
	for _, alias := range buyersOfPast {
		kept, err := costs(tx, alias)
		if err != nil {
			return "", err
		}
		counted, err := costs(fromEvents, alias)
		if err != nil {
			return "", err
		}
		for i := range max(len(kept), len(counted)) {
			if i >= len(kept) || i >= len(counted) || kept[i] != counted[i] {
				fmt.Fprintf(&found, "%s, line %d of %d: buckets %s\nevents %s\n", alias, i, len(counted), kept[i:min(i+1, len(kept))], counted[i:min(i+1, len(counted))])
			}
		}
	}
	return found.String(), nil
}

// costs are those of a customer day by day, price by price.
func costs(tx *store.Tx, alias string) (lines []string, err error) {
	buyer, err := customer.FindByExternalID(tx, alias)
	if err != nil {
		return nil, err
	}
	days, err := charge.CustomerCosts(tx, buyer, charge.CostQuery{InvoicesOf: invoice.InvoicesBeside})
	for _, day := range days {
		for _, p := range day.Prices {
			lines = append(lines, fmt.Sprintf("%s %s: %s for %s", day.Window.End.Format(time.DateOnly), p.Price.Name, p.Total, p.Quantity))
		}
	}
	return lines, err
}

// equal waits for a database that answers, and compares.
func (a metered) equal() {
	GinkgoHelper()
	var found string
	Eventually(func() (err error) {
		found, err = a.differences()
		return err
	}).WithTimeout(time.Minute).WithPolling(patience).Should(Succeed())
	Expect(found).To(BeEmpty())
}

// settled tells whether all events are in buckets, and all hours whole.
func (a metered) settled() (settled bool, err error) {
	err = a.store.View(a.ctx(), func(tx *store.Tx) error {
		return tx.Raw(`SELECT NOT EXISTS (SELECT FROM usage_gaps) AND NOT EXISTS (SELECT FROM usage_series AS s WHERE s.mark <> p.mark)
			AND NOT EXISTS (SELECT FROM events AS e WHERE e.seq >= p.mark) FROM usage_progress AS p`).Row().Scan(&settled)
	})
	return settled, err
}

// differencesAfter is what would be found after a change of the database, which is undone.
func (a metered) differencesAfter(change string) (found string) {
	GinkgoHelper()
	undone := errors.New("undone")
	Expect(a.store.Update(a.ctx(), func(tx *store.Tx) (err error) {
		if err := tx.Exec(change).Error; err != nil {
			return err
		}
		if found, err = differencesIn(tx); err != nil {
			return err
		}
		return undone
	})).To(MatchError(undone))
	return found
}
