package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"time"
)

// object is a JSON object that is sent.
type object = map[string]any

// client asks the server for one account.
type client struct {
	url  string
	key  string
	asks int

	pending bool // changes of subscriptions are to be pending

	migrate func(ctx context.Context, plan string, from, to int) error // asks an operator to; nil: there is none
}

// refused is an answer that is no success.
type refused struct {
	asked  string
	status int
	text   string
}

func (r *refused) Error() string { return fmt.Sprintf("%s: %d %s", r.asked, r.status, r.text) }

func (c *client) ask(ctx context.Context, method, path string, body any) (node, error) {
	var text io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return node{}, err
		}
		text = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, text)
	if err != nil {
		return node{}, err
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.pending {
		request.Header.Set("Create-Pending-Subscription-Change", "true")
	}
	c.asks++
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return node{}, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return node{}, err
	}
	if response.StatusCode >= 300 {
		return node{}, &refused{method + " " + path, response.StatusCode, string(answer)}
	}
	if len(answer) == 0 {
		return node{}, nil
	}
	return decode(answer)
}

func (c *client) get(ctx context.Context, path string) (node, error) {
	return c.ask(ctx, http.MethodGet, path, nil)
}

// all reads every page of a list, newest first as the server gives it.
func (c *client) all(ctx context.Context, path string) ([]node, error) {
	var found []node
	sign := "?"
	if strings.Contains(path, "?") {
		sign = "&"
	}
	next := ""
	for {
		page, err := c.get(ctx, path+sign+"limit=100"+next)
		if err != nil {
			return nil, err
		}
		found = append(found, page.list("data")...)
		cursor := page.at("pagination_metadata").str("next_cursor")
		if cursor == "" {
			return found, nil
		}
		next = "&cursor=" + cursor
	}
}

// node is a part of an answer.
type node struct{ v any }

func decode(text []byte) (node, error) {
	var n node
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err := d.Decode(&n.v)
	return n, err
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
