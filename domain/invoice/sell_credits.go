package invoice

import (
	"encoding/json"

	"tollkeeper/domain/account"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// Purchase is how credits are sold.
type Purchase struct {
	AutoCollection bool
	NetTermsDays   *int    // exactly one of this and
	DueDate        *string // date or date-time in the customer's zone
	Date           *string // of the invoice, as DueDate; nil: the day the credits take effect
	ItemID         *string // nil: the item named Credits
	Memo           *string
	MarkAsPaid     bool
	UntilPayment   bool // the credits do not count before that
}

// creditsName is what credits are called on an invoice, unless an item says otherwise.
const creditsName = "Credits"

// SellCredits adds credits to a customer, and invoices them at their cost basis: at once
// where invoices are issued by themselves and its date has come (semantics 10.3.1 to
// 10.3.3). It locks the ledger.
func SellCredits(tx *store.Tx, buyer customer.Customer, grant credit.Grant, in Purchase) (credit.Entry, error) {
	if err := in.check(grant); err != nil {
		return credit.Entry{}, err
	}
	if buyer.Currency == nil {
		return credit.Entry{}, fault.Refused("a customer without a currency cannot be sold credits")
	}
	if _, err := credit.Lock(tx, buyer.ID, grant.Currency); err != nil {
		return credit.Entry{}, err
	}
	settings, err := account.Of(tx)
	if err != nil {
		return credit.Entry{}, err
	}
	order, err := in.invoice(tx, settings, buyer, grant)
	if err != nil {
		return credit.Entry{}, err
	}
	inv, err := draftOneOff(tx, order)
	if err != nil {
		return credit.Entry{}, fault.Moved(err, in.field)
	}
	grant.InvoiceID, grant.UntilPayment = &inv.ID, in.UntilPayment
	entry, err := credit.Add(tx, buyer, grant)
	if err != nil {
		return credit.Entry{}, err
	}
	if err := in.settle(tx, inv, buyer); err != nil {
		return credit.Entry{}, err
	}
	return credit.FindEntry(tx, entry.ID)
}

func (in Purchase) check(grant credit.Grant) error {
	var faults []error
	if grant.PerUnitCostBasis == nil {
		faults = append(faults, fault.Bad("per_unit_cost_basis", "must be specified with invoice_settings"))
	}
	if (in.NetTermsDays == nil) == (in.DueDate == nil) {
		faults = append(faults, fault.Bad("invoice_settings", "exactly one of net_terms and custom_due_date must be specified"))
	}
	return fault.Join(faults...)
}

// field is what a field of the invoice is called in a request for credits.
func (in Purchase) field(ofInvoice string) string {
	switch ofInvoice {
	case "invoice_date":
		if in.Date == nil {
			return "effective_date"
		}
		return "invoice_settings.invoice_date"
	case "due_date":
		return "invoice_settings.custom_due_date"
	case place(0) + ".quantity":
		return "amount"
	case place(0) + ".unit_config.unit_amount":
		return "per_unit_cost_basis"
	}
	return ofInvoice
}

// invoice is the invoice of the credits, with one line for all of them.
func (in Purchase) invoice(tx *store.Tx, settings account.Account, buyer customer.Customer, grant credit.Grant) (NewOneOff, error) {
	var item catalog.Item
	var err error
	if in.ItemID != nil {
		item, err = catalog.FindSellable(tx, *in.ItemID)
	} else {
		item, err = catalog.ItemNamed(tx, creditsName)
	}
	if err != nil {
		return NewOneOff{}, err
	}
	config, err := json.Marshal(map[string]string{"unit_amount": *grant.PerUnitCostBasis})
	if err != nil {
		return NewOneOff{}, err
	}
	effective := period.DateOf(tx.Now, buyer.Location())
	if grant.EffectiveAt != nil {
		effective = period.DateOf(*grant.EffectiveAt, buyer.Location())
	}
	order := NewOneOff{
		CustomerID: &buyer.ID, Currency: *buyer.Currency, Date: effective.String(),
		Lines:          []NewOneOffLine{{Name: item.Name, ItemID: item.ID, Quantity: grant.Amount, Config: config, Start: effective, End: effective}},
		AutoCollection: &in.AutoCollection, AutoIssues: settings.AutoIssuance,
		DueDate: in.DueDate, NetTermsDays: in.NetTermsDays, Memo: in.Memo,
	}
	if in.Date != nil {
		order.Date = *in.Date
	}
	if buyer.AutoIssuance != nil {
		order.AutoIssues = *buyer.AutoIssuance
	}
	return order, nil
}

// settle issues the invoice of credits if it is time, and marks it paid on request.
func (in Purchase) settle(tx *store.Tx, inv Invoice, buyer customer.Customer) error {
	if in.MarkAsPaid {
		if inv.InvoiceDate.After(tx.Now) {
			return fault.Bad("invoice_settings.mark_as_paid", "must be of an invoice whose date has come")
		}
		*inv.AutoIssues = true
	}
	if err := inv.issueIfDue(tx); err != nil || !in.MarkAsPaid {
		return err
	}
	paid, err := lock(tx, inv.ID)
	if err != nil || paid.Status == StatusPaid {
		return err
	}
	_, err = MarkPaid(tx, inv.ID, Received{On: period.DateOf(tx.Now, buyer.Location())})
	return err
}

// deliver makes the credits count that an invoice sold, which was paid.
func (i Invoice) deliver(tx *store.Tx) error {
	if i.Source != SourceOneOff {
		return nil
	}
	if err := credit.Activate(tx, i.ID); err != nil {
		return err
	}
	return i.settleSold(tx)
}

// undeliver takes back what is left of the credits that an invoice sold, which is void
// (semantics 8.1.15).
func (i Invoice) undeliver(tx *store.Tx) error {
	if i.Source != SourceOneOff {
		return nil
	}
	if err := i.endTopUp(tx); err != nil {
		return err
	}
	if err := credit.VoidSold(tx, i.ID); err != nil {
		return err
	}
	return i.settleSold(tx)
}

// settleSold brings the ledgers up to date that an invoice sold credits of.
func (i Invoice) settleSold(tx *store.Tx) error {
	blocks, err := credit.SoldBy(tx, i.ID)
	if err != nil || len(blocks) == 0 {
		return err
	}
	return deductFrom(tx, i.CustomerID, blocks[0].Currency, "")
}

// CreatedBy returns the invoices that sold blocks of credits, by their ids.
func CreatedBy(tx *store.Tx, blocks []credit.Block) (map[string]View, error) {
	var ids []string
	for _, b := range blocks {
		if b.InvoiceID != nil {
			ids = append(ids, *b.InvoiceID)
		}
	}
	created := map[string]View{}
	if len(ids) == 0 {
		return created, nil
	}
	var rows []Invoice
	if err := tx.Where("id IN ?", ids).Find(&rows).Error; err != nil {
		return nil, err
	}
	views, err := show(tx, rows)
	for _, v := range views {
		created[v.ID] = v
	}
	return created, err
}

// DeleteCredits takes a block of credits out of its ledger, and undoes the invoice that
// sold it: a draft is deleted, an issued one voided, a paid one credited (semantics
// 10.3.10).
func DeleteCredits(tx *store.Tx, blockID string) error {
	return credit.Together(tx, func(tx *store.Tx) error { return deleteCredits(tx, blockID) })
}

func deleteCredits(tx *store.Tx, blockID string) error {
	block, err := credit.FindBlock(tx, blockID)
	if err != nil {
		return err
	}
	if block.InvoiceID != nil && block.Source != credit.SourceAllocation {
		if _, err := lock(tx, *block.InvoiceID); err != nil { // before the ledger
			return err
		}
	}
	if err := deductFrom(tx, block.CustomerID, block.Currency, ""); err != nil {
		return err
	}
	ledger, err := credit.Lock(tx, block.CustomerID, block.Currency)
	if err != nil {
		return err
	}
	days, err := calendarOf(tx, block.CustomerID)
	if err != nil {
		return err
	}
	d, err := demandOf(tx, block.CustomerID, block.Currency, days, "")
	if err != nil {
		return err
	}
	open := func(lineID string) bool { _, asks := d.whole[lineID]; return asks }
	if err := credit.Delete(tx, ledger, block, open); err != nil {
		return err
	}
	if err := deductFrom(tx, block.CustomerID, block.Currency, ""); err != nil {
		return err
	}
	if block.InvoiceID == nil || block.Source == credit.SourceAllocation {
		return nil
	}
	return unsell(tx, *block.InvoiceID)
}

// unsell undoes an invoice whose credits are gone.
func unsell(tx *store.Tx, invoiceID string) error {
	inv, err := lock(tx, invoiceID)
	if err != nil {
		return err
	}
	switch inv.Status {
	case StatusDraft:
		return inv.discard(tx)
	case StatusIssued:
		_, err = Void(tx, inv.ID)
	case StatusPaid, StatusSynced:
		err = inv.creditWhole(tx)
	}
	return err
}

// discard deletes a draft that is of no subscription, with its lines.
func (i Invoice) discard(tx *store.Tx) error {
	added, err := addedTo(tx, []string{i.ID})
	if err != nil {
		return err
	}
	for _, l := range added[i.ID] {
		if err := DeleteLine(tx, i.ID, l.ID); err != nil {
			return err
		}
	}
	return tx.Where("id = ?", i.ID).Delete(&Invoice{}).Error
}

// creditWhole gives back what an invoice still charges.
func (i Invoice) creditWhole(tx *store.Tx) error {
	lines, err := linesOf(tx, []string{i.ID})
	if err != nil {
		return err
	}
	notes, err := creditNotesOf(tx, []string{i.ID})
	if err != nil {
		return err
	}
	if err := complete(tx, notes[i.ID]); err != nil {
		return err
	}
	var rest []CreditedLine
	for _, l := range lines[i.ID] {
		left := l.Amount
		for _, note := range notes[i.ID] {
			for _, taken := range note.Lines {
				if note.VoidedAt == nil && taken.InvoiceLineID == l.ID {
					left = left.Sub(taken.Amount)
				}
			}
		}
		if left.Sign() > 0 {
			rest = append(rest, CreditedLine{LineID: l.ID, Amount: left})
		}
	}
	if len(rest) == 0 {
		return nil
	}
	_, err = Credit(tx, i.ID, rest)
	return err
}
