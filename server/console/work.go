package console

import (
	"github.com/a-h/templ"

	"tollkeeper/domain/due"
	"tollkeeper/store"
)

// mostParked is how many parked units are listed.
const mostParked = 100

// parkedWork reads the units of due work that failed and are tried again.
func (v *visit) parkedWork() (units []due.Parked, err error) {
	err = v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		units, err = due.List(tx, mostParked)
		return err
	})
	return units, err
}

// workPage lists parked work, what failed first at the top.
func workPage(v *visit) (templ.Component, error) {
	if !v.may("fetchTestClock") {
		return nil, &failure{Status: 403}
	}
	units, err := v.parkedWork()
	if err != nil {
		return nil, err
	}
	names, err := v.customers(idsOf(units, func(p due.Parked) string { return deref(p.CustomerID) }))
	if err != nil {
		return nil, err
	}
	t := table{Label: "Parked work", Columns: []column{{"Work", ""}, {"Of", ""}, {"Attempts", "num"}, {"Failure", "mid"}, {"Next attempt", "wide"}, {"", ""}}}
	for _, u := range units {
		of := none()
		if u.CustomerID != nil {
			of = names.link(*u.CustomerID)
		}
		var retry templ.Component = templ.NopComponent
		if v.mayRetry() {
			retry = postButton(v, link("work", u.ID), "Try now")
		}
		t.Rows = append(t.Rows, []templ.Component{stacked(text(asSentence(u.Kind)), timeOrNone(&u.DueAt)), of, whole(u.Attempts), text(u.Error), timeOrNone(&u.NextTryAt), retry})
	}
	return listPage(v, listing{
		Head:  head{Title: "Parked work", Lead: "Due work that failed. It is tried again by itself; later work of the same customer waits for it, and everything else is done."},
		Table: t,
		Empty: empty{Icon: "check", Title: "No work is parked", Text: "Everything that fell due was done."},
	}), nil
}

// mayRetry reports whether the person may have work tried at once: who may move a test clock
// or issue invoices may.
func (v *visit) mayRetry() bool { return v.may("advanceTestClock") || v.may("issueInvoice") }

// retryWork makes a parked unit due now.
func retryWork(v *visit) (templ.Component, error) {
	if !v.mayRetry() {
		return nil, &failure{Status: 403}
	}
	err := v.pages.store.Update(v.recorded("retryParkedWork"), func(tx *store.Tx) error {
		_, err := due.Retry(tx, v.param("id"))
		return err
	})
	if err != nil {
		return nil, refusal(err)
	}
	return leadTo(link("work")), nil
}
