package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

// sweeper makes requests of every operation from the contract.
type sweeper struct {
	known map[string]any // values of properties and parameters, by name
}

// sample is a body of the schema with its required members. Of unions it takes the first variant.
func (w sweeper) sample(schema *openapi3.Schema, name string) any {
	for len(schema.AllOf) == 1 && len(schema.Properties) == 0 {
		schema = schema.AllOf[0].Value // a reference with a text of its own
	}
	if value, ok := w.known[name]; ok && schema.Type != nil && schema.Type.Is("string") {
		return value
	}
	switch {
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case schema.Discriminator != nil || len(schema.Properties) > 0 || len(schema.AllOf) > 0 || schema.Type.Is("object"):
		body := object{}
		w.fill(schema, body)
		return body
	case schema.Type == nil:
		return nil
	case schema.Type.Is("array"):
		return list{w.sample(schema.Items.Value, name)}
	case schema.Type.Is("string") && strings.Contains(schema.Pattern, "@"):
		return "a@b.test"
	case schema.Type.Is("string") && strings.HasPrefix(schema.Pattern, `^-?[0-9]`):
		return "1"
	case schema.Type.Is("string") && strings.HasPrefix(schema.Pattern, `^[0-9]{4}-`):
		return "2025-04-01"
	case schema.Type.Is("string"):
		return "x" + store.Random(5)
	case schema.Type.Is("boolean"):
		return false
	}
	return 1
}

func (w sweeper) fill(schema *openapi3.Schema, body object) {
	for _, part := range schema.AllOf {
		w.fill(part.Value, body)
	}
	if d := schema.Discriminator; d != nil {
		kinds := slices.Sorted(maps.Keys(d.Mapping))
		if slices.Contains(kinds, "unit") {
			kinds = []string{"unit"}
		}
		for _, candidate := range schema.OneOf {
			if candidate.Ref == d.Mapping[kinds[0]].Ref {
				w.fill(candidate.Value, body)
				body[d.PropertyName] = kinds[0]
			}
		}
	}
	for _, name := range schema.Required {
		if p := schema.Properties[name]; p != nil && body[name] == nil {
			body[name] = w.sample(p.Value, name)
		}
	}
}

// strings calls visit with each string property of the schema, and the steps to it.
func (w sweeper) strings(schema *openapi3.Schema, steps []string, visit func(steps []string)) {
	if len(steps) > 5 {
		return
	}
	for _, part := range slices.Concat(schema.AllOf, schema.OneOf) {
		w.strings(part.Value, steps, visit)
	}
	if schema.Type != nil && schema.Type.Is("string") && len(schema.Enum) == 0 && len(steps) > 0 {
		visit(steps)
	}
	if schema.Items != nil {
		w.strings(schema.Items.Value, append(slices.Clone(steps), "0"), visit)
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		w.strings(schema.Properties[name].Value, append(slices.Clone(steps), name), visit)
	}
}

// put sets what the steps lead to, and makes what is missing on the way.
func (w sweeper) put(schema *openapi3.Schema, at any, steps []string, value any) any {
	if len(steps) == 0 {
		return value
	}
	if steps[0] == "0" {
		if rest, ok := at.(list); ok && len(rest) > 0 {
			return list{w.put(nil, rest[0], steps[1:], value)}
		}
		return list{w.put(nil, nil, steps[1:], value)}
	}
	body, _ := at.(object)
	if body = maps.Clone(body); body == nil {
		body = object{}
	}
	body[steps[0]] = w.put(nil, body[steps[0]], steps[1:], value)
	return body
}

