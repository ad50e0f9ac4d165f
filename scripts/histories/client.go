package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math/big"
	"net/http"
	"time"

	"tollkeeper/scripts/rig"
)

// object is a JSON object that is sent.
type object = rig.Object

// client asks the server for one account, and counts how often.
type client struct {
	rig.Client
	asks int

	pending bool // changes of subscriptions are to be pending

	migrate func(ctx context.Context, plan string, from, to int) error // asks an operator to; nil: there is none
}

func (c *client) ask(ctx context.Context, method, path string, body any) (node, error) {
	request := rig.Request{Method: method, Path: path, Body: body}
	if c.pending {
		request.Header = http.Header{"Create-Pending-Subscription-Change": {"true"}}
	}
	c.asks++
	answer, err := c.Do(ctx, request)
	if err != nil || len(answer.Body) == 0 {
		return node{}, err
	}
	return decode(answer.Body)
}

func (c *client) get(ctx context.Context, path string) (node, error) {
	return c.ask(ctx, http.MethodGet, path, nil)
}

// all reads every page of a list, newest first as the server gives it.
func (c *client) all(ctx context.Context, path string) ([]node, error) {
	c.asks++
	return rig.List[node](ctx, c.Client, path)
}

// node is a part of an answer.
type node struct{ v any }

func decode(text []byte) (node, error) {
	var n node
	err := n.UnmarshalJSON(text)
	return n, err
}

// UnmarshalJSON keeps numbers as they are written.
func (n *node) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(&n.v)
}

func (n node) at(name string) node {
	o, _ := n.v.(map[string]any)
	return node{o[name]}
}

func (n node) str(name string) string {
	s, _ := n.at(name).v.(string)
	return s
}

func (n node) has(name string) bool { return n.at(name).v != nil }

func (n node) list(name string) []node {
	l, _ := n.at(name).v.([]any)
	all := make([]node, len(l))
	for i, v := range l {
		all[i] = node{v}
	}
	return all
}

// num reads a number or a decimal string; 0 when there is none.
func (n node) num(name string) *big.Rat {
	r := new(big.Rat)
	switch v := n.at(name).v.(type) {
	case string:
		r.SetString(v)
	case json.Number:
		r.SetString(v.String())
	}
	return r
}

// instant reads a date-time; the zero time when there is none.
func (n node) instant(name string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, n.str(name))
	return at.UTC()
}

func (n node) String() string {
	text, _ := json.Marshal(n.v)
	return string(text)
}
