package credit

import (
	"context"
	"slices"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// Together calls do as one change of ledgers: alerts compare the balances before the call with the
// balances after it, and see no value in between (semantics 10.2.7). The argument of do is the
// same transaction. Changes must use it: otherwise alerts see each of their balances.
func Together(tx *store.Tx, do func(tx *store.Tx) error) error {
	if movedIn(tx) != nil {
		return do(tx) // within another call of Together
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

// moves are the ledgers whose balances a change moved, in the order of their first move.
type moves []ledgerName

type ledgerName struct {
	customerID string
	currency   money.Currency
}

type together struct{}

// movedIn returns where the current call of Together records moved ledgers; nil outside a call.
func movedIn(tx *store.Tx) *moves {
	noted, _ := tx.Context().Value(together{}).(*moves)
	return noted
}

func (m *moves) note(l *Ledger) {
	if name := (ledgerName{l.CustomerID, l.Currency}); !slices.Contains(*m, name) {
		*m = append(*m, name)
	}
}
