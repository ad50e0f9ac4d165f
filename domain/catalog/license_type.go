package catalog

import "tollkeeper/store"

// LicenseType is a kind of license that a subscription holds some of, such as a
// seat.
type LicenseType struct {
	store.Record
	Name        string
	GroupingKey string // the property or column of events whose value is the external id of a license
}

// NewLicenseType is what a client asks for.
type NewLicenseType struct {
	Name        string
	GroupingKey string
}

// CreateLicenseType makes a license type. Names may repeat.
func CreateLicenseType(tx *store.Tx, in NewLicenseType) (LicenseType, error) {
	if err := checkName("grouping_key", in.GroupingKey); err != nil {
		return LicenseType{}, err
	}
	made := LicenseType{Record: tx.Record("lictype"), Name: in.Name, GroupingKey: in.GroupingKey}
	return made, tx.Create(&made).Error
}

// FindLicenseType returns the license type with that id, or fault.Missing.
func FindLicenseType(tx *store.Tx, id string) (found LicenseType, err error) {
	err = tx.Where("id = ?", id).Take(&found).Error
	return found, store.Found(err, "LicenseType", id)
}

// FindLicenseTypes returns the license types with those ids, by id. It asks once,
// and leaves out what does not exist.
func FindLicenseTypes(tx *store.Tx, ids []string) (map[string]LicenseType, error) {
	return findAll(tx, ids, func(l LicenseType) string { return l.ID })
}

// ListLicenseTypes returns a page of license types, oldest first (gaps A9).
func ListLicenseTypes(tx *store.Tx, page store.Page) (types []LicenseType, next string, err error) {
	return store.ListOldest[LicenseType](tx.DB, page)
}
