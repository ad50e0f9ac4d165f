package catalog

import (
	"errors"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// Item is a product or a feature that is sold.
type Item struct {
	store.Record
	Name     string
	Metadata store.Metadata
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
	item := Item{Record: tx.Record("item"), Name: in.Name, Metadata: metadata}
	return item, tx.Create(&item).Error
}

// FindItem returns the item with that id, or fault.Missing.
func FindItem(tx *store.Tx, id string) (item Item, err error) {
	err = tx.Where("id = ?", id).Take(&item).Error
	return item, store.Found(err, "Item", id)
}

// creditsItem is the item of the allocations that name none (semantics 5.1.12).
func creditsItem(tx *store.Tx) (Item, error) { return ItemNamed(tx, "Credits") }

// ItemNamed returns the oldest item of that name, which the first to ask for it makes.
func ItemNamed(tx *store.Tx, name string) (item Item, err error) {
	const oneAtATime = "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))"
	if err := tx.Exec(oneAtATime, "item "+name+" of "+tx.AccountID).Error; err != nil {
		return Item{}, err
	}
	err = tx.Where("name = ?", name).Order("created_at, seq").Take(&item).Error
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
