package hosted

import (
	"github.com/labstack/echo/v4"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/portal"
	"tollkeeper/store"
)

// alertRow is an alert of the customer or of one of their subscriptions.
type alertRow struct{ About, Thresholds string }

func (v *visitor) alerts(all []alert.Alert) (rows []alertRow) {
	for _, a := range all {
		row := alertRow{About: v.about(a)}
		for k, t := range a.Thresholds {
			if k > 0 {
				row.Thresholds += "; "
			}
			row.Thresholds += v.Words.Number(t)
		}
		rows = append(rows, row)
	}
	return rows
}

// about says in general what an alert watches.
func (v *visitor) about(a alert.Alert) string {
	switch {
	case a.MetricID != nil:
		return v.Words.AlertUsage
	case a.SubscriptionID != nil || a.PlanID != nil:
		return v.Words.AlertCost
	}
	return v.Words.AlertBalance
}

// ownAlerts are the alerts that the customer set, and what another one can watch.
type ownAlerts struct {
	Rows    []ownAlert
	Choices []choice // none: no alert can be added
	Email   string
}

type ownAlert struct{ ID, About, Threshold string }

// choice is one of the form.
type choice struct{ Value, Name string }

// changed are the rows with a button that removes them.
func (o ownAlerts) changed(v *visitor) []ownAlert {
	if v.Lasting {
		return nil
	}
	return o.Rows
}

func (v *visitor) ownAlerts(read portal.Overview) (o ownAlerts) {
	for _, a := range read.Own {
		row := ownAlert{ID: a.ID, About: v.about(a.Alert), Threshold: v.Words.Number(a.Thresholds[0])}
		if a.CustomerID != nil {
			row.Threshold = v.Words.Money(a.Thresholds[0], *a.Currency)
		}
		if a.Watches != nil {
			row.About = v.watches(*a.Watches)
		}
		o.Rows = append(o.Rows, row)
	}
	for _, c := range read.Choices {
		o.Choices = append(o.Choices, choice{c.Value, v.watches(c)})
	}
	o.Email = v.Customer.Email
	return o
}

// watches names what an alert watches.
func (v *visitor) watches(c portal.Choice) string {
	w := v.Words
	switch c.Type {
	case alert.UsageExceeded:
		return w.Fill(w.AlertUsageOf, "name", c.Name)
	case alert.CostExceeded:
		return w.Fill(w.AlertCostOf, "name", c.Name+", "+string(c.Currency))
	}
	return w.Fill(w.AlertBalanceOf, "name", string(c.Currency))
}

// addAlert sets an alert.
func (p *pages) addAlert(c echo.Context) error {
	return p.change(c, addAlert, "#alerts", func(tx *store.Tx, v *visitor) error {
		return portal.AddAlert(tx, v.Customer, c.FormValue("watch"), c.FormValue("threshold"))
	})
}

// removeAlert removes an alert that the customer set.
func (p *pages) removeAlert(c echo.Context) error {
	return p.change(c, removeAlert, "#alerts", func(tx *store.Tx, v *visitor) error {
		return portal.RemoveAlert(tx, v.Customer, c.FormValue("alert"))
	})
}
