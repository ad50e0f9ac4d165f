package catalog

import (
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Item is a product or a feature that is sold.
type Item struct {
	store.Record
	Name       string
	Metadata   store.Metadata
	ArchivedAt *time.Time // nil: it can be sold

	Connections []Connection `gorm:"column:external_connections;serializer:json"`
}

// Connection is an item's name in another system.
type Connection struct {
	System string `json:"system"`
	ID     string `json:"id"` // not empty
}

// NewItem is what a client asks for.
type NewItem struct {
	Name     string
	Metadata map[string]*string
}

// CreateItem makes an item. Names may repeat.
func CreateItem(tx *store.Tx, in NewItem) (Item, error) {
	metadata, err := store.Metadata(nil).Merge(in.Metadata)
	if err != nil {
		return Item{}, err
	}
	item := Item{Record: tx.Record("item"), Name: in.Name, Metadata: metadata, Connections: []Connection{}}
	return item, tx.Create(&item).Error
}

// FindItem returns the item with that id, or fault.Missing.
func FindItem(tx *store.Tx, id string) (item Item, err error) {
	err = tx.Where("id = ?", id).Take(&item).Error
	return item, store.Found(err, "Item", id)
}

// UpdateItem applies an edit to an item. Drafts follow; issued invoices keep its name.
func UpdateItem(tx *store.Tx, id string, edit func(*Item) error) (Item, error) {
	item, err := lockItem(tx, id)
	if err != nil {
		return Item{}, err
	}
	if err := edit(&item); err != nil {
		return Item{}, err
	}
	return item, tx.Model(&item).Select("name", "metadata", "external_connections").Updates(&item).Error
}

// ArchiveItem ends an item for what is made afterwards. What is of it goes on. Archiving
// it again is refused.
func ArchiveItem(tx *store.Tx, id string) (Item, error) {
	item, err := lockItem(tx, id)
	if err == nil && item.ArchivedAt != nil {
		err = fault.Refused("this item is archived already")
	}
	if err != nil {
		return Item{}, err
	}
	item.ArchivedAt = &tx.Now
	return item, tx.Model(&item).Select("archived_at").Updates(&item).Error
}

func lockItem(tx *store.Tx, id string) (item Item, err error) {
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Where("id = ?", id).Take(&item).Error
	return item, store.Found(err, "Item", id)
}

// Sellable refuses an item that is archived.
func (i Item) Sellable() error {
	if i.ArchivedAt != nil {
		return fault.Refused("item %s is archived", i.ID)
	}
	return nil
}

// FindSellable is FindItem for something that is made of the item.
func FindSellable(tx *store.Tx, id string) (Item, error) {
	item, err := FindItem(tx, id)
	if err != nil {
		return item, err
	}
	return item, item.Sellable()
}

// creditsItem is the item of the allocations that name none (semantics 5.1.12).
func creditsItem(tx *store.Tx) (Item, error) { return ItemNamed(tx, "Credits") }

// ItemNamed returns the oldest item of that name that can be sold, which the first to ask
// for it makes.
func ItemNamed(tx *store.Tx, name string) (item Item, err error) {
	const oneAtATime = "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))"
	if err := tx.Exec(oneAtATime, "item "+name+" of "+tx.AccountID).Error; err != nil {
		return Item{}, err
	}
	err = tx.Where("name = ? AND archived_at IS NULL", name).Order("created_at, seq").Take(&item).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return CreateItem(tx, NewItem{Name: name})
	}
	return item, err
}

// ListItems returns a page of items, newest first.
func ListItems(tx *store.Tx, page store.Page) (items []Item, next string, err error) {
	return store.List[Item](tx.DB, page)
}

// FindItems returns the items with those ids, by id. It asks once, and leaves
// out what does not exist.
func FindItems(tx *store.Tx, ids []string) (map[string]Item, error) {
	return findAll(tx, ids, func(i Item) string { return i.ID })
}

// Names returns the names of the items with those ids, by id.
func Names(tx *store.Tx, ids []string) (map[string]string, error) {
	items, err := FindItems(tx, ids)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(items))
	for id, item := range items {
		names[id] = item.Name
	}
	return names, nil
}

// findAll loads the records with those ids in one query.
func findAll[T any](tx *store.Tx, ids []string, id func(T) string) (map[string]T, error) {
	var rows []T
	if len(ids) > 0 {
		if err := tx.Where("id IN ?", ids).Find(&rows).Error; err != nil {
			return nil, err
		}
	}
	byID := make(map[string]T, len(rows))
	for _, row := range rows {
		byID[id(row)] = row
	}
	return byID, nil
}
