package console

import (
	"strconv"

	"github.com/a-h/templ"

	"tollkeeper/gen"
)

// backfillsPage lists backfills, the newest first.
func backfillsPage(v *visit) (templ.Component, error) {
	page, err := fetch[gen.BackfillPage](v, "listBackfills", nil, v.filters())
	if err != nil {
		return nil, err
	}
	names, err := v.customers(idsOf(page.Data, func(b gen.Backfill) string { return deref(b.CustomerID) }))
	if err != nil {
		return nil, err
	}
	t := table{Label: "Backfills", Links: true, Columns: []column{{"Timeframe, UTC", ""}, {"Of", ""}, {"Status", ""}, {"Created", "mid"}, {"Events", "num"}}}
	for _, b := range page.Data {
		t.Rows = append(t.Rows, []templ.Component{
			rowLink(link("backfills", b.ID), timeframe(b), ""), backfillOf(b, names), stateBadge(string(b.Status)), instant(b.CreatedAt), number(strconv.FormatInt(b.EventsIngested, 10)),
		})
	}
	create := doing{Operation: "createBackfill", Name: "New backfill", Icon: "plus", Kind: "primary"}
	return listPage(v, listing{
		Head:  head{Title: "Backfills", Lead: "Usage of the past: added, replaced, and taken back.", Actions: v.actions(create)},
		Table: t,
		Pager: v.pager("backfills", len(page.Data), page.PaginationMetadata.NextCursor),
		Empty: empty{Icon: "history", Title: "No backfills yet", Text: "A backfill takes events that are older than the grace period.", Action: v.first(create)},
	}), nil
}

// timeframe writes the time that a backfill is for.
func timeframe(b gen.Backfill) string {
	start, _ := parseInstant(b.TimeframeStart)
	end, _ := parseInstant(b.TimeframeEnd)
	return start.UTC().Format("2 Jan 2006 15:04") + " – " + end.UTC().Format("2 Jan 2006 15:04")
}

// backfillOf shows whose usage a backfill changes.
func backfillOf(b gen.Backfill, names customerNames) templ.Component {
	switch {
	case b.CustomerID != nil:
		return names.link(*b.CustomerID)
	case b.DeprecationFilter != nil:
		return text("events that match a filter")
	}
	return text("all customers")
}

// backfillPage shows a backfill, and what closing it or taking it back means.
func backfillPage(v *visit) (templ.Component, error) {
	b, err := fetch[gen.Backfill](v, "fetchBackfill", params{"backfill_id": v.param("id")}, nil)
	if err != nil {
		return nil, err
	}
	names, err := v.customers(idsOf([]gen.Backfill{b}, func(b gen.Backfill) string { return deref(b.CustomerID) }))
	if err != nil {
		return nil, err
	}
	known := []string{"backfill_id", b.ID}
	h := head{Crumbs: []crumb{{link("backfills"), "Backfills"}}, Title: timeframe(b), Badge: stateBadge(string(b.Status)), Meta: []templ.Component{text("UTC"), copyable(b.ID)}}
	if b.Status == "pending" {
		h.Actions = v.actions(doing{Operation: "revertBackfill", Name: "Revert", Kind: "danger", Known: known}, doing{Operation: "closeBackfill", Name: "Close backfill", Kind: "primary", Known: known})
	} else if b.Status == "reflected" {
		h.Actions = v.actions(doing{Operation: "revertBackfill", Name: "Revert", Kind: "danger", Known: known})
	}
	filter := "none"
	if b.DeprecationFilter != nil {
		filter = *b.DeprecationFilter
	}
	return recordPage(v, record{Head: h, Title: "Backfill", Facts: []fact{
		{"Of", backfillOf(b, names)},
		{"Existing events", text(onOff(b.ReplaceExistingEvents, "are replaced", "stay"))},
		{"Filter", mono(filter)},
		{"Events received", number(strconv.FormatInt(b.EventsIngested, 10))},
		{"Closes", optionalInstant(b.CloseTime)},
		{"Reverted", optionalInstant(b.RevertedAt)},
		{"Created", instant(b.CreatedAt)},
	}}), nil
}
