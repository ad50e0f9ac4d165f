package credit

import (
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// EntryFilter narrows a list of entries (gaps D18). Zero values do not narrow.
type EntryFilter struct {
	Currency      money.Currency // required: one ledger is listed
	Kind          Kind
	Status        EntryStatus
	MinimumAmount *money.Decimal
	CreatedAt     store.Range
}

// ListEntries returns a page of a customer's ledger with the blocks of its
// entries, the highest number first. The cursor is the id of the last entry.
func ListEntries(tx *store.Tx, customerID string, filter EntryFilter, page store.Page) (entries []Entry, next string, err error) {
	query := filter.CreatedAt.On(ofLedger(tx, customerID, filter.Currency), "created_at")
	if filter.Kind != "" {
		query = query.Where("kind = ?", filter.Kind)
	}
	if filter.Status != "" {
		query = query.Where("status = ?", filter.Status)
	}
	if filter.MinimumAmount != nil {
		query = query.Where("amount >= ?", *filter.MinimumAmount)
	}
	if page.Cursor != "" {
		var last Entry
		err := ofLedger(tx, customerID, filter.Currency).Where("id = ?", page.Cursor).Take(&last).Error
		if fault.Is(store.Found(err, "Entry", page.Cursor), fault.KindMissing) {
			return nil, "", fault.Bad("cursor", "is not one that this list returned")
		}
		if err != nil {
			return nil, "", err
		}
		query = query.Where("sequence < ?", last.Sequence)
	}
	if err := query.Order("sequence DESC").Limit(page.Limit + 1).Find(&entries).Error; err != nil {
		return nil, "", err
	}
	if len(entries) > page.Limit {
		entries = entries[:page.Limit]
		next = entries[page.Limit-1].ID
	}
	return entries, next, loadBlocks(tx, entries)
}

// loadBlocks gives each entry its block as it is now.
func loadBlocks(tx *store.Tx, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	ids := make([]string, len(entries))
	for i, entry := range entries {
		ids[i] = entry.BlockID
	}
	var blocks []Block
	if err := tx.Where("id IN ?", ids).Find(&blocks).Error; err != nil {
		return err
	}
	byID := make(map[string]Block, len(blocks))
	for _, block := range blocks {
		byID[block.ID] = block
	}
	for i := range entries {
		entries[i].Block = byID[entries[i].BlockID]
	}
	return nil
}

// BlockFilter narrows a list of blocks.
type BlockFilter struct {
	Currency    money.Currency // required
	All         bool           // also blocks that are used up or have expired
	EffectiveAt store.Range
}

// linesOfBlock is a line for a block, more for one with long filters.
const linesOfBlock = "1 + pg_column_size(filters) / 100"

// ListBlocks returns a page of a customer's blocks in one unit, newest first.
func ListBlocks(tx *store.Tx, customerID string, filter BlockFilter, page store.Page) (blocks []Block, next string, err error) {
	query := filter.EffectiveAt.On(ofLedger(tx, customerID, filter.Currency), "effective_at").Where("deleted_at IS NULL")
	if !filter.All {
		query = query.Where("NOT empty AND (expires_at IS NULL OR expires_at > ?)", tx.Now)
	}
	return store.List[Block](store.Long(query, linesOfBlock), page)
}

// FindEntry returns the entry with that id and its block as it is now, or fault.Missing.
func FindEntry(tx *store.Tx, id string) (Entry, error) {
	var e Entry
	if err := tx.Where("id = ?", id).Take(&e).Error; err != nil {
		return e, store.Found(err, "Entry", id)
	}
	entries := []Entry{e}
	err := loadBlocks(tx, entries)
	return entries[0], err
}
