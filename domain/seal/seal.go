// Package seal keeps a hash chain per account over final records: issued invoices, credit notes,
// balance transactions, and committed entries of credit ledgers. The chain shows that one of them was
// changed or deleted outside the server. The database records a document in the transaction that makes
// it final, and functions of its owner seal it. The server's role can read seals, but not change them.
//
// The owner of the database can forge a whole chain. To detect that, store its end, which [Head]
// returns, elsewhere.
package seal

import (
	"context"
	"database/sql"
	"fmt"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// sealedAtOnce is how many documents one transaction seals or verifies.
const sealedAtOnce = 1_000

// Documents seals some of the final documents of all accounts that are not sealed yet, and reports
// whether there may be more.
func Documents(ctx context.Context, st *store.Store) (more bool, err error) {
	var sealed int
	err = st.Shared(ctx, func(db *gorm.DB) error {
		return db.Raw("SELECT seal_documents(?)", sealedAtOnce).Scan(&sealed).Error
	})
	if err != nil {
		return false, fmt.Errorf("seal documents: %w", err)
	}
	return sealed == sealedAtOnce, nil
}

// Place is how far a chain was verified. The zero value is its beginning.
type Place struct {
	Position int64
	Chain    string // at that position, as bytes
}

// Verify compares a part of the account's chain with its documents: no seal is missing or
// changed, and each document is as it was sealed. It goes on after a place, and returns the
// next one; the zero value when the chain has ended as it is said to end.
func Verify(tx *store.Tx, after Place) (found []store.Finding, next Place, err error) {
	rows, err := tx.Conn().QueryContext(tx.Context(), `
		SELECT s.position, s.kind, s.document_id, s.chain,
			s.chain = seal_link(lag(s.chain, 1, $3::bytea) OVER in_order, s.position, s.kind, s.document_id, s.digest),
			s.digest <> '' AND now.digest IS NOT NULL, s.digest = now.digest
		FROM (SELECT * FROM document_seals WHERE account_id = $1 AND position > $2 ORDER BY position LIMIT $4) AS s
			CROSS JOIN LATERAL (SELECT document_digest($1, s.kind, s.document_id) AS digest) AS now
		WINDOW in_order AS (ORDER BY s.position) ORDER BY s.position`, tx.AccountID, after.Position, []byte(after.Chain), sealedAtOnce)
	if err != nil {
		return nil, Place{}, fmt.Errorf("read a chain of seals: %w", err)
	}
	defer func() { _ = rows.Close() }()
	next = after
	count := 0
	for ; rows.Next(); count++ {
		var kind, id string
		var chain []byte
		var position int64
		var linked, there bool
		var same sql.NullBool
		if err := rows.Scan(&position, &kind, &id, &chain, &linked, &there, &same); err != nil {
			return nil, Place{}, fmt.Errorf("read a chain of seals: %w", err)
		}
		name := names[kind]
		switch {
		case position != next.Position+1 || !linked:
			found = append(found, store.Finding{Document: id, Wrong: fmt.Sprintf("the chain of seals is broken before the %s", name)})
		case !there:
			found = append(found, store.Finding{Document: id, Wrong: "the " + name + " was final, and is gone"})
		case !same.Bool:
			found = append(found, store.Finding{Document: id, Wrong: "the " + name + " was changed after it was final"})
		}
		next = Place{position, string(chain)}
	}
	if err := rows.Err(); err != nil {
		return nil, Place{}, fmt.Errorf("read a chain of seals: %w", err)
	}
	if count == sealedAtOnce {
		return found, next, nil
	}
	end, err := Head(tx)
	if err == nil && end != next {
		found = append(found, store.Finding{Document: tx.AccountID, Wrong: fmt.Sprintf("the chain of seals ends after %d of %d documents", next.Position, end.Position)})
	}
	return found, Place{}, err
}

// names are the kinds of documents as people call them.
var names = map[string]string{
	"invoice": "invoice", "credit_note": "credit note", "balance_transaction": "transaction of a balance", "ledger_entry": "entry of a credit ledger",
}

// Head returns the end of the account's chain. It is the zero value where nothing is sealed.
func Head(tx *store.Tx) (head Place, err error) {
	var chain []byte
	err = tx.Conn().QueryRowContext(tx.Context(), `SELECT coalesce(max(position), 0), coalesce((array_agg(chain))[1], '') FROM document_chains WHERE account_id = $1`,
		tx.AccountID).Scan(&head.Position, &chain)
	if err != nil {
		return head, fmt.Errorf("read the end of a chain of seals: %w", err)
	}
	head.Chain = string(chain)
	return head, nil
}

// Unnoted returns final documents of the account that are neither sealed nor about to be.
func Unnoted(tx *store.Tx) ([]store.Finding, error) {
	found, err := tx.Findings(`
		SELECT id, 'it is final, and was not sealed' FROM (
			SELECT 'invoice' AS kind, id FROM invoices WHERE account_id = $1 AND status <> 'draft'
			UNION ALL SELECT 'credit_note', id FROM credit_notes WHERE account_id = $1
			UNION ALL SELECT 'balance_transaction', id FROM balance_transactions WHERE account_id = $1
			UNION ALL SELECT 'ledger_entry', id FROM ledger_entries WHERE account_id = $1 AND status = 'committed') AS final
		WHERE NOT EXISTS (SELECT FROM document_seals s WHERE s.account_id = $1 AND s.kind = final.kind AND s.document_id = final.id)
			AND NOT EXISTS (SELECT FROM unsealed_documents u WHERE u.account_id = $1 AND u.kind = final.kind AND u.document_id = final.id)
		ORDER BY id LIMIT 100`, tx.AccountID)
	if err != nil {
		return nil, fmt.Errorf("look for documents without seals: %w", err)
	}
	return found, nil
}
