package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"tollkeeper/gen"
)

// biller bills traces on one account of a server.
type biller struct {
	api      *gen.ClientWithResponses
	progress io.Writer
}

func connect(url, key string, progress io.Writer) (*biller, error) {
	api, err := gen.NewClientWithResponses(strings.TrimSuffix(url, "/"), gen.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+key)
			return nil
		}))
	return &biller{api, progress}, err
}

func (b *biller) say(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, format+"\n", args...)
}

// answer is what every response of the client can tell.
type answer interface {
	Status() string
	GetApplicationProblemJSONDefault() *gen.Failure
}

// refusal is a request that the server did not grant.
type refusal gen.Failure

func (r *refusal) Error() string {
	return fmt.Sprintf("the server refused with %d: %s", r.Status, r.Detail)
}

// granted returns the body of a success, or what went wrong.
func granted[T any](body *T, a answer) (*T, error) {
	if body != nil {
		return body, nil
	}
	if problem := a.GetApplicationProblemJSONDefault(); problem != nil {
		return nil, (*refusal)(problem)
	}
	return nil, errors.New("the server answered " + a.Status() + " without a problem document")
}

// status is that of a refusal, 0 for any other error.
func status(err error) int {
	var r *refusal
	if errors.As(err, &r) {
		return r.Status
	}
	return 0
}

func pointer[T any](v T) *T { return &v }
