package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"tollkeeper/domain/money"
)

// exactly are customers each of whose events has the same amount.
var exactly = []struct{ alias, amount string }{{"tenths", "0.1"}, {"millionths", "0.000123"}}

// bills are those of an account of its own, where a unit costs 1.
type bills struct {
	account *tables
	month   time.Time
	events  int // of each customer
}

// exactBills makes the events unless they are kept, with no keys, since they do not come
// in, and waits until they are in buckets.
func (s *stage) exactBills(ctx context.Context, p *process, f *fixture) (b *bills, err error) {
	b = &bills{month: f.Month, events: f.Present / 2}
	if b.account, err = s.open(ctx, "Exact"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.account.close()
		}
	}()
	if f.Exact {
		return b, nil
	}
	unit := object{"model_type": "unit", "unit_config": object{"unit_amount": "1"}}
	plan, err := p.as(b.account).offer(ctx, "Exact", []price{{"SELECT SUM(amount) FROM events", unit}})
	if err != nil {
		return nil, err
	}
	for _, of := range exactly {
		if err := p.as(b.account).subscribe(ctx, plan, of.alias, f.Month); err != nil {
			return nil, err
		}
		for first := 0; first < b.events; first += filled {
			if err := b.fill(ctx, of.alias, of.amount, first, min(first+filled, b.events)-1); err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(os.Stderr, "%d events of %s made\n", b.events, of.amount)
	}
	if err := b.account.settle(ctx, p); err != nil {
		return nil, err
	}
	f.Exact = true
	return b, f.save()
}

func (b *bills) fill(ctx context.Context, alias, amount string, first, last int) error {
	_, err := b.account.conn.Exec(ctx, `
		INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq)
		SELECT $1, $2 || n, 'request', 'e:' || $2, $3::timestamptz + ($4::timestamptz - $3::timestamptz) * (n / $5::float8),
			format('{"amount":%s}', $6::text)::jsonb, clock_timestamp(), event_number() + n - $7
		FROM generate_series($7::bigint, $8) AS n`,
		b.account.account, alias, b.month, b.month.AddDate(0, 1, 0), b.events, amount, first, last)
	return err
}

// check compares what is billed with what is owed, to the last digit.
func (b *bills) check(ctx context.Context, r *report, p *process) error {
	from := "buckets"
	if !p.buckets {
		from = "events"
	}
	for _, of := range exactly {
		used, began := p.watch(), time.Now()
		before := used.now()
		text, err := p.as(b.account).costs(ctx, of.alias, b.month)
		if err != nil {
			return err
		}
		took := time.Since(began)
		owed := money.Must(of.amount).Mul(money.FromInt(int64(b.events)))
		quantity, total, err := lastDay(text)
		if err != nil {
			return err
		}
		r.add(figure{
			what: fmt.Sprintf("%d x %s, from %s", b.events, of.amount, from), value: milliseconds(took), unit: "ms", work: used.now().sub(before), units: 1,
			note: fmt.Sprintf("billed %s for %s", total, quantity),
		})
		if !money.Must(quantity).Equal(owed) || !money.Must(total).Equal(money.Currency("USD").Round(owed)) {
			r.fail("%d events of %s come to %s and %s from %s", b.events, of.amount, quantity, total, from)
		}
	}
	return nil
}

// lastDay is the quantity of the first price, and the total, up to the end of the last day.
func lastDay(costs []byte) (quantity, total string, err error) {
	var answer struct {
		Data []struct {
			Total  string
			Prices []struct{ Quantity json.Number } `json:"per_price_costs"`
		}
	}
	if err := json.Unmarshal(costs, &answer); err != nil {
		return "", "", err
	}
	if n := len(answer.Data); n > 0 && len(answer.Data[n-1].Prices) > 0 {
		return answer.Data[n-1].Prices[0].Quantity.String(), answer.Data[n-1].Total, nil
	}
	return "", "", fmt.Errorf("costs without a price: %s", costs)
}
