package event

import "tollkeeper/domain/period"

// Backfill is what recording has to know of one: where its events may lie.
type Backfill struct {
	ID       string
	Subjects []string      // who; nil for everybody
	Period   period.Period // when
}
