package console

import (
	"net/url"
	"slices"

	"tollkeeper/server/console/form"
)

// offer reads the names of what fields of the form want the ids of, the newest of each kind.
// A list that cannot be read leaves a field in which an id is written.
func (f *operationForm) offer() {
	var wanted []string
	var look func(list []form.Field)
	look = func(list []form.Field) {
		for _, each := range list {
			if each.List != "" && !slices.Contains(wanted, each.List) {
				wanted = append(wanted, each.List)
			}
			look(each.Fields)
			look(each.More)
		}
	}
	look(f.Params)
	if f.Body != nil {
		look([]form.Field{*f.Body})
	}
	for _, operation := range wanted {
		if !f.visit.may(operation) {
			continue
		}
		page, err := fetch[namedPage](f.visit, operation, nil, url.Values{"limit": {"100"}})
		if err != nil {
			continue
		}
		list := datalist{ID: operation}
		for _, each := range page.Data {
			name := each.Name
			if name == "" {
				name = each.RedemptionCode
			}
			list.Options = append(list.Options, option{Value: each.ID, Text: name})
		}
		f.Lists = append(f.Lists, list)
	}
}

// namedPage is a page of resources of any kind.
type namedPage struct {
	Data []struct {
		ID             string `json:"id"`
		Name           string `json:"name"`
		RedemptionCode string `json:"redemption_code"`
	} `json:"data"`
}
