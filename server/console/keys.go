package console

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/gen"
)

// keysPage lists API keys, the newest first.
func keysPage(v *visit) (templ.Component, error) {
	page, err := fetch[gen.APIKeyPage](v, "listAPIKeys", nil, v.filters())
	if err != nil {
		return nil, err
	}
	t := table{Label: "API keys", Columns: []column{{"Key", ""}, {"State", ""}, {"Scopes", "mid"}, {"Made by", "wide"}, {"Last used", "wide"}, {"Expires", "mid"}, {"", ""}}}
	for _, k := range page.Data {
		state, working := badge("Works", "good"), true
		switch {
		case k.RevokedAt != nil:
			state, working = badge("Revoked", "plain"), false
		case v.past(k.ExpiresAt) && !v.account.Test():
			state, working = badge("Expired", "plain"), false
		}
		var change templ.Component = templ.NopComponent
		if working {
			known := []string{"api_key_id", k.ID}
			change = smallButtons(v.actions(doing{Operation: "rotateAPIKey", Name: "Rotate", Known: known}, doing{Operation: "revokeAPIKey", Name: "Revoke", Kind: "danger", Known: known}))
		}
		t.Rows = append(t.Rows, []templ.Component{stacked(text(k.Name), mono(k.Hint+"…")), state, text(strings.Join(k.Scopes, ", ")), makerOf(k, page.Data), optionalInstant(k.LastUsedAt), optionalInstant(k.ExpiresAt), change})
	}
	create := doing{Operation: "createAPIKey", Name: "New key", Icon: "plus", Kind: "primary"}
	return listPage(v, listing{
		Head:  head{Title: "API keys", Lead: "What a program sends to use the API. The text of a key is shown once.", Actions: v.actions(create)},
		Table: t,
		Pager: v.pager("keys", len(page.Data), page.PaginationMetadata.NextCursor),
		Empty: empty{Icon: "key", Title: "No API keys yet", Text: "A program sends a key with each request. Give each program its own, with the scopes that it needs.", Action: v.first(create)},
	}), nil
}

// makerOf says who made a key: by name where that is one of the keys of the page. The audit log has the rest.
func makerOf(k gen.APIKey, keys []gen.APIKey) templ.Component {
	if k.CreatedBy == nil {
		return text("")
	}
	at := slices.IndexFunc(keys, func(other gen.APIKey) bool { return other.ID == *k.CreatedBy })
	switch {
	case at >= 0:
		return text(keys[at].Name)
	case strings.HasPrefix(*k.CreatedBy, "key_"):
		return text("Another key")
	}
	return text("A person")
}
