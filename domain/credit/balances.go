package credit

import (
	"strings"

	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ListBalances returns a page of the ledgers of all customers, the lowest balance first: who
// runs out first is first. A ledger without entries is left out. The cursor names the last
// ledger of the page before, with its balance then.
func ListBalances(tx *store.Tx, page store.Page) (ledgers []Ledger, next string, err error) {
	query := tx.Where("last_sequence > 0")
	if page.Cursor != "" {
		balance, customerID, currency, err := readBalanceCursor(page.Cursor)
		if err != nil {
			return nil, "", err
		}
		query = query.Where("(balance, customer_id, currency) > (?, ?, ?)", balance, customerID, currency)
	}
	err = query.Order("balance, customer_id, currency").Limit(page.Limit + 1).Find(&ledgers).Error
	if len(ledgers) > page.Limit {
		ledgers = ledgers[:page.Limit]
		last := ledgers[page.Limit-1]
		next = strings.Join([]string{last.Balance.String(), last.CustomerID, string(last.Currency)}, " ")
	}
	return ledgers, next, err
}

// readBalanceCursor reads what [ListBalances] returned.
func readBalanceCursor(cursor string) (balance money.Decimal, customerID, currency string, err error) {
	parts := strings.SplitN(cursor, " ", 3)
	if len(parts) == 3 {
		if balance, err = money.Parse(parts[0]); err == nil {
			return balance, parts[1], parts[2], nil
		}
	}
	return balance, "", "", fault.Bad("cursor", "is not one that this list returned")
}
