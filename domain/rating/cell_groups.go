package rating

import "tollkeeper/domain/money"

// cellGroup are the cells with one first value, which is taken off them.
type cellGroup struct {
	value *string
	cells []Cell
}

// byGroup parts cells by their first value, a missing one first.
func byGroup(cells []Cell) (groups []cellGroup) {
	for _, cell := range ordered(cells) {
		value := cell.Values[:1]
		if n := len(groups); n == 0 || compareTuples(value, []*string{groups[n-1].value}) != 0 {
			groups = append(groups, cellGroup{value: value[0]})
		}
		last := &groups[len(groups)-1]
		last.cells = append(last.cells, Cell{Values: cell.Values[1:], Quantity: cell.Quantity})
	}
	return groups
}

// together adds up the cells of groups that have the same values.
func together(groups []cellGroup) (cells []Cell) {
	at := map[string]int{}
	for _, group := range groups {
		for _, cell := range group.cells {
			key := tupleKey(cell.Values)
			i, seen := at[key]
			if !seen {
				i = len(cells)
				at[key] = i
				cells = append(cells, Cell{Values: cell.Values})
			}
			cells[i].Quantity = cells[i].Quantity.Add(cell.Quantity)
		}
	}
	return cells
}

// totalOf is what cells sum to.
func totalOf(cells []Cell) (sum money.Decimal) {
	for _, cell := range cells {
		sum = sum.Add(cell.Quantity)
	}
	return sum
}
