package server

import (
	"github.com/labstack/echo/v4"

	"tollkeeper/server/contract"
)

// limitBody prepares the body to be read, within the limits of the operation and the account.
func (s *Server) limitBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		turn := func() (free func(), err error) { return s.store.Processor(c.Request().Context()) }
		if err := contract.LimitBody(c, bodyLimit(requestOf(c.Request().Context())), turn); err != nil {
			return err
		}
		body := c.Request().Body
		defer func() { _ = body.Close() }()
		return next(c)
	}
}

// bodyLimit is in bytes; 0 is none.
func bodyLimit(r *request) int64 {
	if r.operation == nil || !r.operation.ReadsBody {
		return contract.LargestBody
	}
	if r.account.LargestIngestBytes != nil {
		return *r.account.LargestIngestBytes
	}
	return 0
}

// checkRequest lets only requests of the contract's shape through.
func checkRequest(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := requestOf(c.Request().Context())
		switch {
		case r.operation == nil && underV1(c.Request()):
			return contract.ErrNoURL
		case r.operation == nil:
			return next(c)
		}
		body, err := r.operation.Check(c)
		if err != nil {
			return err
		}
		r.body, r.sent = body.Text, body.Members
		return next(c)
	}
}
