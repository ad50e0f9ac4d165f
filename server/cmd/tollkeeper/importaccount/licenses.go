package importaccount

import (
	"context"
	"net/url"
)

func (t *transfer) licenses(ctx context.Context, s *movedSubscription) error {
	all, err := t.Source.oldestFirst(ctx, "/licenses", url.Values{"subscription_id": {text(s.object, "id")}})
	if err != nil {
		return err
	}
	for _, license := range all {
		if text(license, "status") != "active" {
			continue
		}
		body := pick(license, "external_license_id")
		body["subscription_id"] = s.to
		if !t.refer(kindLicense, license, body, "license_type_id", kindLicenseType, text(license, "license_type_id")) {
			continue
		}
		for _, name := range []string{"start_date", "end_date"} {
			if license[name] == nil {
				continue
			}
			if body[name], err = localDate(license, name, text(part(s.object, "customer"), "timezone")); err != nil {
				return err
			}
		}
		if _, _, err := t.create(ctx, kindLicense, license, "/licenses", body); err != nil {
			return err
		}
	}
	return nil
}