var _ = Describe("outage D: 5,000 random letters", func() {
	It("are no failure of the server in any string of any request", func() {
		s := newFixture("2025-03-10T09:00:00Z")
		*s.spoiled = true
		buyer := s.buyer(object{"external_customer_id": "acme", "currency": "USD"})
		made := s.subscribe(buyer, nil, s.calls("1.00"))
		license := s.post("/v1/license_types", object{"name": "Seat", "grouping_key": "seat"}).expect(201).text("id")
		w := sweeper{map[string]any{
			"item_id": s.item, "metric_id": s.metric, "billable_metric_id": s.metric, "customer_id": buyer, "external_customer_id": "acme",
			"plan_id": made.text("plan.id"), "subscription_id": made.text("id"), "price_id": made.text("price_intervals[0].price.id"),
			"license_type_id": license, "currency": "USD", "cadence": "monthly", "sql": "SELECT COUNT(*) FROM events",
			"unit_amount": "1", "start_date": "2025-03-01", "effective_date": "2025-04-01", "timestamp": "2025-03-10T09:00:00Z",
			"timeframe_start": "2025-03-01T00:00:00Z", "timeframe_end": "2025-03-02T00:00:00Z", "now": "2025-03-10T09:00:00Z",
			"url": "https://hooks.test/x", "timezone": "UTC",
		}}
		letters := store.Random(5000)
		sent := 0
		var broke []string
		send := func(method, path string, body any, what string) {
			sent++
			r := s.send(method, path, body)
			if r.status >= http.StatusInternalServerError {
				broke = append(broke, fmt.Sprintf("%s %s, %s", method, path[:min(len(path), 80)], what))
			}
		}
		for _, template := range document().Paths.InMatchingOrder() {
			item := document().Paths.Value(template)
			for method, op := range item.Operations() {
				filled, long := template, template
				var queries []string
				for _, p := range slices.Concat(item.Parameters, op.Parameters) {
					switch p.Value.In {
					case "path":
						value := "none"
						if known, ok := w.known[p.Value.Name].(string); ok {
							value = known
						}
						filled = strings.ReplaceAll(filled, "{"+p.Value.Name+"}", url.PathEscape(value))
						long = strings.ReplaceAll(long, "{"+p.Value.Name+"}", letters)
					case "query":
						queries = append(queries, p.Value.Name)
					}
				}
				if op.RequestBody == nil {
					if long != template {
						send(method, long, nil, "its path")
					}
					if method == http.MethodGet {
						for _, name := range queries {
							send(method, filled+"?"+url.QueryEscape(name)+"="+letters, nil, name)
						}
					}
					continue
				}
				schema := op.RequestBody.Value.Content.Get("application/json").Schema.Value
				if long != template {
					send(method, long, w.sample(schema, ""), "its path")
				}
				seen := map[string]bool{}
				w.strings(schema, nil, func(steps []string) {
					if what := strings.Join(steps, "."); !seen[what] {
						seen[what] = true
						send(method, filled, w.put(schema, w.sample(schema, ""), steps, letters), what)
					}
				})
			}
		}
		Expect(broke).To(BeEmpty())
		Expect(sent).To(BeNumerically(">", 1000))
	})

	DescribeTable("are refused where an index keeps the string, by the field's name",
		func(path, field string, body func(s fixture, letters string) object) {
			s := newFixture("2025-03-10T09:00:00Z")
			path = strings.ReplaceAll(path, "{customer}", s.buyer(object{"currency": "USD"}))
			Expect(s.post(path, body(s, store.Random(5000))).refuse(http.StatusBadRequest, "400-request-validation-errors").list("validation_errors")).
				To(ContainElement(MatchRegexp(`^%s: must have (at most|from 1 to) 255 characters$`, field)))
		},
		Entry("the alias of a plan", "/v1/plans", "external_plan_id", func(_ fixture, letters string) object {
			return object{"name": "Pro", "currency": "USD", "prices": list{}, "external_plan_id": letters}
		}),
		Entry("the alias of a price", "/v1/prices", "external_price_id", func(s fixture, letters string) object {
			return with(s.fee("1.00"), object{"currency": "USD", "external_price_id": letters})
		}),
		Entry("the alias of a dimensional group", "/v1/dimensional_price_groups", "external_dimensional_price_group_id", func(s fixture, letters string) object {
			return object{"name": "By region", "billable_metric_id": s.metric, "dimensions": list{"region"}, "external_dimensional_price_group_id": letters}
		}),
		Entry("the value of a license", "/v1/licenses", "external_license_id", func(_ fixture, letters string) object {
			return object{"subscription_id": "none", "license_type_id": "none", "external_license_id": letters}
		}),
		Entry("the currency of a ledger", "/v1/customers/{customer}/credits/ledger_entry", "currency", func(_ fixture, letters string) object {
			return object{"entry_type": "increment", "amount": 1, "currency": letters}
		}),
	)
})
