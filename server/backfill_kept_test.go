package server_test

import (
	"context"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store/storetest"
)

var _ = Describe("a backfill of a month whose events were dropped", func() {
	It("is not opened, and not reverted when it was closed before", func() {
		d := startAlone().newUsageFixture(object{"start_date": "2025-06-01"})
		before := d.closed(nil, "2025-07-03 5")
		open := d.open(nil)
		ctx := context.Background()
		owner, err := pgx.Connect(ctx, storetest.URL(d.store))
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = owner.Close(ctx) }()
		_, err = owner.Exec(ctx, "INSERT INTO dropped_event_months (start_at, end_at) VALUES ('2025-07-01', '2025-08-01')")
		Expect(err).NotTo(HaveOccurred())

		d.revert(before).refuse(400, "400-constraint-violation", "no longer kept")
		Expect(d.fetch(before).at("status")).To(Equal("reflected"))
		d.revert(open).expect(200)
		d.post(backfills, july(nil)).refuse(400, "400-constraint-violation", "no longer kept")
		d.open(object{"timeframe_start": "2025-06-01T00:00:00Z", "timeframe_end": "2025-07-01T00:00:00Z"})
	})
})
