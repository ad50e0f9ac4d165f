package server

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"

	"tollkeeper/domain/fault"
)

// validate lets only requests of the contract's shape through (semantics 14.1).
// What is wrong is told all at once: parameters first, then the body in the order
// of its text. The contract's defaults are filled in.
func (s *Server) validate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := requestOf(c.Request().Context())
		switch {
		case r.operation == nil && underV1(c.Request()), r.operation != nil && !cleanPath(c):
			return errNoURL
		case r.operation == nil:
			return next(c)
		}
		wrongParameters := checkParameters(c.Request(), r.operation)
		wrongBody := checkBody(c, r)
		if err := fault.Join(wrongParameters, wrongBody); err != nil {
			return err
		}
		return next(c)
	}
}

// cleanPath makes path parameters text that the database can compare. An empty
// one names no path.
func cleanPath(c echo.Context) bool {
	raw := c.Request().URL.RawPath != ""
	values := slices.Clone(c.ParamValues())
	for i, v := range values {
		if v == "" {
			return false
		}
		if raw {
			v, _ = url.PathUnescape(v) // the URL was parsed: its escapes are right
		}
		v = storable(v)
		if raw {
			v = url.PathEscape(v)
		}
		values[i] = v
	}
	c.SetParamValues(values...)
	return true
}

// storable replaces what PostgreSQL cannot hold in a text.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// checkBody judges the body and leaves it for binding, as it was understood.
func checkBody(c echo.Context, r *request) error {
	op := r.operation
	if op.body == nil {
		return nil
	}
	if op.readsBody {
		return checkContentType(c)
	}
	body, err := readBody(c.Request())
	if err != nil {
		return err
	}
	if len(body) == 0 {
		if op.needsBody {
			return fault.Bad("body", "is required")
		}
		return nil
	}
	if err := checkContentType(c); err != nil {
		return err
	}
	value, err := readJSON(body)
	if err != nil {
		return err
	}
	r.body, r.sent = body, members(value)
	if err := matchSchema(c.Request().Context(), op.body, value, body); err != nil {
		return err
	}
	c.Request().Body = understood{c.Request().Body, value}
	return nil
}

func checkContentType(c echo.Context) error {
	kind, _, err := mime.ParseMediaType(c.Request().Header.Get(echo.HeaderContentType))
	if err != nil || kind != echo.MIMEApplicationJSON {
		return fault.Bad(echo.HeaderContentType, "must be application/json")
	}
	return nil
}

func members(value any) map[string]bool {
	object, _ := value.(map[string]any)
	names := make(map[string]bool, len(object))
	for name := range object {
		names[name] = true
	}
	return names
}

// understood is a body that hands its validated value to the generated code,
// which binds it by exact names.
type understood struct {
	io.ReadCloser
	value any
}

func (u understood) ValidatedValue() any { return u.value }

// matchSchema judges a value read from body. Defaults are set in it. It stops when ctx ends,
// or when it knows more mistakes than an answer lists.
func matchSchema(ctx context.Context, schema *openapi3.Schema, value any, body []byte) error {
	var found findings
	found.unknown(schema, value, "")
	var contract error
	if !found.full() {
		contract = found.match(ctx, schema, value, "")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(found.list) == 0 {
		if contract != nil {
			return fmt.Errorf("check a body: %w", contract) // the contract itself is at fault
		}
		return nil
	}
	return fault.Invalid(found.inOrder(body)...)
}
