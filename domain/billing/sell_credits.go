package billing

import (
	"encoding/json"

	"tollkeeper/domain/account"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
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
func SellCredits(tx *store.Tx, buyer customer.Customer, grant credit.Grant, in Purchase) (_ credit.Entry, err error) {
	defer fault.Doing(&err, "sell credits to customer %s", buyer.ID)
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
	inv, err := invoice.DraftOneOff(tx, order)
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
	case invoice.LinePath(0) + ".quantity":
		return "amount"
	case invoice.LinePath(0) + ".unit_config.unit_amount":
		return "per_unit_cost_basis"
	}
	return ofInvoice
}

// invoice is the invoice of the credits, with one line for all of them.
func (in Purchase) invoice(tx *store.Tx, settings account.Account, buyer customer.Customer, grant credit.Grant) (invoice.NewOneOff, error) {
	var item catalog.Item
	var err error
	if in.ItemID != nil {
		item, err = catalog.FindSellable(tx, *in.ItemID)
	} else {
		item, err = catalog.ItemNamed(tx, creditsName)
	}
	if err != nil {
		return invoice.NewOneOff{}, err
	}
	config, err := json.Marshal(map[string]string{"unit_amount": *grant.PerUnitCostBasis})
	if err != nil {
		return invoice.NewOneOff{}, err
	}
	effective := period.DateOf(tx.Now, buyer.Location())
	if grant.EffectiveAt != nil {
		effective = period.DateOf(*grant.EffectiveAt, buyer.Location())
	}
	order := invoice.NewOneOff{
		CustomerID: &buyer.ID, Currency: *buyer.Currency, Date: effective.String(),
		Lines:          []invoice.NewOneOffLine{{Name: item.Name, ItemID: item.ID, Quantity: grant.Amount, Config: config, Start: effective, End: effective}},
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
func (in Purchase) settle(tx *store.Tx, inv invoice.Invoice, buyer customer.Customer) error {
	if in.MarkAsPaid {
		if inv.InvoiceDate.After(tx.Now) {
			return fault.Bad("invoice_settings.mark_as_paid", "must be of an invoice whose date has come")
		}
		*inv.AutoIssues = true
	}
	if err := inv.IssueIfDue(tx); err != nil || !in.MarkAsPaid {
		return err
	}
	paid, err := invoice.Lock(tx, inv.ID)
	if err != nil || paid.Status == invoice.StatusPaid {
		return err
	}
	_, err = invoice.MarkPaid(tx, inv.ID, invoice.Received{On: period.DateOf(tx.Now, buyer.Location())})
	return err
}

// CreatedBy returns the invoices that sold blocks of credits, by their ids.
func CreatedBy(tx *store.Tx, blocks []credit.Block) (_ map[string]invoice.View, err error) {
	defer fault.Doing(&err, "find the invoices of credit blocks")
	var ids []string
	for _, b := range blocks {
		if b.InvoiceID != nil {
			ids = append(ids, *b.InvoiceID)
		}
	}
	created := map[string]invoice.View{}
	if len(ids) == 0 {
		return created, nil
	}
	var rows []invoice.Invoice
	if err := tx.Where("id IN ?", ids).Find(&rows).Error; err != nil {
		return nil, err
	}
	views, err := invoice.Present(tx, rows)
	for _, v := range views {
		created[v.ID] = v
	}
	return created, err
}

// DeleteCredits takes a block of credits out of its ledger, and undoes the invoice that
// sold it: a draft is deleted, an issued one voided, a paid one credited (semantics
// 10.3.10).
func DeleteCredits(tx *store.Tx, blockID string) (err error) {
	defer fault.Doing(&err, "delete credit block %s", blockID)
	return credit.Together(tx, func(tx *store.Tx) error { return deleteCredits(tx, blockID) })
}

func deleteCredits(tx *store.Tx, blockID string) error {
	block, err := credit.FindBlock(tx, blockID)
	if err != nil {
		return err
	}
	if block.InvoiceID != nil && block.Source != credit.SourceAllocation {
		if _, err := invoice.Lock(tx, *block.InvoiceID); err != nil { // before the ledger
			return err
		}
	}
	if err := invoice.DeleteBlock(tx, block); err != nil {
		return err
	}
	if block.InvoiceID == nil || block.Source == credit.SourceAllocation {
		return nil
	}
	return reversePurchase(tx, *block.InvoiceID)
}

// reversePurchase undoes an invoice whose credits are gone.
func reversePurchase(tx *store.Tx, invoiceID string) error {
	inv, err := invoice.Lock(tx, invoiceID)
	if err != nil {
		return err
	}
	switch inv.Status {
	case invoice.StatusDraft:
		return inv.Discard(tx)
	case invoice.StatusIssued:
		_, err = invoice.Void(tx, inv.ID)
	case invoice.StatusPaid, invoice.StatusSynced:
		err = inv.CreditWhole(tx)
	}
	return err
}
