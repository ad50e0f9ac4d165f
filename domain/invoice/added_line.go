package invoice

import (
	"encoding/json"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// AddedLine is a line that was put on a draft by hand. Its amount is what its own
// price charges for its quantity, like that of any line.
type AddedLine struct {
	store.Record
	InvoiceID string
	PriceID   string
	StartAt   time.Time // inclusive
	EndAt     time.Time // as given: whether the date is part of it is not said

	Price catalog.Price `gorm:"-"`
}

// NewLine is a line that a client puts on a draft. A name without an item is that of
// the item too, which is made if there is none; an item without a name gives its own
// (semantics 8.1.11).
type NewLine struct {
	InvoiceID  string
	Name       *string
	ItemID     *string
	Quantity   money.Decimal // above 0
	Amount     money.Decimal // of all of it, in the minor unit of the invoice's currency
	Start, End period.Date   // local days
}

// AddLine puts a line on a draft, behind those it has, and returns both.
func AddLine(tx *store.Tx, in NewLine) (_ View, _ Line, err error) {
	defer fault.Doing(&err, "add a line to invoice %s", in.InvoiceID)
	inv, err := lockDraft(tx, in.InvoiceID)
	if err != nil {
		return View{}, Line{}, err
	}
	if err := in.check(inv.Currency); err != nil {
		return View{}, Line{}, err
	}
	name, itemID, err := in.item(tx)
	if err != nil {
		return View{}, Line{}, err
	}
	buyers, err := customer.FindAll(tx, []string{inv.CustomerID})
	if err != nil {
		return View{}, Line{}, err
	}
	each := in.Amount.Quo(in.Quantity).Trunc(money.Places) // times the quantity, it rounds to the amount again
	config, err := json.Marshal(map[string]string{"unit_amount": each.String()})
	if err != nil {
		return View{}, Line{}, err
	}
	err = inv.add(tx, buyers[inv.CustomerID], in.Start, in.End, catalog.NewLinePrice{
		Name: name, ItemID: itemID, Currency: inv.Currency, Quantity: in.Quantity, Config: config,
	})
	if err != nil {
		return View{}, Line{}, err
	}
	webhook.Announce(tx, webhook.InvoiceEdited, inv.ID, nil)
	view, err := Find(tx, inv.ID)
	if err != nil {
		return View{}, Line{}, err
	}
	return view, view.Lines[len(view.Lines)-1], nil
}

func (in NewLine) check(currency money.Currency) error {
	var faults []error
	if in.Name == nil && in.ItemID == nil {
		faults = append(faults, fault.Bad("name, item_id", "at least one must be specified"))
	}
	if in.Name != nil && *in.Name == "" {
		faults = append(faults, fault.Bad("name", "must not be empty"))
	}
	if in.Quantity.Sign() <= 0 {
		faults = append(faults, fault.Bad("quantity", "must be above 0"))
	}
	switch {
	case in.Amount.Sign() < 0:
		faults = append(faults, fault.Bad("amount", "must not be negative"))
	case !currency.Fits(in.Amount):
		faults = append(faults, fault.Bad("amount", "must have at most the %d decimals of %s", currency.MinorUnits(), currency))
	case in.Quantity.Sign() > 0 && !in.divides(currency):
		faults = append(faults, fault.Bad("quantity", "is too large for the amount to be that of a price for each"))
	}
	return fault.Join(append(faults, checkOrder(in.Start, in.End))...)
}

// divides reports whether the amount is that of so many units at one rate of the
// digits that a rate has.
func (in NewLine) divides(currency money.Currency) bool {
	each := in.Amount.Quo(in.Quantity).Trunc(money.Places)
	return currency.Round(each.Mul(in.Quantity)).Equal(in.Amount)
}

func checkOrder(start, end period.Date) error {
	if end.Before(start) {
		return fault.Bad("end_date", "must not be before start_date")
	}
	return nil
}

// item is what the line is called and what it sells.
func (in NewLine) item(tx *store.Tx) (name, itemID string, err error) {
	var item catalog.Item
	if in.ItemID != nil {
		item, err = catalog.FindSellable(tx, *in.ItemID)
	} else {
		item, err = catalog.ItemNamed(tx, *in.Name)
	}
	if in.Name != nil {
		return *in.Name, item.ID, err
	}
	return item.Name, item.ID, err
}

// add puts a line of its own price on a locked draft.
func (i Invoice) add(tx *store.Tx, buyer customer.Customer, start, end period.Date, price catalog.NewLinePrice) error {
	made, err := catalog.CreateLinePrice(tx, i.ID, price)
	if err != nil {
		return err
	}
	loc := buyer.Location()
	line := AddedLine{Record: tx.Record("line"), InvoiceID: i.ID, PriceID: made.ID, StartAt: start.In(loc), EndAt: end.In(loc)}
	line.ID = linePrefix + mark(i.ID) + store.Random(12)
	return tx.Create(&line).Error
}

// DeleteLine takes a line off a draft that was put on it. Those of a subscription
// follow from what it is billed and cannot be taken off.
func DeleteLine(tx *store.Tx, invoiceID, lineID string) (err error) {
	defer fault.Doing(&err, "delete line %s of invoice %s", lineID, invoiceID)
	inv, err := lockDraft(tx, invoiceID)
	if err != nil {
		return err
	}
	var line AddedLine
	err = tx.Where("id = ? AND invoice_id = ?", lineID, inv.ID).Take(&line).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return refuseForeign(tx, inv, lineID)
	}
	if err != nil {
		return err
	}
	if err := tx.Where("id = ?", line.ID).Delete(&AddedLine{}).Error; err != nil {
		return err
	}
	webhook.Announce(tx, webhook.InvoiceEdited, inv.ID, nil)
	return catalog.DeleteLinePrice(tx, line.PriceID, inv.ID)
}

