package metric

// condition is TRUE, FALSE, or NULL for unknown.
func (c compiler) condition(n node) Fragment {
	switch n := n.(type) {
	case *comparison:
		return c.comparison(n)
	case *missing:
		return sql("(($) IS NULL)", c.free(n.operand))
	case *member:
		return c.member(n)
	case *match:
		return sql("($ LIKE $)", c.as(n.operand, typText), bind("text", n.pattern))
	case *not:
		return sql("(NOT $)", c.as(n.operand, typBoolean))
	case *junction:
		parts := each(n.parts, func(part node) Fragment { return c.as(part, typBoolean) })
		return sql("($)", list(" "+n.operator+" ", parts))
	}
	panic("metric: an aggregate in an expression over a row")
}

// compared is the type in which values of types a and b are compared. It is
// false for types that never compare, which is unknown and no error
// (semantics 4.4).
func compared(a, b typ) (typ, bool) {
	switch {
	case a == typNull || b == typNull:
		return typNull, false
	case a == b || b == typAny:
		return a, true
	case a == typAny:
		return b, true
	case a == typTime && b == typText || a == typText && b == typTime:
		return typTime, true
	default:
		return typNull, false
	}
}

func (c compiler) comparison(n *comparison) Fragment {
	t, ok := compared(n.left.about().typ, n.right.about().typ)
	if !ok {
		return null(typBoolean)
	}
	left, right := c.as(n.left, t), c.as(n.right, t)
	switch ordering := n.operator != "=" && n.operator != "<>"; {
	case t == typAny:
		return sql("(metric_compare($, $) "+n.operator+" 0)", left, right)
	case t == typText && ordering:
		return sql(`(($) COLLATE "C" `+n.operator+" $)", left, right)
	default:
		return sql("($ "+n.operator+" $)", left, right)
	}
}

// member is an OR over one IN for each type in the list.
func (c compiler) member(n *member) Fragment {
	groups := map[typ][]Fragment{}
	for _, l := range n.literals {
		t, ok := compared(n.operand.about().typ, l.typ)
		if !ok {
			t = typNull
		}
		groups[t] = append(groups[t], c.as(l, t))
	}
	var parts []Fragment
	for _, t := range []typ{typNumber, typText, typBoolean, typTime} {
		if groups[t] != nil {
			parts = append(parts, sql("$ IN ($)", c.as(n.operand, t), list(", ", groups[t])))
		}
	}
	if groups[typNull] != nil {
		parts = append(parts, null(typBoolean))
	}
	return sql("($)", list(" OR ", parts))
}
