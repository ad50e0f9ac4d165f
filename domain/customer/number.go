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
// customers together (semantics 8.1.8). It returns the customer too, who stays locked
// until the transaction ends, as the row that counts does: a number that is rolled back
// is taken again.
func NextInvoiceNumber(tx *store.Tx, settings account.Account, id string) (c Customer, number string, err error) {
	if settings.NumberPrefixScope != scopeAccount {
		err = tx.Raw(`UPDATE customers SET last_invoice_number = 1 + CASE invoice_prefix WHEN ? THEN greatest(last_invoice_number, ?) ELSE last_invoice_number END
			WHERE account_id = ? AND id = ? RETURNING *`, settings.NumberPrefix, settings.LastNumber, tx.AccountID, id).Take(&c).Error
		return c, numbered(c.InvoicePrefix, c.LastInvoiceNumber), store.Found(err, "Customer", id)
	}
	if c, err = lockAny(tx, id); err != nil {
		return c, "", err
	}
	var prefix string
	var last int64
	err = tx.Conn().QueryRowContext(tx.Context(), `UPDATE accounts SET last_number = 1 + greatest(last_number,
			(SELECT last_invoice_number FROM customers WHERE account_id = accounts.id AND invoice_prefix = accounts.number_prefix))
		WHERE id = $1 RETURNING number_prefix, last_number`, tx.AccountID).Scan(&prefix, &last)
	if err != nil {
		return c, "", fmt.Errorf("take an invoice number: %w", err)
	}
	return c, numbered(prefix, last), nil
}

func numbered(prefix string, n int64) string { return fmt.Sprintf("%s-%05d", prefix, n) }

// DraftNumber is what an invoice of the customer shows until it is issued.
func DraftNumber(c Customer, settings account.Account) string {
	prefix := c.InvoicePrefix
	if settings.NumberPrefixScope == scopeAccount {
		prefix = settings.NumberPrefix
	}
	return prefix + "-DRAFT"
}
