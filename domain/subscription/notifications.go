package subscription

import (
	"time"

	"tollkeeper/domain/due"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// Notify announces the beginning and the end of a subscription that have come by now and
// that were not announced yet. One that was canceled before it began ends at once, and never
// begins.
func (s *Subscription) Notify(tx *store.Tx) error {
	before := s.NextNewsAt
	for s.NextNewsAt != nil && (!s.NextNewsAt.After(tx.Now) || s.Status(tx.Now) == StatusEnded) {
		never := s.EndAt != nil && s.EndAt.Equal(s.StartAt)
		if s.NextNewsAt.Equal(s.StartAt) && !never {
			webhook.Announce(tx, webhook.SubscriptionStarted, s.ID, nil)
			s.NextNewsAt = s.EndAt
			continue
		}
		webhook.Announce(tx, webhook.SubscriptionEnded, s.ID, nil)
		s.NextNewsAt = nil
	}
	if s.NextNewsAt == before {
		return nil
	}
	return tx.Model(&Subscription{}).Where("id = ?", s.ID).
		Select("next_news_at").Updates(&Subscription{NextNewsAt: s.NextNewsAt}).Error
}

// NextNotice returns the earliest instant, at or before by, at which a subscription begins
// or ends and was not announced yet.
func NextNotice(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	return first(tx, due.Notices, "next_news_at", by)
}

// NotifyNext tells of the subscription that began or ended first. It reports false when
// none has.
func NotifyNext(tx *store.Tx) (more bool, err error) {
	var subs []Subscription
	err = tx.Clauses(forUpdateSkipLocked).Where("next_news_at <= ?", tx.Now).Where(free(due.Notices)).Order("next_news_at, seq").Limit(1).Find(&subs).Error
	if err != nil || len(subs) == 0 {
		return false, err
	}
	due.Concern(tx, subs[0].subject())
	return true, subs[0].Notify(tx)
}

// SkipNotice leaves the beginning or the end of a subscription untold, of which a unit was parked.
func SkipNotice(tx *store.Tx, p due.Parked) error {
	var s Subscription
	if err := tx.Clauses(forUpdate).Where("id = ?", p.SubscriptionID).Take(&s).Error; err != nil {
		return store.Found(err, "Subscription", *p.SubscriptionID)
	}
	if s.NextNewsAt == nil || s.NextNewsAt.After(p.DueAt) {
		return nil // told meanwhile
	}
	if s.NextNewsAt.Equal(s.StartAt) && (s.EndAt == nil || s.EndAt.After(s.StartAt)) {
		s.NextNewsAt = s.EndAt
	} else {
		s.NextNewsAt = nil
	}
	return tx.Model(&s).Select("next_news_at").Updates(&s).Error
}
