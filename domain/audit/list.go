package audit

import (
	"fmt"

	"tollkeeper/store"
)

// Filter chooses entries. What is empty chooses all.
type Filter struct {
	Created    store.Range // real time
	ActorID    string
	Action     string
	ResourceID string // of a row that was changed
}

// linesOfEntry is how many rows of an entry are shown; long rows count for more.
var linesOfEntry = fmt.Sprintf(`(SELECT coalesce(sum(1 + (coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0)) / 2000), 0)
	FROM (SELECT before, after FROM audit_changes c WHERE c.account_id = audit_entries.account_id AND c.entry_id = audit_entries.id ORDER BY c.seq LIMIT %d) c)`, mostChanges)

// List returns entries with their changes, the newest first.
func List(tx *store.Tx, f Filter, page store.Page) (entries []Entry, next string, err error) {
	query := f.Created.On(tx.Model(&Entry{}), "created_at")
	if f.ActorID != "" {
		query = query.Where("actor_id = ?", f.ActorID)
	}
	if f.Action != "" {
		query = query.Where("action = ?", f.Action)
	}
	if f.ResourceID != "" {
		query = query.Where("id IN (SELECT entry_id FROM audit_changes WHERE account_id = ? AND row_id = ?)", tx.AccountID, f.ResourceID)
	}
	entries, next, err = store.List[Entry](store.Long(query, linesOfEntry), page)
	if err != nil {
		return nil, "", err
	}
	return entries, next, load(tx, entries)
}

// mostChanges bounds how many rows of an entry are shown: a change of a plan with many
// prices has hundreds, and its first ones tell what it was.
const mostChanges = 100

// load reads the changes of entries.
func load(tx *store.Tx, entries []Entry) error {
	ids := make([]string, len(entries))
	place := map[string]int{}
	for i, e := range entries {
		ids[i], place[e.ID] = e.ID, i
	}
	if len(ids) == 0 {
		return nil
	}
	var changes []Change
	err := tx.Raw(`SELECT * FROM (
			SELECT *, row_number() OVER (PARTITION BY entry_id ORDER BY seq) AS place FROM audit_changes WHERE account_id = ? AND entry_id IN ?) c
		WHERE place <= ? ORDER BY seq`, tx.AccountID, ids, mostChanges).Scan(&changes).Error
	if err != nil {
		return err
	}
	for _, c := range changes {
		e := &entries[place[c.EntryID]]
		e.Changes = append(e.Changes, c)
	}
	return nil
}
