package credit

import (
	"context"
	"slices"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// Together runs do as one change of ledgers: alerts compare the balances before it with
// those after it, and see no value in between (semantics 10.2.7). The transaction that do
// is given is the same one; what moves balances in another one tells of each.
func Together(tx *store.Tx, do func(tx *store.Tx) error) error {
	if movedIn(tx) != nil {
		return do(tx) // a part of another change
	}
	moved := &moves{}
	inside := *tx
	inside.DB = tx.WithContext(context.WithValue(tx.Context(), together{}, moved))
	if err := do(&inside); err != nil {
		return err
	}
	for _, of := range *moved {
		ledger, err := FindLedger(tx, of.customerID, of.currency)
		if err != nil {
			return err
		}
		if err := alert.BalanceMoved(tx, of.customerID, of.currency, ledger.Balance); err != nil {
			return err
		}
	}
	return nil
}

// moves are the ledgers whose balances a change moved, in the order in which it did first.
type moves []ledgerName

type ledgerName struct {
	customerID string
	currency   money.Currency
}

type together struct{}

// movedIn is where a change notes the ledgers that it moves, nil outside of one.
func movedIn(tx *store.Tx) *moves {
	noted, _ := tx.Context().Value(together{}).(*moves)
	return noted
}

func (m *moves) note(l *Ledger) {
	if name := (ledgerName{l.CustomerID, l.Currency}); !slices.Contains(*m, name) {
		*m = append(*m, name)
	}
}
