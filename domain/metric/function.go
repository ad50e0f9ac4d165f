package metric

// function is one whose operands have types of their own, unlike a selection.
// Digits of a number it gives are those of its operands and one more.
type function struct {
	operands []typ  // at most so many
	optional int    // of them, at the end
	result   typ    // number or text
	sql      string // $ is the list of operands
}

// concat takes any number of operands; each is read as by CAST to VARCHAR.
var concat = &function{result: typText, sql: "metric_concat($)"}

var functions = map[string]*function{
	"ABS":    {operands: []typ{typNumber}, result: typNumber, sql: "abs($)"},
	"CEIL":   {operands: []typ{typNumber}, result: typNumber, sql: "ceil($)"},
	"FLOOR":  {operands: []typ{typNumber}, result: typNumber, sql: "floor($)"},
	"ROUND":  {operands: []typ{typNumber, typNumber}, optional: 1, result: typNumber, sql: "metric_round($)"},
	"LOWER":  {operands: []typ{typText}, result: typText, sql: "metric_lower($)"},
	"UPPER":  {operands: []typ{typText}, result: typText, sql: "metric_upper($)"},
	"TRIM":   {operands: []typ{typText}, result: typText, sql: "btrim($)"},
	"LENGTH": {operands: []typ{typText}, result: typNumber, sql: "length($)::numeric"},
	"SUBSTR": {operands: []typ{typText, typNumber, typNumber}, optional: 1, result: typText, sql: "metric_substr($)"},
	"CONCAT": concat,

	"SECOND_FLOOR_TIMESTAMP_MILLIS": {operands: []typ{typNumber}, result: typNumber, sql: "metric_floor($, 1000)"},
	"MINUTE_FLOOR_TIMESTAMP_MILLIS": {operands: []typ{typNumber}, result: typNumber, sql: "metric_floor($, 60000)"},
	"HOUR_FLOOR_TIMESTAMP_MILLIS":   {operands: []typ{typNumber}, result: typNumber, sql: "metric_floor($, 3600000)"},
	"DAY_FLOOR_TIMESTAMP_MILLIS":    {operands: []typ{typNumber}, result: typNumber, sql: "metric_floor($, 86400000)"},
}

// selections are the functions that give one of their operands, with how many
// they take; most is maxOperands where it is 0.
var selections = map[string]struct{ least, most int }{
	"COALESCE": {1, maxOperands},
	"GREATEST": {1, maxOperands},
	"LEAST":    {1, maxOperands},
	"NULLIF":   {2, 2},
}

// castTypes gives the type of a CAST and, where it is a number, its digits.
var castTypes = map[string]struct {
	typ    typ
	digits digits
}{
	"VARCHAR": {typText, digits{}},
	"DOUBLE":  {typNumber, eventDigits},
	"DECIMAL": {typNumber, eventDigits},
	"BIGINT":  {typNumber, digits{19, 0}},
	"BOOLEAN": {typBoolean, digits{}},
}
