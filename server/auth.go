package server

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/account"
	"tollkeeper/domain/fault"
	"tollkeeper/server/contract"
	"tollkeeper/store"
)

// authenticate finds the account of the request's key before it looks at anything else:
// without a key an unknown path under /v1 is a 401 too (semantics 14.2). Two Authorization
// headers are refused: a proxy may have checked the other one.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !underV1(c.Request()) {
			return next(c)
		}
		ctx := c.Request().Context()
		if len(c.Request().Header.Values(echo.HeaderAuthorization)) > 1 {
			return fault.Bad(echo.HeaderAuthorization, "must be given only once")
		}
		key, ok := bearer(c.Request().Header.Get(echo.HeaderAuthorization))
		if !ok {
			return contract.ErrNoKey
		}
		in, err := account.Authenticate(ctx, s.store, key)
		switch {
		case errors.Is(err, account.ErrUnknownKey):
			return contract.ErrNoKey
		case err != nil:
			return err
		}
		requestOf(ctx).account, requestOf(ctx).apiKey = in.Account, in.Key
		if err := s.permit(c, in.Key); err != nil {
			return err
		}
		c.SetRequest(c.Request().WithContext(store.WithAccount(ctx, in.Account.ID)))
		s.beginAudit(c, in.Key)
		return next(c)
	}
}

// underV1 reports a path that belongs to the API, known or not.
func underV1(r *http.Request) bool { return strings.HasPrefix(r.URL.Path+"/", "/v1/") }

func bearer(header string) (key string, ok bool) {
	scheme, key, _ := strings.Cut(header, " ")
	key = strings.TrimSpace(key)
	return key, strings.EqualFold(scheme, "bearer") && key != ""
}
