package importaccount

import (
	"context"
	"net/http"
	"net/url"

	"tollkeeper/domain/money"
)

func (t *transfer) items(ctx context.Context) error {
	all, err := t.Source.oldestFirst(ctx, "/items", nil)
	if err != nil {
		return err
	}
	for _, item := range all {
		id, ok, err := t.create(ctx, kindItem, item, "/items", pick(item, "name", "metadata"))
		if err != nil {
			return err
		}
		if len(objects(item, "external_connections")) > 0 {
			err = t.put(ctx, kindItem, item, "/items/"+escaped(id), pick(item, "external_connections"))
		}
		if err == nil && ok && item["archived_at"] != nil {
			err = t.act(ctx, kindItem, item, "/items/"+escaped(id)+"/archive")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// put changes a resource of the target, once.
func (t *transfer) put(ctx context.Context, kind string, of object, path string, body object) error {
	return t.once("PUT "+path, func() error {
		_, err := t.Target.send(ctx, http.MethodPut, path, body, "")
		if refused(err, http.StatusBadRequest) {
			t.leave(kind, of, "the target refuses a part of it: "+err.Error())
			return nil
		}
		return err
	})
}

// act posts without a body, once.
func (t *transfer) act(ctx context.Context, kind string, of object, path string) error {
	return t.once(path, func() error {
		_, err := t.Target.send(ctx, http.MethodPost, path, nil, idempotencyKey(kind, path))
		return err
	})
}

// metrics moves metrics. A server that does not show their SQL leaves no way to move them: then a
// metric of the same name that was made at the target beforehand stands for it.
func (t *transfer) metrics(ctx context.Context) error {
	all, err := t.Source.oldestFirst(ctx, "/metrics", nil)
	if err != nil {
		return err
	}
	var byName map[string]string
	for _, metric := range all {
		if len(objects(metric, "parameter_definitions")) > 0 {
			t.leave(kindMetric, metric, "its parameters and their defaults: no request of the contract sets them")
		}
		if text(metric, "sql") != "" {
			item, _ := t.to(kindItem, text(part(metric, "item"), "id"))
			body := pick(metric, "name", "sql", "metadata")
			body["item_id"], body["description"] = item, metric["description"]
			if _, _, err := t.create(ctx, kindMetric, metric, "/metrics", body); err != nil {
				return err
			}
			continue
		}
		if byName == nil {
			if byName, err = t.namesAtTarget(ctx, "/metrics"); err != nil {
				return err
			}
		}
		if err := t.adopt(kindMetric, metric, byName); err != nil {
			return err
		}
	}
	return nil
}

// adopt lets a resource of the target stand for one of the same name.
func (t *transfer) adopt(kind string, of object, byName map[string]string) error {
	id := byName[text(of, "name")]
	if _, known := t.to(kind, text(of, "id")); known {
		t.report.Kept[kind]++
		return nil
	}
	if id == "" {
		t.leave(kind, of, "the source does not show its SQL: create it at the target under the same name, then go on")
		return nil
	}
	if t.DryRun {
		t.plan(kind, text(of, "id"))
		return nil
	}
	return t.Journal.write(line{Kind: kind, From: text(of, "id"), To: id})
}

func (t *transfer) namesAtTarget(ctx context.Context, path string) (map[string]string, error) {
	ids := map[string]string{}
	if t.Target == nil {
		return ids, nil
	}
	err := t.Target.list(ctx, path, nil, func(o object) error {
		ids[text(o, "name")] = text(o, "id")
		return nil
	})
	return ids, err
}

func (t *transfer) groups(ctx context.Context) error {
	all, err := t.Source.oldestFirst(ctx, "/dimensional_price_groups", nil)
	if err != nil {
		return err
	}
	for _, group := range all {
		body := pick(group, "name", "dimensions", "external_dimensional_price_group_id", "metadata")
		if !t.refer(kindGroup, group, body, "billable_metric_id", kindMetric, text(group, "billable_metric_id")) {
			continue
		}
		if _, _, err := t.create(ctx, kindGroup, group, "/dimensional_price_groups", body); err != nil {
			return err
		}
	}
	return nil
}

// refer sets a member of a request to the id at the target. A resource that was left out
// leaves out what refers to it, with the reason.
func (t *transfer) refer(kind string, of, body object, member, referred, from string) bool {
	if from == "" {
		return true
	}
	to, ok := t.to(referred, from)
	if !ok {
		t.leave(kind, of, "it refers to "+referred+" "+from+", which is not at the target")
		return false
	}
	body[member] = to
	return true
}

func (t *transfer) licenseTypes(ctx context.Context) error {
	return t.Source.list(ctx, "/license_types", nil, func(of object) error { // oldest first
		_, _, err := t.create(ctx, kindLicenseType, of, "/license_types", pick(of, "name", "grouping_key"))
		return err
	})
}

// coupons moves coupons with what is left of their redemptions. Archived ones come too, and
// are archived before the next, so their codes are free again.
func (t *transfer) coupons(ctx context.Context) error {
	all, err := t.Source.oldestFirst(ctx, "/coupons", url.Values{"show_archived": {"true"}})
	if err != nil {
		return err
	}
	for _, coupon := range all {
		discount := pick(part(coupon, "discount"), "discount_type", "percentage_discount", "amount_discount")
		body := pick(coupon, "redemption_code", "duration_in_months")
		body["discount"] = discount
		archived := coupon["archived_at"] != nil
		if coupon["max_redemptions"] != nil {
			most, err := decimal(coupon, "max_redemptions")
			if err != nil {
				return err
			}
			redeemed, err := decimal(coupon, "times_redeemed")
			if err != nil {
				return err
			}
			left := most.Sub(redeemed)
			archived = archived || left.Sign() <= 0
			body["max_redemptions"] = jsonNumber(money.Max(left, money.FromInt(1)))
		}
		id, ok, err := t.create(ctx, kindCoupon, coupon, "/coupons", body)
		if err == nil && ok && archived {
			err = t.act(ctx, kindCoupon, coupon, "/coupons/"+escaped(id)+"/archive")
		}
		if err != nil {
			return err
		}
	}
	return nil
}
