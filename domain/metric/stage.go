package metric

import "fmt"

// stage is one SELECT. A metric is a chain of them: each makes rows of the rows of
// its source, and the outermost makes a single number.
type stage struct {
	source *stage // nil: the events
	name   string // of a sub-query, for the stage around it
	items  []item
	where  node // nil without WHERE
	groups []node
	keys   []string // of groups: what each compiles to
	having node     // nil without HAVING

	// folds is true where rows are put together: a row comes of each group or, without
	// GROUP BY, of all rows, and of none as well. Otherwise each row makes one.
	folds bool
}

// item is a column of a stage; its name is "" where nothing can refer to it.
type item struct {
	name  string
	value node
}

// group finds n among the expressions of GROUP BY: it says the same if it compiles to
// the same. It is -1 if it is none of them.
func (s *stage) group(n node) int {
	key, about := "", n.about()
	if about.aggregate != nil || about.loose == nil {
		return -1
	}
	for i, g := range s.groups {
		if f := g.about(); f.size != about.size || f.height != about.height || f.typ != about.typ {
			continue
		}
		if key == "" {
			key = rowKey(n)
		}
		if s.keys[i] == key {
			return i
		}
	}
	return -1
}

// rowKey is the same for expressions over a row that say the same.
func rowKey(n node) string {
	f := overRows.free(n)
	return fmt.Sprintf("%s %#v", f.SQL, f.Args)
}

// checkGrouped refuses a name that has many values where the rows of a group are one.
func (s *stage) checkGrouped(n node) {
	if n.about().loose == nil || s.group(n) >= 0 {
		return
	}
	parts := children(n)
	if parts == nil {
		n.about().at.fail("this name stands neither in an aggregate nor in GROUP BY")
	}
	for _, part := range parts {
		s.checkGrouped(part)
	}
}
