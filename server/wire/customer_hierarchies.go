package wire

import (
	"tollkeeper/domain/customer"
	"tollkeeper/domain/portal"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// LoadCustomers returns customers with their parents and children, and the permanent addresses of
// their portals where the account has such.
func LoadCustomers(tx *store.Tx, all ...customer.Customer) ([]gen.Customer, error) {
	parents, children, err := customer.Relatives(tx, all...)
	if err != nil {
		return nil, err
	}
	address, err := portal.Addresses(tx)
	return MapSlice(all, func(c customer.Customer) gen.Customer {
		shown := Customer(c)
		shown.PortalURL = optionalText(address(c.ID))
		shown.Hierarchy.Children = MapSlice(children[c.ID], customerRefToWire)
		if parent, is := parents[c.ID]; is {
			above := customerRefToWire(parent)
			shown.Hierarchy.Parent = &above
		}
		return shown
	}), err
}

// ReadHierarchy reads the parent and the children of a customer. Members that are left out are
// empty.
func ReadHierarchy(in *gen.CustomerHierarchyConfig) (h customer.Hierarchy) {
	if in != nil {
		h.ParentID, h.ChildIDs = in.ParentCustomerID, in.ChildCustomerIds
	}
	return h
}
