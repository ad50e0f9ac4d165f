package rating

// cellGroup are the cells that share their first value, without that value.
type cellGroup struct {
	value *string
	cells []Cell
}

// byGroup groups cells by their first value. Cells without a first value come first.
func byGroup(cells []Cell) (groups []cellGroup) {
	for _, cell := range ordered(cells) {
		value := cell.Values[:1]
		if n := len(groups); n == 0 || compareTuples(value, []*string{groups[n-1].value}) != 0 {
			groups = append(groups, cellGroup{value: value[0]})
		}
		last := &groups[len(groups)-1]
		last.cells = append(last.cells, Cell{Values: cell.Values[1:], Quantity: cell.Quantity, Exact: cell.Exact})
	}
	return groups
}

// mergeCells adds up the cells with equal values of several groups.
func mergeCells(groups []cellGroup) (cells []Cell) {
	at := map[string]int{}
	for _, group := range groups {
		for _, cell := range group.cells {
			key := tupleKey(cell.Values)
			i, seen := at[key]
			if !seen {
				at[key] = len(cells)
				cells = append(cells, cell)
				continue
			}
			cells[i] = cells[i].with(cells[i].exact().Add(cell.exact()))
		}
	}
	return cells
}
