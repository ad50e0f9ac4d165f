package catalog

import (
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// references are the records that wanted prices name. They are loaded at once,
// however many prices there are; what does not exist is left out.
type references struct {
	items         map[string]Item
	metrics       map[string]Metric
	groups        map[string]DimensionalPriceGroup // by id
	groupsByAlias map[string]DimensionalPriceGroup
	licenseTypes  map[string]LicenseType
	credits       Item // of allocations that name none
}

// loadReferences loads what prices name.
func loadReferences(tx *store.Tx, wanted ...NewPrice) (r references, err error) {
	var itemIDs, metricIDs, licenseTypeIDs []string
	var groups []NewDimensions
	for _, in := range wanted {
		itemIDs = append(itemIDs, in.itemIDs()...)
		metricIDs = append(metricIDs, given(in.MetricID)...)
		licenseTypeIDs = append(licenseTypeIDs, given(in.licenseTypeID())...)
		if in.Dimensions != nil {
			groups = append(groups, *in.Dimensions)
		}
		if a := in.Allocation; a != nil && a.ItemID == nil && r.credits.ID == "" {
			if r.credits, err = creditsItem(tx); err != nil {
				return references{}, err
			}
		}
	}
	if err := r.loadGroups(tx, groups); err != nil {
		return references{}, err
	}
	for _, group := range r.groups {
		metricIDs = append(metricIDs, group.MetricID)
	}
	if r.items, err = FindItems(tx, itemIDs); err != nil {
		return references{}, err
	}
	if r.metrics, err = FindMetrics(tx, metricIDs); err != nil {
		return references{}, err
	}
	r.licenseTypes, err = FindLicenseTypes(tx, licenseTypeIDs)
	return r, err
}

func (r *references) loadGroups(tx *store.Tx, named []NewDimensions) error {
	r.groups, r.groupsByAlias = map[string]DimensionalPriceGroup{}, map[string]DimensionalPriceGroup{}
	if len(named) == 0 {
		return nil
	}
	var ids, aliases []string
	for _, d := range named {
		ids = append(ids, given(d.GroupID)...)
		aliases = append(aliases, given(d.ExternalGroupID)...)
	}
	var groups []DimensionalPriceGroup
	err := tx.Where("id IN ? OR external_dimensional_price_group_id IN ?", ids, aliases).Find(&groups).Error
	for _, group := range groups {
		r.groups[group.ID] = group
		if group.ExternalDimensionalPriceGroupID != nil {
			r.groupsByAlias[*group.ExternalDimensionalPriceGroupID] = group
		}
	}
	return err
}

// group returns the group of a price, false if it names none or none that exists.
func (r references) group(in NewPrice) (group DimensionalPriceGroup, found bool) {
	switch d := in.Dimensions; {
	case d == nil:
		return group, false
	case d.GroupID != nil:
		group, found = r.groups[*d.GroupID]
	case d.ExternalGroupID != nil:
		group, found = r.groupsByAlias[*d.ExternalGroupID]
	}
	return group, found
}

// need refuses a price that names what does not exist.
func (r references) need(in NewPrice) error {
	for _, id := range in.itemIDs() {
		item, found := r.items[id]
		if !found {
			return fault.Missing("Item", id)
		}
		if err := item.Sellable(); err != nil {
			return err
		}
	}
	if id := in.MetricID; id != nil && r.metrics[*id].ID == "" {
		return fault.Missing("Metric", *id)
	}
	if id := in.licenseTypeID(); id != nil && r.licenseTypes[*id].ID == "" {
		return fault.Missing("LicenseType", *id)
	}
	if _, found := r.group(in); in.Dimensions != nil && !found {
		return fault.Missing("DimensionalPriceGroup", in.Dimensions.name())
	}
	return nil
}

// itemIDs are the items that the price names.
func (in NewPrice) itemIDs() (ids []string) {
	if in.Allocation == nil {
		return []string{in.ItemID}
	}
	ids = given(in.Allocation.ItemID)
	for _, filter := range in.Allocation.Filters {
		ids = append(ids, filter.Values...)
	}
	return ids
}

func (in NewPrice) licenseTypeID() *string {
	if in.Allocation != nil {
		return in.Allocation.LicenseTypeID
	}
	return in.LicenseTypeID
}

// given lists an identifier, if there is one.
func given(id *string) []string {
	if id == nil {
		return nil
	}
	return []string{*id}
}
