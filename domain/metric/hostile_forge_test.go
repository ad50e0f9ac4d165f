package metric_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// forge makes statements up: metrics, and what becomes of metrics and of the corpus when
// words are dropped, doubled, swapped, or taken from elsewhere.
type forge struct {
	*rand.Rand
	corpus  []string
	words   []string // of the corpus
	columns []string // of the source; nil: those of events
}

var word = regexp.MustCompile(`'(?:[^']|'')*'|"(?:[^"]|"")*"|[\pL_][\pL\p{Nd}_]*|[0-9.]+|[<>!=]=|<>|\s+|(?s:.)`)

func newForge(corpus []string) forge {
	f := forge{corpus: corpus}
	for _, statement := range corpus {
		f.words = append(f.words, word.FindAllString(statement, -1)...)
	}
	return f
}

func (f forge) one(of ...string) string { return of[f.IntN(len(of))] }

// statement is a metric as often as not, and the same for a seed.
func (f forge) statement(seed uint64) string {
	f.Rand = rand.New(rand.NewPCG(seed, 0))
	if f.IntN(2) == 0 {
		return f.metric()
	}
	text := f.metric()
	if f.IntN(3) == 0 {
		text = f.one(f.corpus...)
	}
	words := word.FindAllString(text, -1)
	for range f.IntN(3) + 1 {
		words = f.change(words)
	}
	return strings.Join(words, "")
}

// change does one thing to a statement.
func (f forge) change(words []string) []string {
	if len(words) == 0 {
		return []string{f.one(f.words...)}
	}
	at, to := f.IntN(len(words)), f.IntN(len(words))
	words = slices.Clone(words)
	switch f.IntN(9) {
	case 0:
		return slices.Delete(words, at, at+1)
	case 1:
		words[at], words[to] = words[to], words[at]
	case 2:
		words[at] = f.one(f.words...)
	case 3:
		words[at] = f.value(1)
	case 4:
		return slices.Insert(words, at, " ", f.one(f.words...), " ")
	case 5:
		return slices.Concat(words[:at], words[min(at, to):max(at, to)], words[at:])
	case 6: // the head of this one, the tail of another
		other := word.FindAllString(f.one(f.corpus...), -1)
		return slices.Concat(words[:at], other[min(at, len(other)):])
	case 7:
		words[at] = f.one(`"`+words[at]+`"`, "'"+words[at]+"'", "("+words[at]+")", words[at]+words[at])
	default:
		letters := []rune(words[at])
		letters[f.IntN(len(letters))] = []rune("'\"\\;-*/$?%_()\x00\u00a0’＇0eE\n")[f.IntN(19)]
		words[at] = string(letters)
	}
	return words
}

// metric is one that is of the language but for types, which may not fit.
func (f forge) metric() string {
	source, over := f.source(f.IntN(3))
	return "SELECT " + over.total(f.IntN(3)) + " FROM " + source + over.maybe(" WHERE ", over.condition) + over.maybe(" HAVING ", func(depth int) string {
		return over.total(depth) + " > " + over.literal()
	})
}

func (f forge) maybe(keyword string, of func(depth int) string) string {
	if f.IntN(3) > 0 {
		return ""
	}
	return keyword + of(f.IntN(3))
}

// source is what a SELECT reads, with the forge of what is said over it.
func (f forge) source(depth int) (string, forge) {
	if depth == 0 {
		return "events", f
	}
	source, over := f.source(depth - 1)
	items, columns, groups := "", []string(nil), ""
	for i := range f.IntN(3) + 1 {
		value := over.value(1)
		columns = append(columns, fmt.Sprint("x", i))
		switch f.IntN(3) {
		case 0:
			value = over.total(1)
		case 1:
			groups += ", " + value
		}
		items += ", " + value + " AS " + columns[i]
	}
	if groups != "" {
		groups = " GROUP BY " + groups[2:]
	}
	f.columns = columns
	return "(SELECT " + items[2:] + " FROM " + source + over.maybe(" WHERE ", over.condition) + groups + ") t", f
}

