package contract

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

	"tollkeeper/store/fault"
)

// Body is the body of a request that was checked.
type Body struct {
	Text    []byte          // as sent, decompressed; nil without one, and where the handler reads it
	Members map[string]bool // the top-level members of the object, also those that are null
}

// Check checks that a request has the shape of its operation (semantics 14.1). It reports all
// violations at once: parameters first, then the body in the order of its text. It fills in
// the contract's defaults, and leaves the body to be bound as it was read.
func (o *Operation) Check(c echo.Context) (Body, error) {
	if !cleanPath(c) {
		return Body{}, ErrNoURL
	}
	wrongParameters := checkParameters(c.Request(), o)
	body, wrongBody := checkBody(c, o)
	return body, fault.Join(wrongParameters, wrongBody)
}

// cleanPath makes path parameters text that the database can compare. It returns false for an
// empty parameter, which names no path.
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

// checkBody checks the body and leaves its value to be bound.
func checkBody(c echo.Context, op *Operation) (Body, error) {
	if op.body == nil {
		return Body{}, nil
	}
	if op.ReadsBody {
		return Body{}, checkContentType(c)
	}
	text, err := readBody(c.Request())
	if err != nil {
		return Body{}, err
	}
	if len(text) == 0 {
		if op.needsBody {
			return Body{}, fault.Bad("body", "is required")
		}
		return Body{}, nil
	}
	if err := checkContentType(c); err != nil {
		return Body{}, err
	}
	value, err := ReadJSON(text)
	if err != nil {
		return Body{}, err
	}
	if err := matchSchema(c.Request().Context(), op.body, value, text); err != nil {
		return Body{}, err
	}
	c.Request().Body = checkedBody{c.Request().Body, value}
	return Body{Text: text, Members: members(value)}, nil
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

// checkedBody is a body that hands its checked value to the generated code, which binds the
// value by exact names.
type checkedBody struct {
	io.ReadCloser
	value any
}

// ValidatedValue returns the value. The generated code asks for it.
func (b checkedBody) ValidatedValue() any { return b.value }

// matchSchema checks a value that was read from body, and sets defaults in it. It stops when
// ctx ends, or when it has more violations than an answer lists.
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