// MoveAddedLinesToReplacement puts the lines that were put on an invoice, which is replaced, on another of
// its date: no change of the subscription concerns them.
func (i Invoice) MoveAddedLinesToReplacement(tx *store.Tx) error {
	added, err := AddedTo(tx, []string{i.ID})
	if err != nil || len(added[i.ID]) == 0 {
		return err
	}
	to := Invoice{
		Record: tx.Record("inv"), CustomerID: i.CustomerID, SubscriptionID: i.SubscriptionID, PlanID: i.PlanID, Source: i.Source,
		Status: StatusDraft, Currency: i.Currency, InvoiceDate: i.InvoiceDate, OfChange: i.OfChange, Metadata: store.Metadata{},
	}
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&to).Error; err != nil {
		return err
	}
	to = Invoice{}
	err = tx.Where("subscription_id = ? AND plan_id = ? AND invoice_date = ? AND status = ?", i.SubscriptionID, i.PlanID, i.InvoiceDate, StatusDraft).
		Order("of_change").Take(&to).Error
	if err != nil {
		return err
	}
	for _, l := range added[i.ID] {
		moved := AddedLine{Record: tx.Record("line"), InvoiceID: to.ID, PriceID: l.PriceID, StartAt: l.StartAt, EndAt: l.EndAt}
		moved.ID = linePrefix + mark(to.ID) + store.Random(12)
		if err := tx.Create(&moved).Error; err != nil {
			return err
		}
	}
	return nil
}

// refuseForeign tells a line that was not put on the draft from one that is not there.
func refuseForeign(tx *store.Tx, inv Invoice, lineID string) error {
	view, err := Find(tx, inv.ID)
	if err != nil {
		return err
	}
	for _, l := range view.Lines {
		if l.ID == lineID {
			return fault.Refused("a line of a subscription cannot be deleted")
		}
	}
	return fault.Missing("InvoiceLineItem", lineID)
}

// lockDraft is lock for an invoice that must be a draft.
func lockDraft(tx *store.Tx, id string) (Invoice, error) {
	inv, err := Lock(tx, id)
	if err == nil && inv.Status != StatusDraft {
		err = fault.Refused("lines can only be added to and deleted from a draft; this invoice is %s", inv.Status)
	}
	return inv, err
}

// AddedTo returns the lines that were put on drafts, by invoice, in their order.
func AddedTo(tx *store.Tx, invoiceIDs []string) (map[string][]AddedLine, error) {
	byInvoice := map[string][]AddedLine{}
	if len(invoiceIDs) == 0 {
		return byInvoice, nil
	}
	var added []AddedLine
	if err := tx.Where("invoice_id IN ?", invoiceIDs).Order("invoice_id, seq").Find(&added).Error; err != nil || len(added) == 0 {
		return byInvoice, err
	}
	var ids []string
	for _, l := range added {
		ids = append(ids, l.PriceID)
	}
	prices, err := catalog.FindPrices(tx, ids)
	for _, l := range added {
		l.Price = prices[l.PriceID]
		byInvoice[l.InvoiceID] = append(byInvoice[l.InvoiceID], l)
	}
	return byInvoice, err
}

// item is the line as something to be charged: all of its quantity, for all of its
// days, if only for a part of one.
func (l AddedLine) item(loc *time.Location) charge.Item {
	whole := period.Period{Start: l.StartAt, End: l.EndAt}
	days := max(1, period.Days(whole, loc))
	return charge.Item{
		ServicePeriod: subscription.ServicePeriod{
			Interval: subscription.PriceInterval{Record: l.Record, PriceID: l.PriceID, Price: l.Price},
			Period:   whole, Cycle: whole, BilledOn: whole.Start, From: whole.Start,
		},
		Model: l.Price.Model(),
		Usage: rating.Usage{Quantity: *l.Price.Quantity, Fixed: true, Fraction: period.Fraction{Part: days, Whole: days}},
		Days:  rating.Days{To: days, Of: days},
	}
}

// ownTerms are what the lines that were put on an invoice are charged under: its own
// discounts, not those of a subscription.
func (i Invoice) ownTerms(t subscription.Terms, discounts []catalog.Adjustment) subscription.Terms {
	own := subscription.Terms{Customer: t.Customer, Subscription: subscription.Subscription{Currency: i.Currency}}
	for _, d := range discounts {
		own.Adjustments = append(own.Adjustments, subscription.AdjustmentInterval{AdjustmentID: d.ID, Adjustment: d})
	}
	return own
}
