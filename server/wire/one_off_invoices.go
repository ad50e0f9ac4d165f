package wire

import (
	"encoding/json"
	"fmt"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// ReadOneOffInvoice reads an invoice that belongs to no subscription.
func ReadOneOffInvoice(in gen.InvoiceCreate) (invoice.NewOneOff, error) {
	lines, linesErr := entriesFromWire("line_items", in.LineItems, oneOffLineFromWire)
	discount, discountErr := invoiceDiscountFromWire(in.Discount)
	return invoice.NewOneOff{
		CustomerID: in.CustomerID, ExternalCustomerID: in.ExternalCustomerID, Currency: money.Currency(in.Currency),
		Date: in.InvoiceDate, Lines: lines, Discount: discount, AutoCollection: in.AutoCollection,
		AutoIssues: in.WillAutoIssue != nil && *in.WillAutoIssue, DueDate: in.DueDate, NetTermsDays: in.NetTerms,
		Memo: in.Memo, Metadata: ReadMetadata(in.Metadata),
	}, fault.Join(linesErr, fault.In("discount", discountErr))
}

func oneOffLineFromWire(in gen.OneOffLineItem) (line invoice.NewOneOffLine, err error) {
	var failed [3]error
	line.Name, line.ItemID = in.Name, in.ItemID
	line.Quantity, failed[0] = numberFromWire("quantity", in.Quantity)
	line.Start, failed[1] = ReadDate("start_date", in.StartDate)
	line.End, failed[2] = ReadDate("end_date", in.EndDate)
	if line.Config, err = json.Marshal(in.UnitConfig); err != nil {
		return line, fmt.Errorf("read a line: %w", err)
	}
	return line, fault.Join(failed[:]...)
}

// invoiceDiscountFromWire reads the value that the kind of a discount has, and refuses
// those of other kinds.
func invoiceDiscountFromWire(in *gen.InvoiceDiscountCreate) (*catalog.NewInvoiceDiscount, error) {
	if in == nil {
		return nil, nil
	}
	var faults []error
	for _, value := range []struct {
		field string
		of    gen.InvoiceDiscountType
		given bool
	}{
		{"amount_discount", gen.InvoiceDiscountTypeAmount, in.AmountDiscount != nil},
		{"percentage_discount", gen.InvoiceDiscountTypePercentage, in.PercentageDiscount != nil},
		{"usage_discount", gen.InvoiceDiscountTypeUsage, in.UsageDiscount != nil},
		{"trial_amount_discount", gen.InvoiceDiscountTypeTrial, in.TrialAmountDiscount != nil},
		{"trial_percentage_discount", gen.InvoiceDiscountTypeTrial, in.TrialPercentageDiscount != nil},
		{"tiers", gen.InvoiceDiscountTypeTieredPercentage, in.Tiers != nil},
	} {
		if value.given && value.of != in.DiscountType {
			faults = append(faults, fault.Bad(value.field, "must not be given with that discount_type"))
		}
	}
	off := catalog.NewInvoiceDiscount{Filters: ReadFilters(in.Filters), PriceIDs: in.AppliesToPriceIds, Reason: in.Reason}
	var err error
	switch in.DiscountType {
	case gen.InvoiceDiscountTypePercentage:
		off.Kind = rating.PercentageDiscount
		off.Value, err = shareFromWire("percentage_discount", in.PercentageDiscount)
	case gen.InvoiceDiscountTypeAmount:
		off.Kind, off.AsSent = rating.AmountDiscount, in.AmountDiscount
		off.Value, err = configuredFromWire("amount_discount", in.AmountDiscount)
	case gen.InvoiceDiscountTypeUsage:
		off.Kind = rating.UsageDiscount
		off.Value, err = shareFromWire("usage_discount", in.UsageDiscount)
	case gen.InvoiceDiscountTypeTieredPercentage:
		off.Kind = rating.TieredPercentageDiscount
		if off.Tiers, err = entriesFromWire("tiers", in.Tiers, percentageTierFromWire); in.Tiers == nil {
			err = fault.Bad("tiers", "is required")
		}
	case gen.InvoiceDiscountTypeTrial:
		err = trialFromWire(*in, &off)
	}
	return &off, fault.Join(append(faults, err)...)
}

// trialFromWire reads a discount that is called a trial: an amount, a percentage, or
// everything without both (price models 5.7).
func trialFromWire(in gen.InvoiceDiscountCreate, off *catalog.NewInvoiceDiscount) (err error) {
	off.Trial, off.Kind, off.Value = true, rating.PercentageDiscount, money.FromInt(1)
	switch amount, share := in.TrialAmountDiscount, in.TrialPercentageDiscount; {
	case amount != nil && share != nil:
		return fault.Bad("trial_amount_discount, trial_percentage_discount", "at most one must be specified")
	case amount != nil:
		off.Kind, off.AsSent = rating.AmountDiscount, amount
		if off.Value, err = configuredFromWire("trial_amount_discount", amount); err == nil && off.Value.Sign() < 0 {
			err = fault.Bad("trial_amount_discount", "must not be negative")
		}
	case share != nil:
		off.Value, err = shareFromWire("trial_percentage_discount", share)
	}
	return err
}

// ReadInvoiceLine reads a line item to be added to a draft. Its dates are days of the customer.
func ReadInvoiceLine(in gen.InvoiceLineItemCreate) (line invoice.NewLine, err error) {
	var failed [4]error
	line.InvoiceID, line.Name, line.ItemID = in.InvoiceID, in.Name, in.ItemID
	line.Amount, failed[0] = ReadAmount("amount", in.Amount)
	line.Quantity, failed[1] = numberFromWire("quantity", in.Quantity)
	line.Start, failed[2] = ReadDate("start_date", in.StartDate)
	line.End, failed[3] = ReadDate("end_date", in.EndDate)
	return line, fault.Join(failed[:]...)
}
