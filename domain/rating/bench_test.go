package rating_test

import (
	"fmt"
	"strings"
	"testing"

	"tollkeeper/domain/rating"
)

func BenchmarkUnit(b *testing.B) {
	benchmark(b, model("unit", apiCalls), total("5210.25"))
}

func BenchmarkTiered(b *testing.B) {
	benchmark(b, model("tiered", requests), total("620.5"))
}

func BenchmarkMatrix(b *testing.B) {
	var rows, lines []string
	for i := range 100 {
		rows = append(rows, fmt.Sprintf(`{"dimension_values": ["region-%d", "tier-%d"], "unit_amount": "0.%02d5"}`, i/10, i%10, i))
		lines = append(lines, fmt.Sprintf("%d.75 region-%d tier-%d", 1000+i, 9-i/10, i%10))
	}
	config := fmt.Sprintf(`{"dimensions": ["region", "tier"], "default_unit_amount": "1", "matrix_values": [%s]}`, strings.Join(rows, ","))
	benchmark(b, model("matrix", config), cells(lines...))
}

// benchmark rates one line, whose configuration is read.
func benchmark(b *testing.B, m rating.Model, u rating.Usage) {
	b.ReportAllocs()
	for b.Loop() {
		rating.Rate(m, u)
	}
}
