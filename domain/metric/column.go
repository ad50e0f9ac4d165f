package metric

import (
	"fmt"
	"slices"
	"strings"
)

// columns are what every event has; other names are properties.
var columns = map[string]struct {
	typ    typ
	digits digits
}{
	"event_name":           {typText, digits{}},
	"timestamp":            {typTime, digits{}},
	"timestamp_millis":     {typNumber, digits{16, 0}},
	"idempotency_key":      {typText, digits{}},
	"customer_id":          {typText, digits{}},
	"external_customer_id": {typText, digits{}},
}

// columnValue reads a column of the language from those of the table, where
// the customer is one column: c: and an id, or e: and an external id.
func (c compiler) columnValue(name string) Fragment {
	subject := func(prefix string) Fragment {
		s := c.column("subject")
		return Fragment{SQL: fmt.Sprintf("CASE WHEN left(%s, 2) = '%s' THEN substr(%s, 3) END", s, prefix, s)}
	}
	switch name {
	case "timestamp":
		return Fragment{SQL: c.column(`"timestamp"`)}
	case "timestamp_millis":
		return Fragment{SQL: "floor(extract(epoch FROM " + c.column(`"timestamp"`) + ") * 1000)"}
	case "customer_id":
		return byCodePoint(subject("c:"))
	case "external_customer_id":
		return byCodePoint(subject("e:"))
	default:
		return byCodePoint(Fragment{SQL: c.column(name)})
	}
}

// byCodePoint keeps columns of different collations comparable.
func byCodePoint(text Fragment) Fragment { return sql(`($ COLLATE "C")`, text) }

// between is a column that one part of a metric passes to the next.
func (c compiler) between(prefix string, index int, t typ) Fragment {
	f := Fragment{SQL: c.column(fmt.Sprint(prefix, index))}
	if t == typText {
		return byCodePoint(f)
	}
	return f
}

func (c compiler) property(key string) Fragment {
	if column := c.read.column(key); column != "" {
		return Fragment{SQL: c.column(column)}
	}
	return sql(c.column("properties")+"->$", bind("text", key))
}

// reading is properties that rows have as columns p0, p1, …: an expression looks at its
// property more than once, and several look at one.
type reading struct {
	by    string // the column that is true of rows that are looked at
	keys  []string
	where []string // conditions for rows, one of whose expressions looks at the property
}

// mostRead keeps a SELECT far from the 1,664 columns that it may have.
const mostRead = 500

// column is that of a property, or "" if it has none.
func (r *reading) column(key string) string {
	if r == nil {
		return ""
	}
	at := slices.Index(r.keys, key)
	switch {
	case at < 0 && len(r.keys) == mostRead:
		return ""
	case at < 0:
		at = len(r.keys)
		r.keys, r.where = append(r.keys, key), append(r.where, r.by)
	case !strings.HasSuffix(r.where[at], r.by):
		r.where[at] += " OR " + r.by
	}
	return fmt.Sprint("p", at)
}

// columns writes them for rows that have their properties in one column, each behind a comma.
func (r *reading) columns() (all Fragment) {
	for i, key := range r.keys {
		all = sql(fmt.Sprintf("$, CASE WHEN %s THEN $ END AS p%d", r.where[i], i), all, overRows.property(key))
	}
	return all
}

func (c compiler) column(name string) string {
	if c.alias == "" {
		return name
	}
	return c.alias + "." + name
}
