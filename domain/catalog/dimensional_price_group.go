package catalog

import (
	"fmt"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/metric"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// DimensionalPriceGroup partitions a metric by properties of its events. Each
// price of the group charges one combination of their values; usage that no price
// is for is not billed (semantics 16.1).
type DimensionalPriceGroup struct {
	store.Record
	Name                            string
	ExternalDimensionalPriceGroupID *string // alias, unique
	MetricID                        string
	Dimensions                      []string `gorm:"serializer:json"` // names of properties or columns: at least one, all different
	Metadata                        store.Metadata
}

// NewDimensionalPriceGroup is what a client asks for.
type NewDimensionalPriceGroup struct {
	Name                            string
	ExternalDimensionalPriceGroupID *string
	MetricID                        string
	Dimensions                      []string
	Metadata                        map[string]*string
}

// CreateDimensionalPriceGroup makes a group without prices.
func CreateDimensionalPriceGroup(tx *store.Tx, in NewDimensionalPriceGroup) (DimensionalPriceGroup, error) {
	metadata, err := store.Metadata(nil).Merge(in.Metadata)
	if err := fault.Join(checkDimensions(in.Dimensions), err); err != nil {
		return DimensionalPriceGroup{}, err
	}
	if _, err := FindMetric(tx, in.MetricID); err != nil {
		return DimensionalPriceGroup{}, err
	}
	group := DimensionalPriceGroup{
		Record:                          tx.Record("dpg"),
		Name:                            in.Name,
		ExternalDimensionalPriceGroupID: in.ExternalDimensionalPriceGroupID,
		MetricID:                        in.MetricID,
		Dimensions:                      in.Dimensions,
		Metadata:                        metadata,
	}
	return group, oneGroup(tx.Create(&group).Error)
}

// checkDimensions requires names that mean different things: region and
// properties.region are one.
func checkDimensions(dimensions []string) error {
	var faults []error
	given := map[metric.Name]bool{}
	for k, dimension := range dimensions {
		field := fmt.Sprintf("dimensions[%d]", k)
		name, err := metric.ParseName(dimension)
		switch {
		case err != nil:
			faults = append(faults, fault.Bad(field, "%v", err))
		case given[name]:
			faults = append(faults, fault.Bad(field, "must not name the same as another dimension"))
		default:
			given[name] = true
		}
	}
	return fault.Join(faults...)
}

// FindDimensionalPriceGroup returns the group with that id, or fault.Missing.
func FindDimensionalPriceGroup(tx *store.Tx, id string) (group DimensionalPriceGroup, err error) {
	err = tx.Where("id = ?", id).Take(&group).Error
	return group, store.Found(err, "DimensionalPriceGroup", id)
}

// FindDimensionalPriceGroupByExternalID returns the group with that alias, or
// fault.Missing.
func FindDimensionalPriceGroupByExternalID(tx *store.Tx, alias string) (group DimensionalPriceGroup, err error) {
	err = tx.Where("external_dimensional_price_group_id = ?", alias).Take(&group).Error
	return group, store.Found(err, "DimensionalPriceGroup", alias)
}

// linesOfGroup is a line for a group, more for one with long dimensions.
const linesOfGroup = "1 + pg_column_size(dimensions) / 100"

// ListDimensionalPriceGroups returns a page of groups, newest first.
func ListDimensionalPriceGroups(tx *store.Tx, page store.Page) (groups []DimensionalPriceGroup, next string, err error) {
	return store.List[DimensionalPriceGroup](store.Long(tx.DB, linesOfGroup), page)
}

// UpdateDimensionalPriceGroup applies an edit to a group. Of what it changes, only
// alias and metadata are kept: nothing else of a group can change (semantics
// 16.1.4).
func UpdateDimensionalPriceGroup(tx *store.Tx, id string, edit func(*DimensionalPriceGroup) error) (DimensionalPriceGroup, error) {
	var group DimensionalPriceGroup
	err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&group).Error
	if err != nil {
		return DimensionalPriceGroup{}, store.Found(err, "DimensionalPriceGroup", id)
	}
	edited := group
	if err := edit(&edited); err != nil {
		return DimensionalPriceGroup{}, err
	}
	group.ExternalDimensionalPriceGroupID, group.Metadata = edited.ExternalDimensionalPriceGroupID, edited.Metadata
	return group, oneGroup(tx.Model(&group).Select("external_dimensional_price_group_id", "metadata").Updates(&group).Error)
}

// oneGroup explains why a group could not be saved.
func oneGroup(err error) error {
	if store.Unique(err, "dimensional_price_groups_alias") {
		return fault.Taken("dimensional price group", "external_dimensional_price_group_id")
	}
	return err
}
