package usage

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"tollkeeper/store"
)

// partitions are the months, by their first instant in UTC, that have a table
// as far as this server knows.
type partitions struct {
	mu    sync.Mutex
	known map[time.Time]bool
}

func monthOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// missing are the months of a batch that may have no table yet.
func (p *partitions) missing(b *batch) (months []time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range b.entries {
		if b.entries[i].failures != nil {
			continue
		}
		month := monthOf(b.entries[i].event.Timestamp)
		if !p.known[month] && !slices.Contains(months, month) {
			months = append(months, month)
		}
	}
	return months
}

// make gives each month a table, unless it has one.
func (p *partitions) make(ctx context.Context, st *store.Store, months []time.Time) error {
	err := st.Update(ctx, func(tx *store.Tx) error {
		for _, month := range months {
			if _, err := tx.Conn().ExecContext(ctx, "SELECT ensure_event_partition($1)", month); err != nil {
				return fmt.Errorf("make a partition of events: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[time.Time]bool{}
	}
	for _, month := range months {
		p.known[month] = true
	}
	return nil
}
