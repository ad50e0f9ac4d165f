package metric

// node is an expression or a condition of the checked tree.
type node interface{ about() *facts }

// facts is what the checks know of a node. They are gathered while the tree
// grows from its leaves, so no check walks it again.
type facts struct {
	at        place
	typ       typ
	condition bool   // true, false or unknown by construction, and no value
	aggregate *place // of the first aggregate in it, or nil
	loose     *place // of the first name in it that is in no aggregate, or nil
	size      int    // nodes that it compiles to
	height    int    // longest way to a leaf
	digits    digits // of its values where they are numbers
}

func (f *facts) about() *facts { return f }

// typ is what is known of a value's type before the row is.
type typ int

const (
	typNull    typ = iota // always missing
	typNumber             // numeric
	typText               // text
	typBoolean            // boolean
	typTime               // timestamptz
	typAny                // jsonb: a string, number or boolean, as the row has it
)

// join is the type of a value that is either of a or of b.
func join(a, b typ) typ {
	switch {
	case a == b || b == typNull:
		return a
	case a == typNull:
		return b
	default:
		return typAny
	}
}

type (
	// literal is a constant; text is the number as written, or the string.
	literal struct {
		facts
		text string
		yes  bool // of TRUE
	}
	column struct {
		facts
		name string
	}
	property struct {
		facts
		key string
	}
	// reference is a column of a sub-query, by its place there.
	reference struct {
		facts
		index int
	}
	negation struct {
		facts
		operand node
	}
	arithmetic struct {
		facts
		operator    string // + - * / %
		left, right node
	}
	// choice is CASE; otherwise is nil without ELSE.
	choice struct {
		facts
		whens     []when
		otherwise node
	}
	// selection is COALESCE, NULLIF, GREATEST or LEAST: it gives one of its
	// operands, and hands its context on to them.
	selection struct {
		facts
		name     string
		operands []node
	}
	call struct {
		facts
		function *function
		operands []node
	}
	cast struct {
		facts
		operand node
		target  string // VARCHAR DOUBLE DECIMAL BIGINT BOOLEAN
	}
	aggregate struct {
		facts
		kind     kind
		operand  node     // nil for COUNT(*)
		order    node     // of LATEST_BY and EARLIEST_BY
		fraction *literal // of PERCENTILE_CONT, from 0 to 1
	}
)

type when struct{ condition, result node }

type (
	comparison struct {
		facts
		operator    string // = <> < <= > >=
		left, right node
	}
	missing struct { // IS NULL
		facts
		operand node
	}
	member struct { // IN
		facts
		operand  node
		literals []*literal
	}
	match struct { // LIKE
		facts
		operand node
		pattern string
	}
	not struct {
		facts
		operand node
	}
	// junction is AND or OR over two or more conditions. A BETWEEN is one too,
	// with its first operand standing in both parts.
	junction struct {
		facts
		operator string
		parts    []node
	}
)

// children are the nodes below n, but for literals of a list and for what
// an aggregate is made of.
func children(n node) (nodes []node) {
	switch n := n.(type) {
	case *negation:
		return []node{n.operand}
	case *arithmetic:
		return []node{n.left, n.right}
	case *choice:
		for _, w := range n.whens {
			nodes = append(nodes, w.condition, w.result)
		}
		if n.otherwise != nil {
			nodes = append(nodes, n.otherwise)
		}
		return nodes
	case *selection:
		return n.operands
	case *call:
		return n.operands
	case *cast:
		return []node{n.operand}
	case *comparison:
		return []node{n.left, n.right}
	case *missing:
		return []node{n.operand}
	case *member:
		return []node{n.operand}
	case *match:
		return []node{n.operand}
	case *not:
		return []node{n.operand}
	case *junction:
		return n.parts
	}
	return nil
}
