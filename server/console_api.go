package server

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/account"
	"tollkeeper/domain/audit"
)

// person is who sends a request from the console. The session was checked there.
type person struct {
	login account.Login // the account of the session, with a key that has the rights of the role
	actor audit.Actor
}

type personKey struct{}

// personOf returns the person who sends a request from the console, if one does. Nothing that
// comes over the network can set it.
func personOf(ctx context.Context) (person, bool) {
	p, ok := ctx.Value(personKey{}).(person)
	return p, ok
}

// answerPerson returns what the console sends requests to: the API itself, with its
// validation, rights, idempotency and audit log. Only the key of the request is not looked up.
func answerPerson(e *echo.Echo) func(http.ResponseWriter, *http.Request, account.Login, audit.Actor) {
	return func(w http.ResponseWriter, r *http.Request, in account.Login, by audit.Actor) {
		e.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), personKey{}, person{in, by})))
	}
}
