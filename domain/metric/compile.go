package metric

import "strings"

// Compiled is a metric over rows of the table events, to be put together with
// the period, the customers and the groups it is asked for.
type Compiled struct {
	Kind Kind

	// Value is what is aggregated, for one row. It is NULL where the row has
	// nothing for the aggregate, and such rows do not count.
	//
	// KindCount: of any type, and empty for COUNT(*). KindDistinct: jsonb; equal
	// values are equal as jsonb and as its text (1 and 1.0, but not 7 and '7').
	// All others: numeric.
	Value Fragment

	// Order is for KindLatest and KindEarliest only: of some type with a total
	// order that is the same in every database. Rows where it is NULL do not count.
	Order Fragment

	// Where is the condition, TRUE without one. Only true passes: it may be NULL.
	Where Fragment
}

// Fragment is a part of a statement: each ? in SQL is one of Args, in order.
type Fragment struct {
	SQL  string
	Args []any
}

// Compile writes the metric for rows that the statement calls alias, which is
// an identifier of SQL; without one, columns stand alone.
func (q *Query) Compile(alias string) Compiled {
	c := compiler{alias}
	a := q.aggregate
	compiled := Compiled{Kind: a.kind, Where: Fragment{SQL: "TRUE"}}
	switch {
	case a.kind == KindCount && a.operand == nil:
	case a.kind == KindCount:
		compiled.Value = c.free(a.operand)
	case a.kind == KindDistinct:
		compiled.Value = sql("metric_distinct($)", c.as(a.operand, typAny))
	default:
		compiled.Value = c.quantity(a.operand)
	}
	if a.order != nil {
		compiled.Order = c.order(a.order)
	}
	if q.where != nil {
		compiled.Where = c.as(q.where, typBoolean)
	}
	return compiled
}

// Compile writes the condition for rows that the statement calls alias: an
// expression that is TRUE, FALSE or NULL, where NULL is unknown.
func (c *Condition) Compile(alias string) Fragment {
	return compiler{alias}.as(c.root, typBoolean)
}

// compiler writes expressions over the row that alias names.
type compiler struct{ alias string }

// quantity is n as the operand of an aggregate over numbers. Computed values
// are held to the bounds of an event's number; those of properties are already.
func (c compiler) quantity(n node) Fragment {
	if _, ok := n.(*property); ok {
		return c.number(n)
	}
	return sql("metric_bound($)", c.number(n))
}

func (c compiler) order(n node) Fragment {
	switch n.about().typ {
	case typText:
		return sql(`($) COLLATE "C"`, c.free(n))
	case typAny, typNull:
		return sql("metric_order($)", c.as(n, typAny))
	default:
		return c.free(n)
	}
}

// bind is a constant of a type of SQL.
func bind(sqlType string, value any) Fragment {
	return Fragment{SQL: "?::" + sqlType, Args: []any{value}}
}

// sql fills each $ of a template with the next part.
func sql(template string, parts ...Fragment) Fragment {
	var text strings.Builder
	var args []any
	pieces := strings.Split(template, "$")
	text.WriteString(pieces[0])
	for i, piece := range pieces[1:] {
		text.WriteString(parts[i].SQL)
		text.WriteString(piece)
		args = append(args, parts[i].Args...)
	}
	return Fragment{SQL: text.String(), Args: args}
}

// list joins parts by a separator.
func list(separator string, parts []Fragment) Fragment {
	return sql(strings.TrimSuffix(strings.Repeat("$"+separator, len(parts)), separator), parts...)
}

// each compiles nodes in one way.
func each(nodes []node, compile func(node) Fragment) (parts []Fragment) {
	for _, n := range nodes {
		parts = append(parts, compile(n))
	}
	return parts
}
