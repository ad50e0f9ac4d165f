package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"tollkeeper/domain/reference"
)

// step is one thing that happens in a history. It names what it works on by the names that
// earlier steps gave, so that a history can be played again on another account and with
// steps left out.
type step struct {
	Do       string       `json:"do"`
	Name     string       `json:"name,omitempty"` // of what is made
	Of       string       `json:"of,omitempty"`   // the customer or subscription
	Plan     string       `json:"plan,omitempty"`
	Price    string       `json:"price,omitempty"`
	Option   string       `json:"option,omitempty"`
	At       string       `json:"at,omitempty"` // a local date, or an instant
	Until    string       `json:"until,omitempty"`
	Amount   string       `json:"amount,omitempty"`
	Basis    string       `json:"basis,omitempty"`
	Currency string       `json:"currency,omitempty"`
	Zone     string       `json:"zone,omitempty"`
	Item     string       `json:"item,omitempty"`
	Terms    int          `json:"terms,omitempty"`
	Day      int          `json:"day,omitempty"` // of a trial
	Months   int          `json:"months,omitempty"`
	Flag     bool         `json:"flag,omitempty"`
	Filter   string       `json:"filter,omitempty"`
	Who      []string     `json:"who,omitempty"`
	Phases   []phase      `json:"phases,omitempty"`
	Prices   []priceSpec  `json:"prices,omitempty"`
	Adjust   []adjustment `json:"adjust,omitempty"`
	Events   []eventSpec  `json:"events,omitempty"`
	Keys     []string     `json:"keys,omitempty"`
	Change   *step        `json:"change,omitempty"` // that is proposed
}

func (s step) String() string {
	text, _ := json.Marshal(s)
	return string(text)
}

// phase of a plan. Months 0 is open-ended.
type phase struct {
	Months int  `json:"months,omitempty"`
	Align  bool `json:"align,omitempty"`
}

// priceSpec is a price as a plan or a subscription states it.
type priceSpec struct {
	Name       string          `json:"name"`
	Model      string          `json:"model"`            // as in usageModels
	Metric     string          `json:"metric,omitempty"` // "" is a fixed fee
	Advance    bool            `json:"advance,omitempty"`
	Cycle      cycle           `json:"cycle"`
	Invoiced   *cycle          `json:"invoiced,omitempty"` // how often, if more often than its cycle
	Amount     string          `json:"amount"`             // per unit, package or tier; of an allocation, what is granted
	Above      string          `json:"above,omitempty"`    // of the second tier
	Bound      string          `json:"bound,omitempty"`    // of the first tier; the size of a package; what is free
	Size       string          `json:"size,omitempty"`     // of a package, where there is a bound beside it
	Least      string          `json:"least,omitempty"`    // minimum
	Most       string          `json:"most,omitempty"`     // maximum, or minimum of the second tier
	Quantity   string          `json:"quantity,omitempty"`
	Currency   string          `json:"currency,omitempty"` // "" is the plan's
	Conversion string          `json:"conversion,omitempty"`
	UpTo       string          `json:"upTo,omitempty"`      // so many credits convert at that rate; "" is all
	Beyond     string          `json:"beyond,omitempty"`    // the rate of those above
	Basis      string          `json:"basis,omitempty"`     // cost of a credit of an allocation
	Credits    string          `json:"credits,omitempty"`   // their unit
	Expires    bool            `json:"expires,omitempty"`   // with the period
	Lasts      int             `json:"lasts,omitempty"`     // so many days
	Seats      string          `json:"seats,omitempty"`     // what each license may use in a period
	WritesOff  bool            `json:"writesOff,omitempty"` // what a license uses beyond that
	Licensed   bool            `json:"licensed,omitempty"`  // its usage draws on licenses
	Item       string          `json:"item"`
	Prorated   bool            `json:"prorated,omitempty"`
	Config     json.RawMessage `json:"config,omitempty"` // of a model that the members above cannot say
	Phase      int             `json:"phase,omitempty"`
	Start      string          `json:"start,omitempty"`
	End        string          `json:"end,omitempty"`
}

// adjustment is one of a plan.
type adjustment struct {
	Kind   string   `json:"kind"` // minimum, maximum, amount_discount, percentage_discount, usage_discount
	Amount string   `json:"amount"`
	Prices []string `json:"prices,omitempty"` // names; none is all
	Item   string   `json:"item,omitempty"`   // that these prices alone have, by which they are named
	Phase  int      `json:"phase,omitempty"`
}

// eventSpec is a usage event. N is a number.
type eventSpec struct {
	Key      string `json:"key"`
	Customer string `json:"customer"`
	At       string `json:"at"`
	N        string `json:"n"`
	Who      string `json:"who,omitempty"`
	Where    string `json:"where,omitempty"`
	Rate     string `json:"rate,omitempty"` // as text, which need not be a number
}

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(fmt.Sprintf("%q is no number", text))
	}
	return r
}

func num(n int) *big.Rat         { return new(big.Rat).SetInt64(int64(n)) }
func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func quo(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }
func least(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}
func greatest(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// ceil is the least whole number that is not below r.
func ceil(r *big.Rat) *big.Rat {
	q := new(big.Int)
	m := new(big.Int)
	q.DivMod(r.Num(), r.Denom(), m)
	if m.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return new(big.Rat).SetInt(q)
}

// cents rounds half away from zero to two digits (price-models.md 1.5.2).
func cents(r *big.Rat) *big.Rat { return reference.Round(r, 2) }

// rounded is a figure of a currency: credits have no minor unit.
func rounded(r *big.Rat, currency string) *big.Rat {
	if currency == "credits" {
		return r
	}
	return cents(r)
}

func show(r *big.Rat) string {
	text := r.FloatString(8)
	text = strings.TrimRight(text, "0")
	return strings.TrimSuffix(text, ".")
}

// tail is what a division that does not end may leave, far below what is ever shown.
var tail = big.NewRat(1, 1_000_000_000_000)

// same reports whether two figures are equal.
func same(a, b *big.Rat) bool { return new(big.Rat).Abs(sub(a, b)).Cmp(tail) < 0 }
