package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"tollkeeper/gen"
)

// CostsResponse is the response of costs. A price appears once for each day and makes up most of
// the body, so its JSON is made and validated once, and copied.
type CostsResponse struct {
	days   gen.Costs // each price as its number in an array
	prices [][]byte
}

// number keeps the JSON of a price, and returns a placeholder for it: its index in c.prices.
func (c *CostsResponse) number(price gen.Price) (stands gen.Price, err error) {
	text, err := json.Marshal(price)
	if err != nil {
		return stands, err
	}
	c.prices = append(c.prices, text)
	return stands, stands.UnmarshalJSON(fmt.Appendf(nil, "[%d]", len(c.prices)-1))
}

// VisitListSubscriptionCostsResponse writes the response of ListSubscriptionCosts.
func (c CostsResponse) VisitListSubscriptionCostsResponse(w http.ResponseWriter) error {
	return c.send(w)
}

// VisitListCustomerCostsResponse writes the response of ListCustomerCosts.
func (c CostsResponse) VisitListCustomerCostsResponse(w http.ResponseWriter) error { return c.send(w) }

// VisitListCustomerCostsByExternalIDResponse writes the response of ListCustomerCostsByExternalID.
func (c CostsResponse) VisitListCustomerCostsByExternalIDResponse(w http.ResponseWriter) error {
	return c.send(w)
}

// send replaces the placeholders by the prices, and writes the body.
func (c CostsResponse) send(w http.ResponseWriter) error {
	rest, err := json.Marshal(c.days)
	if err != nil {
		return err
	}
	place := []byte(`"price":[`) // in a text, quotes have a backslash before them
	var body bytes.Buffer
	for {
		before, after, found := bytes.Cut(rest, place)
		body.Write(before)
		if !found {
			break
		}
		number, behind, _ := bytes.Cut(after, []byte("]"))
		n, err := strconv.Atoi(string(number))
		if err != nil {
			return err
		}
		body.WriteString(`"price":`)
		body.Write(c.prices[n])
		rest = behind
	}
	body.WriteByte('\n')
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_, err = body.WriteTo(w)
	return err
}
