package metric

import "strings"

// Fragment is a part of a statement: each ? in SQL is one of Args, in order.
type Fragment struct {
	SQL  string
	Args []any
}

// Compile writes the condition for rows that the statement calls alias: an
// expression that is TRUE, FALSE or NULL, where NULL is unknown.
func (c *Condition) Compile(alias string) Fragment {
	return compiler{alias: alias}.as(c.root, typBoolean)
}

// compiler writes expressions over the row that alias names.
type compiler struct {
	alias string
	fold  *fold    // whose groups and totals the row has; nil for a row of the source
	read  *reading // what the row has of its properties as columns; nil for a row without such
}

// overRows is for rows of a source. Every part of a metric calls its rows e.
var overRows = compiler{alias: "e"}

// quantity is n as the operand of an aggregate over numbers. Computed values
// are held to the bounds of an event's number; those of properties are already.
func (c compiler) quantity(n node) Fragment {
	if _, ok := n.(*property); ok {
		return c.number(n)
	}
	return sql("metric_bound($)", c.number(n))
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
