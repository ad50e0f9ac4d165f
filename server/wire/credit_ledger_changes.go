package wire

import (
	"fmt"
	"time"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/gen"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// LedgerChange is a change of a credit ledger, to be made once the ledger is locked.
type LedgerChange = func(*credit.Ledger) (credit.Entry, error)

// ReadLedgerChange reads an entry of a ledger to be made. It returns the unit of the ledger and the
// change.
func ReadLedgerChange(tx *store.Tx, union gen.LedgerEntryCreate, buyer customer.Customer) (money.Currency, LedgerChange, error) {
	variant, err := union.ValueByDiscriminator()
	if err != nil {
		return "", nil, fmt.Errorf("read a ledger entry: %w", err)
	}
	switch in := variant.(type) {
	case gen.IncrementCreate:
		return incrementFromWire(tx, in, buyer)
	case gen.DecrementCreate:
		amount, err := numberFromWire("amount", in.Amount)
		return ReadCreditCurrency(in.Currency), func(l *credit.Ledger) (credit.Entry, error) {
			return credit.Decrement(tx, l, buyer, amount, noteFromWire(in.LedgerEntryCreateBase))
		}, err
	case gen.ExpirationChangeCreate:
		move, err := expiryChangeFromWire(in, buyer.Location())
		return ReadCreditCurrency(in.Currency), func(l *credit.Ledger) (credit.Entry, error) {
			return credit.ChangeExpiration(tx, l, move)
		}, err
	case gen.VoidCreate:
		amount, err := numberFromWire("amount", in.Amount)
		return ReadCreditCurrency(in.Currency), func(l *credit.Ledger) (credit.Entry, error) {
			return credit.Void(tx, l, in.BlockID, amount, (*string)(in.VoidReason), noteFromWire(in.LedgerEntryCreateBase))
		}, err
	case gen.AmendmentCreate:
		amount, err := numberFromWire("amount", in.Amount)
		return ReadCreditCurrency(in.Currency), func(l *credit.Ledger) (credit.Entry, error) {
			return credit.Amend(tx, l, in.BlockID, amount, noteFromWire(in.LedgerEntryCreateBase))
		}, err
	default:
		return "", nil, fmt.Errorf("a ledger entry to be made is a %T", in)
	}
}

func noteFromWire(in gen.LedgerEntryCreateBase) credit.Note {
	return credit.Note{Description: in.Description, Metadata: ReadMetadata(in.Metadata)}
}

func incrementFromWire(tx *store.Tx, in gen.IncrementCreate, buyer customer.Customer) (money.Currency, LedgerChange, error) {
	loc := buyer.Location()
	amount, amountErr := numberFromWire("amount", in.Amount)
	effective, effectiveErr := midnightFromWire("effective_date", in.EffectiveDate, loc)
	expires, expiresErr := midnightFromWire("expiry_date", in.ExpiryDate, loc)
	grant := credit.Grant{
		Currency:         ReadCreditCurrency(in.Currency),
		Amount:           amount,
		EffectiveAt:      effective,
		ExpiresAt:        expires,
		PerUnitCostBasis: in.PerUnitCostBasis,
		Filters: MapSlice(in.Filters, func(f gen.ItemFilter) credit.ItemFilter {
			return credit.ItemFilter{Operator: credit.Operator(f.Operator), ItemIDs: f.Values}
		}),
		Description: in.Description,
		Metadata:    ReadMetadata(in.Metadata),
	}
	return grant.Currency, func(*credit.Ledger) (credit.Entry, error) {
		if in.InvoiceSettings == nil {
			return credit.Add(tx, buyer, grant)
		}
		return billing.SellCredits(tx, buyer, grant, purchaseFromWire(*in.InvoiceSettings))
	}, fault.Join(amountErr, effectiveErr, expiresErr)
}

func purchaseFromWire(in gen.CreditInvoiceSettings) billing.Purchase {
	return billing.Purchase{
		AutoCollection: in.AutoCollection,
		NetTermsDays:   in.NetTerms,
		DueDate:        in.CustomDueDate,
		Date:           in.InvoiceDate,
		ItemID:         in.ItemID,
		Memo:           in.Memo,
		MarkAsPaid:     in.MarkAsPaid != nil && *in.MarkAsPaid,
		UntilPayment:   in.RequireSuccessfulPayment != nil && *in.RequireSuccessfulPayment,
	}
}

func expiryChangeFromWire(in gen.ExpirationChangeCreate, loc *time.Location) (credit.ExpiryChange, error) {
	move := credit.ExpiryChange{BlockID: in.BlockID, Note: noteFromWire(in.LedgerEntryCreateBase)}
	var fromErr, targetErr, amountErr error
	move.From, fromErr = midnightFromWire("expiry_date", in.ExpiryDate, loc)
	move.Target, targetErr = credit.Midnight("target_expiry_date", in.TargetExpiryDate, loc)
	if in.Amount != nil {
		var amount money.Decimal
		amount, amountErr = numberFromWire("amount", *in.Amount)
		move.Amount = &amount
	}
	return move, fault.Join(amountErr, fromErr, targetErr)
}

// midnightFromWire reads a date that may be left out.
func midnightFromWire(field string, text *string, loc *time.Location) (*time.Time, error) {
	if text == nil {
		return nil, nil
	}
	at, err := credit.Midnight(field, *text, loc)
	return &at, err
}

// ReadCreditCurrency returns the unit of a ledger; left out, it is credits.
func ReadCreditCurrency(in *string) money.Currency {
	if in == nil {
		return money.Credits
	}
	return money.Currency(*in)
}
