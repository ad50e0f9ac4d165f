package server

import (
	"tollkeeper/domain/customer"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// customersToWire shows customers with their relatives.
func customersToWire(tx *store.Tx, all ...customer.Customer) ([]gen.Customer, error) {
	parents, children, err := customer.Relatives(tx, all...)
	return toWire(all, func(c customer.Customer) gen.Customer {
		shown := customerToWire(c)
		shown.Hierarchy.Children = toWire(children[c.ID], customerRefToWire)
		if parent, is := parents[c.ID]; is {
			above := customerRefToWire(parent)
			shown.Hierarchy.Parent = &above
		}
		return shown
	}), err
}

// hierarchyFromWire reads where a customer is to stand. What is left out is none.
func hierarchyFromWire(in *gen.CustomerHierarchyConfig) (h customer.Hierarchy) {
	if in != nil {
		h.ParentID, h.ChildIDs = in.ParentCustomerID, in.ChildCustomerIds
	}
	return h
}
