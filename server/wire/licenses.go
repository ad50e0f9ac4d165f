package wire

import (
	"tollkeeper/domain/license"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// License returns a license with its status at the time of tx.
func License(tx *store.Tx, l license.License) gen.License {
	return gen.License{
		ID: l.ID, SubscriptionID: l.SubscriptionID, LicenseTypeID: l.TypeID, ExternalLicenseID: l.ExternalID,
		StartDate: Instant(l.StartAt), EndDate: OptionalInstant(l.EndAt), Status: gen.LicenseStatus(l.Status(tx.Now)),
	}
}
