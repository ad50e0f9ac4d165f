package store

// Note leaves word of something the transaction did, for what is to happen before it
// commits. What [Tx.Try] undoes is not noted.
func (tx *Tx) Note(what any) { *tx.notes = append(*tx.notes, what) }

// BeforeCommit has each transaction that left notes, or is audited ([WithAudit]), end with
// do, which is given the notes in the order they were left; if it fails, the transaction does. Without it notes are
// forgotten.
func (s *Store) BeforeCommit(do func(tx *Tx, notes []any) error) { s.beforeCommit.Store(&do) }

// conclude is the end of a transaction that has done all else.
func (s *Store) conclude(tx *Tx) error {
	do := s.beforeCommit.Load()
	if do == nil || len(*tx.notes) == 0 && tx.AuditID == "" {
		return nil
	}
	return (*do)(tx, *tx.notes)
}
