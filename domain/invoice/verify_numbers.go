package invoice

import (
	"fmt"

	"tollkeeper/store"
)

// WrongNumbers finds gaps in the numbers of issued invoices: an invoice is gone. Numbers of
// one prefix follow one another (semantics 8.1.8). A customer's begin with 1, and the last is
// the one that the customer counted; those of the account may begin later, since its prefix
// may change.
func WrongNumbers(tx *store.Tx) ([]store.Finding, error) {
	found, err := tx.Findings(`
		WITH numbers AS (
			SELECT split_part(number, '-', 1) AS prefix, split_part(number, '-', 2)::bigint AS n FROM invoices
			WHERE account_id = $1 AND number ~ '^[A-Z]{6}-[0-9]{1,18}$'),
		shared AS (SELECT number_prefix AS prefix FROM accounts WHERE id = $1),
		gaps AS (
			SELECT prefix, n, lag(n) OVER (PARTITION BY prefix ORDER BY n) AS before FROM numbers)
		(SELECT prefix, format('the invoices between the numbers %s and %s are gone', coalesce(before, 0), n) FROM gaps
			WHERE n > coalesce(before, CASE WHEN prefix IN (SELECT invoice_prefix FROM customers WHERE account_id = $1)
				AND prefix NOT IN (SELECT prefix FROM shared) THEN 0 ELSE n - 1 END) + 1
			ORDER BY prefix, n LIMIT 100)
		UNION ALL (SELECT c.id, format('its invoices were numbered up to %s, and the last one has %s', c.last_invoice_number, coalesce(max(n), 0))
			FROM customers c LEFT JOIN numbers ON prefix = c.invoice_prefix
			WHERE c.account_id = $1 AND c.invoice_prefix NOT IN (SELECT prefix FROM shared)
			GROUP BY c.id, c.last_invoice_number HAVING c.last_invoice_number <> coalesce(max(n), 0)
			ORDER BY c.id LIMIT 100)`, tx.AccountID)
	if err != nil {
		return nil, fmt.Errorf("look for gaps in the numbers of invoices: %w", err)
	}
	return found, nil
}
