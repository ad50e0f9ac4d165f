package credit

import (
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// take writes an entry by which its block loses credits, and what the block has left.
func (l *Ledger) take(tx *store.Tx, entry *Entry, amount money.Decimal) error {
	l.draw(tx, entry, amount)
	return tx.Clauses(withUpdates{entry.Block.left()}).Create(entry).Error
}

// takeLast is take and save in one statement: most operations take once, and code that
// changes the same ledger waits meanwhile.
func (l *Ledger) takeLast(tx *store.Tx, entry *Entry, amount money.Decimal) error {
	l.draw(tx, entry, amount)
	if err := tx.Clauses(withUpdates{entry.Block.left(), l.state()}).Create(entry).Error; err != nil {
		return err
	}
	return l.tell(tx)
}

// draw makes an entry the ledger's next that takes credits from its block.
func (l *Ledger) draw(tx *store.Tx, entry *Entry, amount money.Decimal) {
	entry.Block.Balance = entry.Block.Balance.Sub(amount)
	l.number(tx, entry)
}

// update is a statement that changes a row.
type update struct {
	sql  string
	args []any
}

// left writes the balance of a block.
func (b Block) left() update {
	return update{"UPDATE credit_blocks SET balance = ? WHERE account_id = ? AND id = ?", []any{b.Balance, b.AccountID, b.ID}}
}

// state writes what an operation made of the ledger.
func (l *Ledger) state() update {
	return update{`UPDATE credit_ledgers SET last_sequence = ?, balance = ?, changes = ?, changed_at = ?, due_at = ?
			WHERE account_id = ? AND customer_id = ? AND currency = ?`,
		[]any{l.LastSequence, l.Balance, l.Changes, l.ChangedAt, l.DueAt, l.AccountID, l.CustomerID, l.Currency}}
}

// withUpdates is what an INSERT of entries changes besides, in the same statement.
type withUpdates []update

// Build writes the changes.
func (a withUpdates) Build(to clause.Builder) {
	before := "WITH"
	for k, u := range a {
		clause.Expr{SQL: fmt.Sprintf("%s u%d AS (%s)", before, k, u.sql), Vars: u.args}.Build(to)
		before = ","
	}
}

// ModifyStatement puts them before the INSERT.
func (a withUpdates) ModifyStatement(to *gorm.Statement) {
	to.AddClause(clause.Insert{})
	insert := to.Clauses[clause.Insert{}.Name()]
	insert.BeforeExpression = a
	to.Clauses[clause.Insert{}.Name()] = insert
}
