package customer

import (
	"fmt"

	"tollkeeper/domain/account"
	"tollkeeper/store"
)

// scopeAccount is the account's setting for one prefix for all customers.
const scopeAccount = "account"

// NextInvoiceNumber takes the next number of the customer's invoices, such as
// JYEFHK-00001, counted per customer or, if the account says so, for all of its
// customers together (semantics 8.1.8). The row that counts stays locked until
// the transaction ends, so a number that is rolled back is taken again.
func NextInvoiceNumber(tx *store.Tx, id string) (string, error) {
	settings, err := account.Of(tx)
	if err != nil {
		return "", err
	}
	statement := "UPDATE customers SET last_invoice_number = last_invoice_number + 1 WHERE account_id = $1 AND id = $2" +
		" RETURNING invoice_prefix, last_invoice_number"
	args := []any{tx.AccountID, id}
	if settings.NumberPrefixScope == scopeAccount {
		statement = "UPDATE accounts SET last_number = last_number + 1 WHERE id = $1 RETURNING number_prefix, last_number"
		args = args[:1]
	}
	var prefix string
	var number int64
	if err := tx.Conn().QueryRowContext(tx.Context(), statement, args...).Scan(&prefix, &number); err != nil {
		return "", fmt.Errorf("take an invoice number: %w", err)
	}
	return fmt.Sprintf("%s-%05d", prefix, number), nil
}

// DraftNumber is what an invoice of the customer shows until it is issued.
func DraftNumber(c Customer, settings account.Account) string {
	prefix := c.InvoicePrefix
	if settings.NumberPrefixScope == scopeAccount {
		prefix = settings.NumberPrefix
	}
	return prefix + "-DRAFT"
}
