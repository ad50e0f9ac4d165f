package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
)

// LicenseType returns a license type.
func LicenseType(l catalog.LicenseType) gen.LicenseType {
	return gen.LicenseType{ID: l.ID, Name: l.Name, GroupingKey: l.GroupingKey}
}

func optionalLicenseTypeToWire(l *catalog.LicenseType) *gen.LicenseType {
	if l == nil {
		return nil
	}
	shown := LicenseType(*l)
	return &shown
}
