package webhook

import (
	"context"
	"time"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// MostCounted is how many deliveries of each endpoint are counted at most.
const MostCounted = 10_000

// Backlog is what is still to be sent to the enabled endpoints of all accounts.
type Backlog struct {
	Deliveries int64      // that wait for their first attempt or for another one
	FirstAt    *time.Time // when the first of them was or is to be sent, in real time; nil: there are none
}

// CountBacklog counts what is still to be sent.
func CountBacklog(ctx context.Context, st *store.Store) (b Backlog, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error {
		return db.Raw("SELECT deliveries, first_at FROM webhooks_waiting(?)", MostCounted).Scan(&b).Error
	})
	return b, err
}
