package metric

// Kind is how a metric makes one number of its events.
type Kind int

const (
	KindCount Kind = iota + 1 // how many events, or how many values that are not NULL
	KindSum                   // KindSum to KindAvg: over numbers
	KindMin
	KindMax
	KindAvg
	KindDistinct // how many different values
	KindLatest   // the number of the highest order; ties go to the event ingested last
	KindEarliest // the number of the lowest order; ties go to the event ingested first
)

// aggregates gives each aggregate function's kind. COUNT(DISTINCT …) is told
// by its operand.
var aggregates = map[string]Kind{
	"COUNT":       KindCount,
	"SUM":         KindSum,
	"MIN":         KindMin,
	"MAX":         KindMax,
	"AVG":         KindAvg,
	"LATEST_BY":   KindLatest,
	"EARLIEST_BY": KindEarliest,
}
