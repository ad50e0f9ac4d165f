package event

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// closedPart is a part of the keys that takes no more.
type closedPart struct {
	part   int32
	seal   string
	stored sql.NullInt64 // bytes of its filter; null: not made yet
}

// Learn takes up the filter of the first closed part that the recorder has none of, and makes
// it if no server has. It tells whether it did: it does not if there is no such part, if the
// filters would take more than so many bytes in all, or if another server is making one. In
// parts without filter keys are looked up. One caller at a time.
func (r *Recorder) Learn(ctx context.Context, most int64) (learned bool, err error) {
	closed, err := closedParts(ctx, r.store)
	if err != nil {
		return false, err
	}
	held := *r.known.Load()
	same := 0
	for same < min(len(held), len(closed)) && held[same].seal == closed[same].seal {
		same++
	}
	held = slices.Clip(held[:same]) // of the rest the database forgot that they were closed
	if same < len(closed) {
		var f keyFilter
		f, learned, err = closed[same].filter(ctx, r.store, most-held.size())
		if learned {
			held = append(held, f)
		}
	}
	r.known.Store(&held)
	return learned, err
}

// Filters tells of how many closed parts the recorder has filters, and how many bytes of
// memory they take.
func (r *Recorder) Filters() (parts int, bytes int64) {
	held := *r.known.Load()
	return len(held), held.size()
}

func closedParts(ctx context.Context, st *store.Store) (closed []closedPart, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error {
		rows, err := db.Raw(`
			SELECT part, seal, octet_length(bits) FROM event_key_parts LEFT JOIN event_key_filters USING (seal)
			WHERE seal IS NOT NULL ORDER BY part`).Rows()
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		closed = nil
		for rows.Next() {
			var p closedPart
			if err := rows.Scan(&p.part, &p.seal, &p.stored); err != nil {
				return err
			}
			closed = append(closed, p)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("list the parts of keys: %w", err)
	}
	return closed, nil
}

// filter is the stored one, else one that is made and stored. There is none if it takes
// more than so many bytes, or if another server is making filters.
func (p closedPart) filter(ctx context.Context, st *store.Store, most int64) (f keyFilter, found bool, err error) {
	if p.stored.Valid {
		if p.stored.Int64 > most {
			return f, false, nil
		}
		var stored []byte
		err := st.Shared(ctx, func(db *gorm.DB) error {
			return db.Raw("SELECT bits FROM event_key_filters WHERE seal = ?", p.seal).Row().Scan(&stored)
		})
		if err != nil {
			return f, false, fmt.Errorf("fetch a filter of keys: %w", err)
		}
		f, err = readKeyFilter(p, stored)
		return f, err == nil, err
	}
	release, ok, err := st.Lock(ctx, "key filters")
	if err != nil || !ok {
		return f, false, err
	}
	defer release()
	if f, found, err = p.read(ctx, st, most); err != nil || !found {
		return f, false, err
	}
	bits, err := f.bits.MarshalBinary()
	if err != nil {
		return f, false, err
	}
	err = st.Shared(ctx, func(db *gorm.DB) error {
		return db.Exec("INSERT INTO event_key_filters (seal, bits) VALUES (?, ?) ON CONFLICT DO NOTHING", p.seal, bits).Error
	})
	if err != nil {
		return f, false, fmt.Errorf("store a filter of keys: %w", err)
	}
	return f, true, nil
}

// pagesAtOnce bounds the digests that are in memory, to a few megabytes.
const pagesAtOnce = 4096

// read makes a filter of the keys themselves. All that came into the part is seen, since it
// was closed when the transaction begins. That does not touch the list of parts, so no
// recording waits for it.
func (p closedPart) read(ctx context.Context, st *store.Store, most int64) (f keyFilter, fits bool, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error {
		if err := db.Exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY").Error; err != nil {
			return err
		}
		if err := db.Exec("SET LOCAL statement_timeout = 0").Error; err != nil { // counting has no bound but the part's size
			return err
		}
		var keys, pages int64
		if err := db.Raw("SELECT * FROM count_keys(?)", p.part).Row().Scan(&keys, &pages); err != nil {
			return err
		}
		if fits = filterSize(keys) <= most; !fits {
			return nil
		}
		f = newKeyFilter(p, keys)
		for page := int64(0); page < pages; page += pagesAtOnce {
			var digests []byte
			if err := db.Raw("SELECT digest_keys(?, ?, ?)", p.part, page, page+pagesAtOnce-1).Row().Scan(&digests); err != nil {
				return err
			}
			for d := range slices.Chunk(digests, digestBytes) {
				f.bits.Add(d)
			}
		}
		return nil
	})
	if err != nil {
		return f, false, fmt.Errorf("read the keys of a part: %w", err)
	}
	return f, fits, nil
}