// total is an aggregate, or what is computed of such.
func (f forge) total(depth int) string {
	x := f.value(depth)
	switch f.IntN(9) {
	case 0:
		return "COUNT(*)"
	case 1:
		return "COUNT(DISTINCT " + x + ")"
	case 2:
		return f.one("LATEST_BY", "EARLIEST_BY") + "(" + x + ", " + f.name() + ")"
	case 3:
		return "PERCENTILE_CONT(" + x + ", " + f.one("0", "0.5", "1") + ")"
	case 4:
		return f.total(0) + " " + f.one("+", "-", "*", "/", "%") + " " + f.total(0)
	case 5:
		return f.one("COALESCE", "GREATEST", "NULLIF") + "(" + f.total(0) + ", " + f.literal() + ")"
	}
	return f.one("SUM", "MIN", "MAX", "AVG", "COUNT") + "(" + x + ")"
}

func (f forge) value(depth int) string {
	if depth == 0 {
		if f.IntN(3) == 0 {
			return f.literal()
		}
		return f.name()
	}
	x, y := f.value(depth-1), f.value(depth-1)
	switch f.IntN(8) {
	case 0:
		return "(" + x + " " + f.one("+", "-", "*", "/", "%") + " " + y + ")"
	case 1:
		return "CASE WHEN " + f.condition(depth-1) + " THEN " + x + " ELSE " + y + " END"
	case 2:
		return f.one("COALESCE", "NULLIF", "GREATEST", "LEAST", "CONCAT", "SUBSTR", "ROUND") + "(" + x + ", " + y + ")"
	case 3:
		return f.one("ABS", "CEIL", "FLOOR", "ROUND", "LOWER", "UPPER", "TRIM", "LENGTH", "day_floor_timestamp_millis") + "(" + x + ")"
	case 4:
		return "CAST(" + x + " AS " + f.one("VARCHAR", "DOUBLE", "DECIMAL", "BIGINT", "BOOLEAN") + ")"
	case 5:
		return "- " + x
	}
	return x
}

func (f forge) condition(depth int) string {
	x := f.value(depth)
	switch f.IntN(8) {
	case 0:
		return x + " IS NULL"
	case 1:
		return x + f.one(" IN (", " NOT IN (") + f.literal() + ", " + f.literal() + ")"
	case 2:
		return x + " LIKE " + f.text()
	case 3:
		return x + " BETWEEN " + f.value(0) + " AND " + f.value(0)
	case 4:
		return "NOT " + f.condition(max(depth-1, 0))
	case 5:
		return "(" + f.condition(max(depth-1, 0)) + f.one(" AND ", " OR ") + f.condition(0) + ")"
	}
	return x + f.one(" = ", " <> ", " < ", " >= ", " == ", " != ") + f.value(0)
}

// name is that of a column or property; any text can be one.
func (f forge) name() string {
	switch {
	case f.columns != nil:
		return f.one("", "t.") + f.one(f.columns...)
	case f.IntN(20) == 0:
		return `"` + strings.ReplaceAll(f.one(f.corpus...), `"`, `""`) + `"`
	}
	return f.one("n", "n", "m", "s", "u", "properties.b", `"odd 'name"""`, "timestamp", "timestamp_millis", "event_name", "customer_id",
		"external_customer_id", "idempotency_key", "account_id", "nothing")
}

func (f forge) literal() string {
	return f.one(f.text(), f.text(), "0", "1", "-7.5", "1e29", "1e-60", "12345678901234567890", "TRUE", "false", "NULL", canary)
}

// text is a string; any text can be one.
func (f forge) text() string {
	return "'" + strings.ReplaceAll(f.one("", "x", "y", "7", "%", "_%", "2025-05-10", f.one(f.corpus...)), "'", "''") + "'"
}
