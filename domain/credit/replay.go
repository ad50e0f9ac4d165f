package credit

import (
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// Charge is what a line of an invoice charges for a local day (semantics 10.2.5).
type Charge struct {
	Day      period.Date
	From     time.Time // the midnight that begins it: blocks in force then pay
	CommitAt time.Time // from then on what paid for it stays as it is

	LineID, InvoiceID, PriceID, ItemID string

	Amount money.Decimal // never negative
}

// Days are local days from First to Last, both inclusive; nil: without a bound.
type Days struct{ First, Last *period.Date }

func (d Days) has(day period.Date) bool {
	return (d.First == nil || !day.Before(*d.First)) && (d.Last == nil || !d.Last.Before(day))
}

// draw is credits that leave a block: to pay for a charge or, without one, as it expires.
type draw struct {
	charge *Charge
	block  int
	amount money.Decimal
}

// replay pays charges, which are in their order, out of blocks, which are in theirs and
// hold what is left of them without the draws that can still change. What a block has
// left when it expires, by now, it loses, but for what it keeps. Nothing becomes negative
// (semantics 10.2.6).
//
// settled tells what paid for a charge for good, and hasPaid that a block did: it can not
// pay again for the same day, since there is one entry for both.
func replay(blocks []Block, charges []Charge, now time.Time, settled func(Charge) money.Decimal, hasPaid func(Charge, Block) bool) (draws []draw) {
	left := make([]money.Decimal, len(blocks))
	for k, b := range blocks {
		left[k] = b.Balance
	}
	expire := func(at time.Time) {
		for _, k := range expiring(blocks, at) {
			kept := money.Min(left[k], blocks[k].kept)
			if lost := left[k].Sub(kept); lost.Sign() > 0 {
				draws = append(draws, draw{block: k, amount: lost})
				left[k] = kept
			}
		}
	}
	for i := range charges {
		c := &charges[i]
		expire(c.From)
		due := money.Min(c.Amount.Sub(settled(*c)), whole(blocks, left, c.From))
		for k, b := range blocks {
			if due.Sign() <= 0 {
				break
			}
			if left[k].Sign() <= 0 || !b.inForce(c.From) || !b.paysFor(c.ItemID) || hasPaid(*c, b) {
				continue
			}
			paid := money.Min(due, left[k])
			draws = append(draws, draw{charge: c, block: k, amount: paid})
			left[k], due = left[k].Sub(paid), due.Sub(paid)
		}
	}
	expire(now)
	return draws
}

// whole is what all blocks in force hold, less what is owed of those that were overdrawn.
func whole(blocks []Block, left []money.Decimal, at time.Time) (sum money.Decimal) {
	for k, b := range blocks {
		if b.inForce(at) || left[k].Sign() < 0 {
			sum = sum.Add(left[k])
		}
	}
	return sum
}

// expiring are the blocks that count and expire by an instant, in the order in which
// they do.
func expiring(blocks []Block, by time.Time) (at []int) {
	for k, b := range blocks {
		if b.Counted && b.expired(by) {
			at = append(at, k)
		}
	}
	slices.SortStableFunc(at, func(i, j int) int { return blocks[i].ExpiresAt.Compare(*blocks[j].ExpiresAt) })
	return at
}
