package metric

// number is n in a numeric context, which a choice or selection hands on to
// its results (semantics 4.2.1). It is numeric, and NULL for what is no number.
func (c compiler) number(n node) Fragment {
	if value, t, ok := c.folded(n, true); ok {
		return convert(value, t, typNumber)
	}
	switch n := n.(type) {
	case *choice:
		return c.choice(n, c.number)
	case *selection:
		if n.name == "NULLIF" { // only the first operand is a result
			return sql("NULLIF($, $)", c.number(n.operands[0]), c.as(n.operands[1], typNumber))
		}
		return sql(n.name+"($)", list(", ", each(n.operands, c.number)))
	default:
		return c.as(n, typNumber)
	}
}

// as is the value of n where it is of type t, else NULL.
func (c compiler) as(n node, t typ) Fragment {
	if p, ok := n.(*property); ok && c.fold == nil && t != typNull {
		return sql(readers[t], c.property(p.key))
	}
	if v, ok := n.(*timed); ok {
		return c.timed(v, func(l *literal) Fragment { return c.as(l, t) })
	}
	if l, ok := n.(*literal); ok && l.typ == typText && t == typTime {
		return timeLiteral(l.text)
	}
	return convert(c.free(n), n.about().typ, t)
}

var sqlTypes = map[typ]string{
	typNull:    "jsonb",
	typNumber:  "numeric",
	typText:    "text",
	typBoolean: "boolean",
	typTime:    "timestamptz",
	typAny:     "jsonb",
}

func null(t typ) Fragment { return Fragment{SQL: "NULL::" + sqlTypes[t]} }

// readers turn jsonb into the type, giving NULL for every other.
var readers = map[typ]string{
	typNumber:  "metric_number($)",
	typText:    "metric_text($)",
	typBoolean: "metric_boolean($)",
	typTime:    "metric_time(metric_text($))",
	typAny:     "metric_value($)",
}

// convert reads a value of type from as one of another type.
func convert(value Fragment, from, to typ) Fragment {
	switch {
	case to == typNull:
		return null(to)
	case from == to:
		return value
	case from == typAny:
		return sql(readers[to], value)
	case from == typTime && to == typAny:
		return sql("to_jsonb(metric_iso($))", value)
	case from == typTime && to == typText:
		return sql("metric_iso($)", value)
	case from == typText && to == typTime:
		return sql("metric_time($)", value)
	case from != typNull && to == typAny:
		return sql("to_jsonb($)", value)
	default:
		return null(to)
	}
}

// free is n out of any context, in the SQL type of its own type.
func (c compiler) free(n node) Fragment {
	if value, _, ok := c.folded(n, false); ok {
		return value
	}
	switch n := n.(type) {
	case *literal:
		return n.bound()
	case *timed:
		return c.timed(n, func(l *literal) Fragment { return c.as(l, n.typ) })
	case *column:
		return c.columnValue(n.name)
	case *property:
		return c.as(n, typAny)
	case *reference:
		return c.between("c", n.index, n.typ)
	case *negation:
		return sql("(- $)", c.number(n.operand))
	case *arithmetic:
		return sql(operators[n.operator], c.number(n.left), c.number(n.right))
	case *choice:
		return c.choice(n, func(result node) Fragment { return c.as(result, n.typ) })
	case *selection:
		return c.selection(n)
	case *call:
		return c.call(n)
	case *cast:
		return c.cast(n)
	default:
		return c.condition(n)
	}
}

var operators = map[string]string{
	"+": "($ + $)",
	"-": "($ - $)",
	"*": "($ * $)",
	"/": "metric_divide($, $)",
	"%": "mod($, NULLIF($, 0))",
}

func (l *literal) bound() Fragment {
	switch l.typ {
	case typNumber:
		return bind("numeric", l.text)
	case typText:
		return bind("text", l.text)
	case typBoolean:
		return bind("boolean", l.yes)
	default:
		return null(l.typ)
	}
}

// choice compiles a CASE whose results are compiled by result.
func (c compiler) choice(n *choice, result func(node) Fragment) Fragment {
	var parts []Fragment
	for _, w := range n.whens {
		parts = append(parts, sql("WHEN $ THEN $", c.as(w.condition, typBoolean), result(w.result)))
	}
	if n.otherwise != nil {
		parts = append(parts, sql("ELSE $", result(n.otherwise)))
	}
	return sql("(CASE $ END)", list(" ", parts))
}

// selection compiles to the function of that name. Text is ordered by code
// point; values whose type the row decides have functions of their own.
func (c compiler) selection(n *selection) Fragment {
	operands := each(n.operands, func(operand node) Fragment { return c.as(operand, n.typ) })
	ordered := n.name == "GREATEST" || n.name == "LEAST"
	switch {
	case ordered && (n.typ == typAny || n.typ == typNull):
		return sql(map[string]string{"GREATEST": "metric_greatest($)", "LEAST": "metric_least($)"}[n.name], list(", ", operands))
	case ordered && n.typ == typText:
		operands[0] = sql(`($) COLLATE "C"`, operands[0])
	}
	return sql(n.name+"($)", list(", ", operands))
}

func (c compiler) call(n *call) Fragment {
	var operands []Fragment
	for i, operand := range n.operands {
		if n.function == concat || n.function.operands[i] == typText {
			operands = append(operands, c.as(operand, typText))
		} else {
			operands = append(operands, c.number(operand))
		}
	}
	return sql(n.function.sql, list(", ", operands))
}

var casts = map[string]string{
	"VARCHAR": "metric_label($)",
	"DOUBLE":  "metric_to_number($)",
	"DECIMAL": "metric_to_number($)",
	"BIGINT":  "metric_to_bigint($)",
	"BOOLEAN": "metric_to_boolean($)",
}

func (c compiler) cast(n *cast) Fragment {
	return sql(casts[n.target], c.as(n.operand, typAny))
}
