package customer

import (
	"fmt"
	"slices"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Hierarchy is the place of a customer among others: one with a parent has no children,
// so there is one level (semantics 2.4.7).
type Hierarchy struct {
	ParentID *string
	ChildIDs []string
}

// Children are the customers under a parent, oldest first.
func Children(tx *store.Tx, parentID string) ([]Customer, error) {
	var children []Customer
	err := tx.Where("parent_id = ? AND deleted_at IS NULL", parentID).Order("seq").Find(&children).Error
	return children, err
}

// Relatives are the parents and the children of some customers, by the customers' ids. Of the children, which may be
// thousands, it has the ids, parents and external ids alone.
func Relatives(tx *store.Tx, of ...Customer) (parents map[string]Customer, children map[string][]Customer, err error) {
	ids, parentIDs := make([]string, len(of)), []string{}
	for k, c := range of {
		ids[k] = c.ID
		if c.ParentID != nil {
			parentIDs = append(parentIDs, *c.ParentID)
		}
	}
	var below []Customer
	if err := tx.Select("id", "parent_id", "external_customer_id").Where("parent_id IN ? AND deleted_at IS NULL", ids).Order("seq").Find(&below).Error; err != nil {
		return nil, nil, err
	}
	above, err := FindAll(tx, parentIDs)
	parents, children = map[string]Customer{}, map[string][]Customer{}
	for _, c := range of {
		if c.ParentID != nil {
			parents[c.ID] = above[*c.ParentID]
		}
	}
	for _, c := range below {
		children[*c.ParentID] = append(children[*c.ParentID], c)
	}
	return parents, children, err
}

// Place gives a customer that parent and those children, and takes all others away. It
// returns the customer and those who are not its children any more. Changes of hierarchies
// of an account come one after the other.
func Place(tx *store.Tx, id string, h Hierarchy) (placed Customer, left []Customer, err error) {
	settings, err := account.InTurn(tx)
	if err != nil {
		return Customer{}, nil, err
	}
	if placed, err = Find(tx, id); err != nil {
		return Customer{}, nil, err
	}
	for _, parent := range []*string{&id, placed.ParentID, h.ParentID} { // who subscribes a parent sees all its children or none
		if parent == nil {
			continue
		}
		if _, err := Lock(tx, *parent); err != nil && !fault.Is(err, fault.KindMissing) {
			return Customer{}, nil, err
		}
	}
	before, err := Children(tx, id)
	if err != nil {
		return Customer{}, nil, err
	}
	joining, err := h.check(tx, placed, settings)
	if err != nil {
		return Customer{}, nil, err
	}
	for _, child := range before {
		if !slices.Contains(h.ChildIDs, child.ID) {
			left = append(left, child)
		}
	}
	moves := []struct {
		who []Customer
		to  *string
	}{{left, nil}, {joining, &id}, {[]Customer{placed}, h.ParentID}}
	for _, move := range moves {
		for _, c := range move.who {
			c.ParentID = move.to
			if err := save(tx, &c, "parent_id"); err != nil {
				return Customer{}, nil, err
			}
		}
	}
	placed.ParentID = h.ParentID
	return placed, left, nil
}

// check refuses a second level, a second hierarchy and too many children. It returns the
// children.
func (h Hierarchy) check(tx *store.Tx, c Customer, settings account.Account) ([]Customer, error) {
	if h.ParentID != nil && len(h.ChildIDs) > 0 {
		return nil, fault.Bad("hierarchy", "a customer cannot have a parent and children")
	}
	if h.ParentID != nil {
		if err := h.checkParent(tx, c, settings); err != nil {
			return nil, err
		}
	}
	if len(h.ChildIDs) > settings.ChildrenPerCustomer {
		return nil, tooMany(settings)
	}
	var faults []error
	children := make([]Customer, len(h.ChildIDs))
	for k, id := range h.ChildIDs {
		at := fmt.Sprintf("hierarchy.child_customer_ids[%d]", k)
		child, err := Find(tx, id)
		switch {
		case fault.Is(err, fault.KindMissing):
			faults = append(faults, fault.Bad(at, "must be a customer"))
			continue
		case err != nil:
			return nil, err
		case id == c.ID:
			faults = append(faults, fault.Bad(at, "must not be the customer itself"))
		case slices.Contains(h.ChildIDs[:k], id):
			faults = append(faults, fault.Bad(at, "must not be there twice"))
		case child.ParentID != nil && *child.ParentID != c.ID:
			faults = append(faults, fault.Bad(at, "must not be in another hierarchy"))
		}
		if below, err := Children(tx, id); err != nil {
			return nil, err
		} else if len(below) > 0 && id != c.ID {
			faults = append(faults, fault.Bad(at, "must not have children"))
		}
		children[k] = child
	}
	return children, fault.Join(faults...)
}

func (h Hierarchy) checkParent(tx *store.Tx, c Customer, settings account.Account) error {
	const field = "hierarchy.parent_customer_id"
	parent, err := Find(tx, *h.ParentID)
	switch {
	case fault.Is(err, fault.KindMissing):
		return fault.Bad(field, "must be a customer")
	case err != nil:
		return err
	case parent.ID == c.ID:
		return fault.Bad(field, "must not be the customer itself")
	case parent.ParentID != nil:
		return fault.Bad(field, "must not itself be a child")
	case c.ParentID != nil && *c.ParentID != parent.ID:
		return fault.Bad(field, "must not be given to a customer that is in another hierarchy")
	}
	siblings, err := Children(tx, parent.ID)
	if err == nil && c.ParentID == nil && len(siblings) >= settings.ChildrenPerCustomer {
		err = tooMany(settings)
	}
	return err
}

func tooMany(settings account.Account) error {
	return fault.Refused("a customer can have at most %d children", settings.ChildrenPerCustomer)
}

// leave takes a customer that is deleted out of its hierarchy.
func leave(tx *store.Tx, c *Customer) error {
	c.ParentID = nil
	return tx.Model(&Customer{}).Where("parent_id = ?", c.ID).Update("parent_id", clause.Expr{SQL: "NULL"}).Error
}
