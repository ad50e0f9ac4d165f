package usage_test

import (
	"maps"
	"slices"

	"tollkeeper/domain/money"
)

func joined[V any](all ...map[string]V) map[string]V {
	found := map[string]V{}
	for _, each := range all {
		maps.Copy(found, each)
	}
	return found
}

// byUser are the events of each user, those without one as of one more.
func byUser(events []used) map[string][]used {
	parts := map[string][]used{}
	for _, e := range events {
		parts[e.u] = append(parts[e.u], e)
	}
	return parts
}

// steppedMetrics compute with aggregates, or aggregate what sub-queries give.
var steppedMetrics = map[string]func(events []used) money.Decimal{
	"SELECT SUM(n) / COUNT(*) FROM events": func(events []used) money.Decimal {
		if len(numbers(events)) == 0 {
			return money.Decimal{}
		}
		return money.Sum(numbers(events)...).Quo(money.FromInt(int64(len(events)))).Round(20)
	},
	"SELECT COALESCE(MAX(n), 7) FROM events": func(events []used) money.Decimal {
		if len(numbers(events)) == 0 {
			return money.FromInt(7)
		}
		return fold(numbers(events), money.Max)
	},
	"SELECT COUNT(DISTINCT u) * 10 - COUNT(n) FROM events": func(events []used) money.Decimal {
		filled := 0
		for _, e := range events {
			if e.n != "" {
				filled++
			}
		}
		return different(users(events)).Mul(money.FromInt(10)).Sub(money.FromInt(int64(filled)))
	},
	"SELECT PERCENTILE_CONT(n, 0.5) FROM events": func(events []used) money.Decimal {
		sorted := numbers(events)
		if len(sorted) == 0 {
			return money.Decimal{}
		}
		slices.SortFunc(sorted, money.Decimal.Cmp)
		low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
		return low.Add(high).Mul(money.Must("0.5"))
	},
	"SELECT SUM(m) FROM (SELECT u, MAX(n) AS m FROM events GROUP BY u) t": func(events []used) (sum money.Decimal) {
		for _, part := range byUser(events) {
			sum = sum.Add(fold(numbers(part), money.Max))
		}
		return sum
	},
	"SELECT COUNT(*) FROM (SELECT u FROM events GROUP BY u HAVING COUNT(*) > 1) t": func(events []used) money.Decimal {
		busy := int64(0)
		for _, part := range byUser(events) {
			if len(part) > 1 {
				busy++
			}
		}
		return money.FromInt(busy)
	},
	"SELECT MAX(d) FROM (SELECT COUNT(DISTINCT r) AS d FROM (SELECT u, r FROM events) a GROUP BY u) t": func(events []used) (most money.Decimal) {
		for _, part := range byUser(events) {
			var regions []string
			for _, e := range part {
				if e.r != "" {
					regions = append(regions, e.r)
				}
			}
			most = money.Max(most, different(regions))
		}
		return most
	},
}
