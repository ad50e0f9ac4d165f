package wire

import (
	"tollkeeper/domain/customer"
	"tollkeeper/domain/portal"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// LoadCustomers returns customers with their parents and children. They are without addresses of their portals, which
// LinkPortals adds: webhooks and subscriptions have none (semantics 8.6.1).
func LoadCustomers(tx *store.Tx, all ...customer.Customer) ([]gen.Customer, error) {
	parents, children, err := customer.Relatives(tx, all...)
	if err != nil {
		return nil, err
	}
	return MapSlice(all, func(c customer.Customer) gen.Customer {
		shown := Customer(c)
		shown.Hierarchy.Children = MapSlice(children[c.ID], customerRefToWire)
		if parent, is := parents[c.ID]; is {
			above := customerRefToWire(parent)
			shown.Hierarchy.Parent = &above
		}
		return shown
	}), err
}

// LinkPortals adds the permanent addresses of the portals to customers as they are shown, where the account has such.
func LinkPortals(tx *store.Tx, all []customer.Customer, shown []gen.Customer) error {
	address, err := portal.Addresses(tx)
	if err != nil {
		return err
	}
	for k, c := range all {
		shown[k].PortalURL = optionalText(address(c))
	}
	return nil
}

// ReadHierarchy reads the parent and the children of a customer. Members that are left out are
// empty.
func ReadHierarchy(in *gen.CustomerHierarchyConfig) (h customer.Hierarchy) {
	if in != nil {
		h.ParentID, h.ChildIDs = in.ParentCustomerID, in.ChildCustomerIds
	}
	return h
}
