package metric

// kind is how an aggregate makes one value of those of several rows. All skip NULL.
type kind int

const (
	kindCount    kind = iota + 1 // how many rows, or how many values
	kindDistinct                 // how many different values
	kindSum                      // kindSum to kindPercentile: over numbers
	kindMin
	kindMax
	kindAvg
	kindPercentile // between two numbers the one that lies there in proportion
	kindLatest     // the value of the highest order; ties go to the event ingested last
	kindEarliest   // the value of the lowest order; ties go to the event ingested first
)

// aggregates has the kind of each aggregate function. COUNT(DISTINCT …) is recognized by its
// operand.
var aggregates = map[string]kind{
	"COUNT":           kindCount,
	"SUM":             kindSum,
	"MIN":             kindMin,
	"MAX":             kindMax,
	"AVG":             kindAvg,
	"PERCENTILE_CONT": kindPercentile,
	"LATEST_BY":       kindLatest,
	"EARLIEST_BY":     kindEarliest,
}

// ranked is true of aggregates that give one of their values, by an order.
func (k kind) ranked() bool { return k == kindLatest || k == kindEarliest }
