package credit

import (
	"fmt"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// Grant is credits to add.
type Grant struct {
	Currency         money.Currency // the customer's real currency, or credits
	Amount           money.Decimal  // more than 0
	EffectiveDate    *string        // date or date-time; nil: today
	ExpiryDate       *string        // date or date-time, exclusive; nil: never
	PerUnitCostBasis *string        // decimal, not negative
	Filters          []ItemFilter
	Description      *string
	Metadata         map[string]*string
}

// Add gives credits to a customer in a block of their own, whatever the balance
// was (semantics 10.1.2), and returns the increment, which is committed. An item
// of a filter that does not exist is fault.Missing.
func Add(tx *store.Tx, buyer customer.Customer, grant Grant) (Entry, error) {
	block, err := grant.block(tx, buyer)
	if err != nil {
		return Entry{}, err
	}
	if err := grant.checkItems(tx); err != nil {
		return Entry{}, err
	}
	ledger, err := lockLedger(tx, buyer.ID, grant.Currency)
	if err != nil {
		return Entry{}, err
	}
	balance, err := Balance(tx, buyer.ID, grant.Currency)
	if err != nil {
		return Entry{}, err
	}
	if err := tx.Create(&block).Error; err != nil {
		return Entry{}, err
	}
	entry := Entry{
		Record:          tx.Record("entry"),
		CustomerID:      buyer.ID,
		Currency:        grant.Currency,
		Kind:            KindIncrement,
		Status:          EntryCommitted,
		Amount:          grant.Amount,
		StartingBalance: balance,
		EndingBalance:   balance,
		BlockID:         block.ID,
		Description:     grant.Description,
		Metadata:        block.Metadata,
		Block:           block,
	}
	if block.counts(tx.Now) {
		entry.EndingBalance = balance.Add(grant.Amount)
	}
	return entry, ledger.append(tx, &entry)
}

// block checks the grant and makes the block it asks for.
func (g Grant) block(tx *store.Tx, buyer customer.Customer) (Block, error) {
	metadata, metadataErr := store.Metadata(nil).Merge(g.Metadata)
	effective, expires, datesErr := g.dates(tx.Now, buyer.Location())
	if err := fault.Join(g.checkAmounts(), g.checkFilters(), datesErr, metadataErr); err != nil {
		return Block{}, err
	}
	if err := g.checkCurrency(buyer); err != nil {
		return Block{}, err
	}
	return Block{
		Record:           tx.Record("block"),
		CustomerID:       buyer.ID,
		Currency:         g.Currency,
		Source:           SourceManual,
		Status:           BlockActive,
		InitialBalance:   g.Amount,
		Balance:          g.Amount,
		EffectiveAt:      effective,
		ExpiresAt:        expires,
		PerUnitCostBasis: g.PerUnitCostBasis,
		Filters:          append([]ItemFilter{}, g.Filters...),
		Metadata:         metadata,
	}, nil
}

// checkAmounts refuses what is wrong whoever gets it (semantics 0.3.3, 10.3.9).
func (g Grant) checkAmounts() error {
	var currencyErr, amountErr, basisErr error
	if !g.Currency.Valid() && g.Currency != money.Credits {
		currencyErr = fault.Bad("currency", "must be an ISO 4217 code or %s", money.Credits)
	}
	switch {
	case g.Amount.Sign() <= 0:
		amountErr = fault.Bad("amount", "must be more than 0")
	case !g.Currency.Fits(g.Amount):
		amountErr = fault.Bad("amount", "must have at most %d decimal places in this currency", g.Currency.MinorUnits())
	}
	if g.PerUnitCostBasis != nil {
		basis, err := money.Parse(*g.PerUnitCostBasis)
		switch {
		case err != nil:
			basisErr = fault.Bad("per_unit_cost_basis", "%v", err)
		case basis.Sign() < 0:
			basisErr = fault.Bad("per_unit_cost_basis", "must not be negative")
		}
	}
	return fault.Join(currencyErr, amountErr, basisErr)
}

// checkCurrency refuses real money other than the customer's (semantics 10.1.6).
func (g Grant) checkCurrency(buyer customer.Customer) error {
	if g.Currency.Valid() && (buyer.Currency == nil || *buyer.Currency != g.Currency) {
		return fault.Refused("credits in a real currency must be in that of the customer")
	}
	return nil
}

func (g Grant) checkFilters() error {
	var faults []error
	for i, filter := range g.Filters {
		if len(filter.ItemIDs) == 0 {
			faults = append(faults, fault.Bad(fmt.Sprintf("filters[%d].values", i), "must name at least one item"))
		}
	}
	return fault.Join(faults...)
}

func (g Grant) checkItems(tx *store.Tx) error {
	var ids []string
	for _, filter := range g.Filters {
		ids = append(ids, filter.ItemIDs...)
	}
	items, err := catalog.FindItems(tx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, found := items[id]; !found {
			return fault.Missing("Item", id)
		}
	}
	return nil
}

// dates are the midnights in loc at which the credits take effect and expire
// (semantics 10.1.4).
func (g Grant) dates(now time.Time, loc *time.Location) (effective time.Time, expires *time.Time, err error) {
	effective = period.DateOf(now, loc).In(loc)
	if g.EffectiveDate != nil {
		if effective, err = midnight("effective_date", *g.EffectiveDate, loc); err != nil {
			return effective, nil, err
		}
	}
	if g.ExpiryDate != nil {
		at, err := midnight("expiry_date", *g.ExpiryDate, loc)
		if err != nil {
			return effective, nil, err
		}
		if !at.After(effective) {
			return effective, nil, fault.Bad("expiry_date", "must be after effective_date")
		}
		expires = &at
	}
	return effective, expires, nil
}

// midnight reads a date. A date-time counts as its local date (semantics 10.1.7).
func midnight(field, text string, loc *time.Location) (time.Time, error) {
	at, err := period.ParseInstant(text, loc)
	if err != nil {
		return time.Time{}, fault.Bad(field, "%v", err)
	}
	return period.DateOf(at, loc).In(loc), nil
}
