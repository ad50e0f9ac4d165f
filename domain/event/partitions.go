package event

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// smallestKeyPart is what the table of a part of the keys takes at least, in bytes,
// before another part is begun. The smaller it is, the fewer pages of its index do keys
// without an order touch, each of which goes into the log as a whole after a checkpoint. Parts
// grow with all that there is, for the filter of each is asked about a new key.
const (
	smallestKeyPart = 32 << 20
	largestKeyShare = 64 // of all keys, as a divisor
)

// monthsAhead is for how many months to come there are partitions.
const monthsAhead = 2

// EnsurePartitions begins a part of the keys when the last is full, and makes the partitions of
// the months to come, so that no recording has to. It is real time that counts: a test
// clock that runs ahead makes its own.
func EnsurePartitions(ctx context.Context, st *store.Store) error {
	return st.Shared(ctx, func(db *gorm.DB) error {
		err := db.Exec(`
			SELECT open_key_part(greatest(?::bigint, (
				SELECT sum(pg_table_size(format('event_keys_%s', part)::regclass))::bigint / ? FROM event_key_parts)))`,
			smallestKeyPart, largestKeyShare).Error
		if err != nil {
			return fmt.Errorf("open a part of keys: %w", err)
		}
		err = db.Exec("SELECT ensure_event_partition(now() + ahead * interval '1 month') FROM generate_series(0, ?) AS ahead", monthsAhead).Error
		if err != nil {
			return fmt.Errorf("make partitions: %w", err)
		}
		return nil
	})
}

// DropMonth drops the events of the oldest month that ended so many months ago, real
// time, and is needed no more: what the events count is in buckets. It reports which
// that was, and false if there was none. The keys stay.
func DropMonth(ctx context.Context, st *store.Store, keep int) (month time.Time, found bool, err error) {
	var dropped sql.NullTime
	err = st.Shared(ctx, func(db *gorm.DB) error { return db.Raw("SELECT drop_event_month(?)", keep).Row().Scan(&dropped) })
	if err != nil {
		return month, false, fmt.Errorf("drop events: %w", err)
	}
	return dropped.Time.UTC(), dropped.Valid, nil
}

// DroppedMonths is a relation, with start_at and end_at, of the months of which events of
// the account $1 were dropped.
const DroppedMonths = "(SELECT start_at, end_at FROM dropped_event_months WHERE accounts IS NULL OR $1 = ANY (accounts)) AS dropped"

// RefuseDropped refuses a period of which events of the account were dropped: its usage
// cannot be counted again. It stays as it is until the transaction ends.
func RefuseDropped(tx *store.Tx, p period.Period) error {
	var dropped bool
	err := tx.Conn().QueryRowContext(tx.Context(),
		"SELECT EXISTS (SELECT FROM "+DroppedMonths+" WHERE start_at < $2 AND end_at > $3)", tx.AccountID, p.End, p.Start).Scan(&dropped)
	if err != nil {
		return fmt.Errorf("look for dropped events: %w", err)
	}
	if dropped {
		return fault.Refused("events of that time are no longer kept, so what they count for cannot change")
	}
	return nil
}

// Storage is what events take on disk, in bytes.
type Storage struct {
	Events  int64 // how many there are, nearly
	Months  int64
	Table   int64
	Indexes int64
	Keys    int64 // of dropped events too
	Buckets int64

	Closed   int64 // parts of the keys
	Filtered int64 // of them, those with a filter
	Filters  int64
}

// StorageOf looks at the whole installation.
func StorageOf(ctx context.Context, st *store.Store) (s Storage, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error {
		err := db.Raw("SELECT * FROM event_storage()").Row().Scan(&s.Events, &s.Months, &s.Table, &s.Indexes, &s.Keys, &s.Buckets)
		if err != nil {
			return err
		}
		return db.Raw(`SELECT count(*), count(bits), coalesce(sum(octet_length(bits)), 0)::bigint
			FROM event_key_parts LEFT JOIN event_key_filters USING (seal) WHERE seal IS NOT NULL`).Row().Scan(&s.Closed, &s.Filtered, &s.Filters)
	})
	if err != nil {
		return s, fmt.Errorf("measure the storage of events: %w", err)
	}
	return s, nil
}
