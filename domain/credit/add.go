package credit

import (
	"fmt"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Grant is credits to add.
type Grant struct {
	Currency         money.Currency // the customer's real currency, or credits
	Amount           money.Decimal  // more than 0
	EffectiveAt      *time.Time     // nil: the midnight that began today; see [Midnight]
	ExpiresAt        *time.Time     // exclusive; nil: never
	PerUnitCostBasis *string        // decimal, not negative
	Filters          []ItemFilter
	Description      *string
	Metadata         map[string]*string

	Source       Source  // "": manual
	OriginID     *string // the allocation price or top-up
	InvoiceID    *string // that sells them
	UntilPayment bool    // they do not count before that is paid
}

// Add gives credits to a customer in a block of their own, for any balance
// was (semantics 10.1.2), and returns the increment, which is committed unless it waits
// for a payment. An item of a filter that does not exist is fault.Missing.
func Add(tx *store.Tx, buyer customer.Customer, grant Grant) (Entry, error) {
	block, err := grant.block(tx, buyer)
	if err != nil {
		return Entry{}, err
	}
	if err := grant.checkItems(tx); err != nil {
		return Entry{}, err
	}
	ledger, err := Lock(tx, buyer.ID, grant.Currency)
	if err != nil {
		return Entry{}, err
	}
	if err := tx.Create(&block).Error; err != nil {
		return Entry{}, err
	}
	entry := Entry{
		Kind: KindIncrement, Status: EntryCommitted, Amount: grant.Amount, Block: block,
		Description: grant.Description, Metadata: block.Metadata,
	}
	if grant.UntilPayment {
		entry.Status = EntryPending
	}
	if err := ledger.append(tx, &entry); err != nil {
		return Entry{}, err
	}
	if block.Counted {
		webhook.Announce(tx, webhook.CustomerCreditLedgerIncremented, buyer.ID, block)
	}
	ledger.dueBy(block.nextDue(tx.Now))
	return entry, ledger.save(tx)
}

// nextDue is when due work has to look after the block: as it takes effect, and from then
// on at once, to see what it pays for and when it expires.
func (b Block) nextDue(now time.Time) time.Time {
	if b.EffectiveAt.After(now) {
		return b.EffectiveAt
	}
	return now
}

// block checks the grant and makes the block it asks for.
func (g Grant) block(tx *store.Tx, buyer customer.Customer) (Block, error) {
	metadata, metadataErr := store.Metadata(nil).Merge(g.Metadata)
	block := Block{
		Record:           tx.Record("block"),
		CustomerID:       buyer.ID,
		Currency:         g.Currency,
		Source:           SourceManual,
		Status:           BlockActive,
		InitialBalance:   g.Amount,
		Balance:          g.Amount,
		EffectiveAt:      period.DateOf(tx.Now, buyer.Location()).In(buyer.Location()),
		ExpiresAt:        g.ExpiresAt,
		PerUnitCostBasis: g.PerUnitCostBasis,
		Filters:          append([]ItemFilter{}, g.Filters...),
		InvoiceID:        g.InvoiceID,
		OriginID:         g.OriginID,
		Metadata:         metadata,
	}
	if g.EffectiveAt != nil {
		block.EffectiveAt = *g.EffectiveAt
	}
	if g.Source != "" {
		block.Source = g.Source
	}
	if g.UntilPayment {
		block.Status = BlockPendingPayment
	}
	var datesErr error
	if g.ExpiresAt != nil && !g.ExpiresAt.After(block.EffectiveAt) {
		datesErr = fault.Bad("expiry_date", "must be after effective_date")
	}
	if err := fault.Join(g.checkAmounts(), g.checkFilters(), datesErr, metadataErr); err != nil {
		return Block{}, err
	}
	block.Counted = block.inForce(tx.Now)
	return block, CheckCurrency(buyer, g.Currency)
}

// checkAmounts refuses what is wrong for any customer (semantics 0.3.3, 10.3.9).
func (g Grant) checkAmounts() error {
	var basisErr error
	if g.PerUnitCostBasis != nil {
		basis, err := money.Parse(*g.PerUnitCostBasis)
		switch {
		case err != nil:
			basisErr = fault.Bad("per_unit_cost_basis", "%v", err)
		case basis.Sign() < 0:
			basisErr = fault.Bad("per_unit_cost_basis", "must not be negative")
		}
	}
	return fault.Join(checkAmount(g.Currency, g.Amount), basisErr)
}

// checkAmount refuses an amount that cannot be booked in a unit, and a unit that is none.
func checkAmount(currency money.Currency, amount money.Decimal) error {
	var currencyErr, amountErr error
	if !currency.Valid() && currency != money.Credits {
		currencyErr = fault.Bad("currency", "must be an ISO 4217 code or %s", money.Credits)
	}
	switch {
	case amount.Sign() <= 0:
		amountErr = fault.Bad("amount", "must be more than 0")
	case !currency.Fits(amount):
		amountErr = fault.Bad("amount", "must have at most %d decimal places in this currency", currency.MinorUnits())
	}
	return fault.Join(currencyErr, amountErr)
}

// CheckCurrency refuses real money other than the customer's (semantics 10.1.6).
func CheckCurrency(buyer customer.Customer, currency money.Currency) error {
	if currency.Valid() && (buyer.Currency == nil || *buyer.Currency != currency) {
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
