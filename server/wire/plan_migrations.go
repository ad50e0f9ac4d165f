package wire

import (
	"time"

	"tollkeeper/domain/migration"
	"tollkeeper/domain/period"
	"tollkeeper/gen"
)

// PlanMigration returns a migration. Its effective time is a date, an instant in UTC, or the word
// that the request said.
func PlanMigration(m migration.Migration) gen.PlanMigration {
	shown := gen.PlanMigration{ID: m.ID, PlanID: m.PlanID, EffectiveTime: m.Effective, Status: gen.PlanMigrationStatus(m.Status())}
	if m.Effective == nil {
		return shown
	}
	if _, err := period.ParseDate(*m.Effective); err == nil {
		return shown
	}
	if at, err := period.ParseInstant(*m.Effective, time.UTC); err == nil {
		text := Instant(at)
		shown.EffectiveTime = &text
	}
	return shown
}
