package contract

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// mostListed bounds how many values of an enum a message lists.
const mostListed = 12

// messageFor says what a keyword of a schema requires, never what was sent.
func messageFor(keyword string, schema *openapi3.Schema) string {
	switch keyword {
	case "nullable":
		return "must not be null"
	case "enum":
		values := make([]string, len(schema.Enum))
		for i, v := range schema.Enum {
			values[i] = fmt.Sprint(v)
		}
		return oneOf(values)
	case "minimum", "maximum":
		return "must be " + rangeText(schema.Min, schema.Max)
	case "minLength":
		return shortReason(schema.MinLength, schema.MaxLength, 255, "character", "characters")
	case "maxLength":
		if reason := patternReason(schema); reason != "" {
			return reason // which says more than the length
		}
		return lengthReason(schema.MinLength, schema.MaxLength, "character", "characters")
	case "minItems":
		return shortReason(schema.MinItems, schema.MaxItems, 500, "entry", "entries")
	case "maxItems":
		return lengthReason(schema.MinItems, schema.MaxItems, "entry", "entries")
	case "minProperties", "maxProperties":
		return lengthReason(schema.MinProps, schema.MaxProps, "member", "members")
	case "uniqueItems":
		return "must not have the same entry twice"
	case "pattern":
		if reason := patternReason(schema); reason != "" {
			return reason
		}
		return "must match " + schema.Pattern
	case "format":
		return formatReason(schema)
	}
	return typeReason(schema)
}

// patternReason says in words what a schema's pattern requires: the text of x-message, which
// is beside the pattern in openapi.yaml. It is "" where there is none.
func patternReason(schema *openapi3.Schema) string {
	reason, _ := schema.Extensions["x-message"].(string)
	return reason
}

func typeReason(schema *openapi3.Schema) string {
	if reason := patternReason(schema); reason != "" {
		return reason
	}
	switch {
	case schema.Type.Is(openapi3.TypeInteger) && (schema.Min != nil || schema.Max != nil):
		return "must be a whole number " + rangeText(schema.Min, schema.Max)
	case schema.Type.Is(openapi3.TypeInteger):
		return "must be a whole number"
	case schema.Type.Is(openapi3.TypeNumber):
		return "must be a number"
	case schema.Type.Is(openapi3.TypeString):
		return "must be a string"
	case schema.Type.Is(openapi3.TypeBoolean):
		return "must be true or false"
	case schema.Type.Is(openapi3.TypeArray):
		return "must be an array"
	}
	return "must be an object"
}

func formatReason(schema *openapi3.Schema) string {
	if schema.Type.Is(openapi3.TypeInteger) {
		return fmt.Sprintf("must be a whole number from %d to %d", math.MinInt64, math.MaxInt64)
	}
	if schema.Format == "date-time" {
		return "must be a date with a time, such as 2025-02-01T00:00:00Z"
	}
	return "must be of the format " + schema.Format
}

func oneOf(values []string) string {
	if len(values) == 1 {
		return "must be " + values[0]
	}
	if len(values) > mostListed {
		return fmt.Sprintf("must be one of the %d values that the contract lists, such as %s", len(values), strings.Join(values[:3], ", "))
	}
	return "must be one of " + strings.Join(values, ", ")
}

// rangeText says "from 1 to 100", "at least 1" or "at most 100".
func rangeText(least, most *float64) string {
	switch {
	case most == nil:
		return "at least " + formatBound(*least)
	case least == nil:
		return "at most " + formatBound(*most)
	}
	return "from " + formatBound(*least) + " to " + formatBound(*most)
}

// shortReason says what too short a text or array needs. It names the largest length too, unless
// that is above named: no ordinary request reaches such a length.
func shortReason(least uint64, most *uint64, named uint64, one, many string) string {
	if most != nil && *most > named {
		most = nil
	}
	return lengthReason(least, most, one, many)
}

// lengthReason speaks of a number of things, of which one has another name than
// many.
func lengthReason(least uint64, most *uint64, one, many string) string {
	count := func(n uint64) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %s", n, many)
	}
	switch {
	case most == nil && least == 1:
		return "must not be empty"
	case most == nil:
		return "must have at least " + count(least)
	case least == 0:
		return "must have at most " + count(*most)
	case least == *most:
		return "must have exactly " + count(least)
	}
	return fmt.Sprintf("must have from %d to %s", least, count(*most))
}

func formatBound(bound float64) string { return strconv.FormatFloat(bound, 'f', -1, 64) }
