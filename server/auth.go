package server

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/account"
	"tollkeeper/server/contract"
	"tollkeeper/store"
	"tollkeeper/store/fault"
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
		in, err := s.logIn(c)
		if err != nil {
			return err
		}
		requestOf(ctx).account, requestOf(ctx).apiKey = in.Account, in.Key
		operation := requestOf(ctx).operation
		if err := s.limits.allow(in, operation != nil && operation.ID == ingestion, time.Now()); err != nil {
			return err
		}
		if err := s.permit(c, in.Key); err != nil {
			return err
		}
		c.SetRequest(c.Request().WithContext(store.WithAccount(ctx, in.Account.ID)))
		s.beginAudit(c, actorOf(ctx, in.Key))
		return next(c)
	}
}

// ingestion is the operation that has a limit of its own.
const ingestion = "ingest"

// logIn finds the key of a request, or the rights of the person who sends it from the console.
// An address that has sent too many requests without a good one waits before another key is
// looked up.
func (s *Server) logIn(c echo.Context) (in account.Login, err error) {
	if p, ok := personOf(c.Request().Context()); ok {
		return p.login, nil
	}
	key, ok := bearer(c.Request().Header.Get(echo.HeaderAuthorization))
	if err := s.limits.admit(c.RealIP(), key, time.Now()); err != nil {
		return in, err
	}
	if ok {
		in, err = account.Authenticate(c.Request().Context(), s.store, key)
	}
	switch {
	case !ok || errors.Is(err, account.ErrUnknownKey):
		s.limits.failed(c.RealIP(), key, time.Now())
		return in, contract.ErrNoKey
	case err != nil:
		return in, err
	}
	s.limits.worked(key)
	return in, nil
}

// underV1 reports a path that belongs to the API, known or not.
func underV1(r *http.Request) bool { return strings.HasPrefix(r.URL.Path+"/", "/v1/") }

func bearer(header string) (key string, ok bool) {
	scheme, key, _ := strings.Cut(header, " ")
	key = strings.TrimSpace(key)
	return key, strings.EqualFold(scheme, "bearer") && key != ""
}
