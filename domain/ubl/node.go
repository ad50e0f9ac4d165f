package ubl

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// node is an element. The encoder of the standard library knows no prefixes of namespaces.
type node struct {
	name       string
	attributes []string // name, value
	value      string
	children   []*node
}

func newNode(name string, attributes ...string) *node {
	return &node{name: name, attributes: attributes}
}

func (n *node) child(name string) *node {
	c := newNode(name)
	n.children = append(n.children, c)
	return c
}

// text adds an element with a text, unless that is empty.
func (n *node) text(name, value string) { n.textWith(name, value) }

func (n *node) textWith(name, value string, attributes ...string) {
	if value = strings.TrimSpace(printable(value)); value != "" {
		c := newNode(name, attributes...)
		c.value = value
		n.children = append(n.children, c)
	}
}

func (n *node) write(b *bytes.Buffer, depth int) {
	indent := strings.Repeat("  ", depth)
	b.WriteString(indent + "<" + n.name)
	for k := 0; k < len(n.attributes); k += 2 {
		b.WriteString(" " + n.attributes[k] + `="`)
		_ = xml.EscapeText(b, []byte(n.attributes[k+1])) // a buffer takes everything
		b.WriteByte('"')
	}
	b.WriteByte('>')
	if len(n.children) == 0 {
		_ = xml.EscapeText(b, []byte(n.value))
	} else {
		b.WriteByte('\n')
		for _, c := range n.children {
			c.write(b, depth+1)
		}
		b.WriteString(indent)
	}
	b.WriteString("</" + n.name + ">\n")
}
