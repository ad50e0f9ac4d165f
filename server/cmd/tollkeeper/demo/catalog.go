package demo

import "context"

// catalog is what is sold.
type catalog struct {
	client
	platform, tiles, seats, routes string // items
	tilesServed, routesFound       string // metrics
}

func (c *catalog) make(ctx context.Context) (err error) {
	for _, item := range []struct {
		name string
		id   *string
	}{{"Platform", &c.platform}, {"Map tiles", &c.tiles}, {"Seats", &c.seats}, {"Routes", &c.routes}} {
		if *item.id, err = c.client.make(ctx, "/items", object{"name": item.name}); err != nil {
			return err
		}
	}
	for _, metric := range []struct {
		name, sql, item string
		id              *string
	}{
		{"Tiles served", "SELECT SUM(tiles) FROM events WHERE event_name = 'tiles'", c.tiles, &c.tilesServed},
		{"Routes found", "SELECT COUNT(*) FROM events WHERE event_name = 'route' AND status < 500", c.routes, &c.routesFound},
	} {
		*metric.id, err = c.client.make(ctx, "/metrics", object{"name": metric.name, "description": nil, "item_id": metric.item, "sql": metric.sql})
		if err != nil {
			return err
		}
	}
	for _, currency := range []string{"USD", "EUR"} {
		if err := c.plans(ctx, currency); err != nil {
			return err
		}
	}
	_, err = c.post(ctx, "/coupons", object{"redemption_code": "SPRING25", "duration_in_months": 3,
		"discount": object{"discount_type": "percentage", "percentage_discount": 0.25}})
	return err
}

// plans makes the three plans in a currency. Those in EUR have it in their name.
func (c *catalog) plans(ctx context.Context, currency string) error {
	suffix, of := "", ""
	if currency != "USD" {
		suffix, of = "-eur", " (EUR)"
	}
	fee := func(name, item, amount string, more object) object {
		return with(object{"name": name, "item_id": item, "cadence": "monthly", "model_type": "unit", "unit_config": object{"unit_amount": amount}}, more)
	}
	usage := func(name, item, metric string, more object) object {
		return with(object{"name": name, "item_id": item, "billable_metric_id": metric, "cadence": "monthly"}, more)
	}
	routes := usage("Routes", c.routes, c.routesFound, object{"model_type": "package", "package_config": object{"package_amount": "4.00", "package_size": 100}})
	tiles := func(tiers ...object) object {
		return usage("Map tiles", c.tiles, c.tilesServed, object{"model_type": "tiered", "tiered_config": object{"tiers": tiers}})
	}
	for _, plan := range []object{
		{"external_plan_id": "starter", "name": "Starter", "net_terms": 0, "prices": entries(
			fee("Platform", c.platform, "19.00", nil),
			usage("Map tiles", c.tiles, c.tilesServed, object{"model_type": "package", "package_config": object{"package_amount": "1.50", "package_size": 1000}}))},
		{"external_plan_id": "team", "name": "Team", "net_terms": 14, "prices": entries(
			fee("Platform", c.platform, "99.00", nil), fee("Seats", c.seats, "15.00", object{"fixed_price_quantity": 1}),
			tiles(object{"first_unit": 0, "last_unit": 100000, "unit_amount": "0.0009"}, object{"first_unit": 100000, "unit_amount": "0.0006"}), routes)},
		{"external_plan_id": "scale", "name": "Scale", "net_terms": 30, "prices": entries(
			fee("Platform", c.platform, "490.00", nil), fee("Seats", c.seats, "12.00", object{"fixed_price_quantity": 1}),
			tiles(object{"first_unit": 0, "last_unit": 1000000, "unit_amount": "0.0006"}, object{"first_unit": 1000000, "unit_amount": "0.00035"}), routes)},
	} {
		plan["external_plan_id"], plan["name"] = plan["external_plan_id"].(string)+suffix, plan["name"].(string)+of
		plan["currency"] = currency
		if _, err := c.post(ctx, "/plans", plan); err != nil {
			return err
		}
	}
	return nil
}

func entries(prices ...object) (all list) {
	for _, price := range prices {
		all = append(all, object{"price": price})
	}
	return all
}

// with is an object with the members of another one.
func with(o, more object) object {
	for name, value := range more {
		o[name] = value
	}
	return o
}
