package catalog

import (
	"cmp"
	"slices"

	"tollkeeper/domain/metric"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

func (d *versionBuilder) removePrice(r Removal) error {
	at, err := d.priceAt("price_id", r.ID, r.PhaseOrder)
	if err != nil {
		return err
	}
	delete(d.named, r.ID)
	d.prices = slices.Delete(d.prices, at, at+1)
	return nil
}

func (d *versionBuilder) addPrice(in PlanPrice) error {
	price, err := d.price(in, in.PhaseOrder)
	d.prices = append(d.prices, price)
	return fault.Join(err, d.checkPhase(in.PhaseOrder))
}

// replacePrice puts a price in the place of another, which may still be named: it
// means the new one then.
func (d *versionBuilder) replacePrice(in PlanPrice) error {
	at, err := d.priceAt("replaces_price_id", in.ReplacesPriceID, in.PhaseOrder)
	if err != nil {
		return err
	}
	price, err := d.price(in, d.prices[at].PhaseOrder)
	d.prices[at] = price
	d.named[in.ReplacesPriceID] = price
	d.replaced[in.ReplacesPriceID] = price.ID
	return err
}

// priceAt finds the price that a request names, among those it leaves in place so
// far.
func (d *versionBuilder) priceAt(field, id string, phase *int) (int, error) {
	named := func(p Price) bool { return p.ID == id }
	at := slices.IndexFunc(d.prices, named)
	if at < 0 {
		return at, d.unknown(field, "a price", slices.ContainsFunc(d.base.Prices, named))
	}
	return at, samePhase(phase, d.prices[at].PhaseOrder)
}

// price makes a price of a request, or takes the one given.
func (d *versionBuilder) price(in PlanPrice, phase *int) (price Price, err error) {
	if in.Given != nil {
		price, err = *in.Given, in.Given.check()
	} else {
		in.Price.Currency = cmp.Or(in.Price.Currency, d.plan.Currency)
		price, err = in.Price.record(d.tx, d.known)
	}
	if err == nil && price.Currency.Valid() && price.Currency != d.plan.Currency {
		err = fault.Bad("currency", "must be the plan's")
	}
	parametersErr := price.take(d.tx, in.Parameters)
	if err != nil {
		price = Price{} // then nothing that names it is judged
	}
	member := in.Price.Member()
	d.places[price.ID] = d.place + "." + member
	price.PhaseOrder = phase // here, whatever its row says
	if price.Seq == 0 {      // it has no row yet
		price.PlanID, price.SubscriptionID = d.owner()
		price.ReplacesPriceID = optional(in.ReplacesPriceID)
		d.madePrices = append(d.madePrices, price)
	}
	return price, fault.Join(fault.In(member, fault.Join(err, d.name(in.ReferenceID, price))), parametersErr)
}

// take gives the price values for the parameters of its metric.
func (p *Price) take(tx *store.Tx, values metric.Parameters) error {
	if len(values) == 0 {
		return nil
	}
	if p.MetricID == nil {
		return fault.Bad("metric_parameter_overrides", "must be empty, since the price has no metric")
	}
	m, err := FindMetric(tx, *p.MetricID)
	if err != nil {
		return err
	}
	p.Parameters = values
	return m.Take(values)
}

// name lets adjustments of the request name the price.
func (d *versionBuilder) name(reference *string, price Price) error {
	if reference == nil {
		return nil
	}
	if _, used := d.named[*reference]; used {
		return fault.Bad("reference_id", "must differ from those before it, and from the ids of prices")
	}
	d.named[*reference] = price
	return nil
}
