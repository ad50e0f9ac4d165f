package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"tollkeeper/gen"
	"tollkeeper/scripts/rig"
)

// biller bills traces on one account of a server.
type biller struct {
	client   rig.Client
	progress io.Writer
}

func connect(url, key string, progress io.Writer) *biller {
	return &biller{rig.Client{URL: strings.TrimSuffix(url, "/") + "/v1", Key: key}, progress}
}

func (b *biller) say(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, format+"\n", args...)
}

// refusal is a request that the server did not grant. A refusal of events names them.
type refusal struct {
	gen.Problem
	ValidationFailed []gen.EventFailure `json:"validation_failed"`
}

func (r *refusal) Error() string {
	if len(r.ValidationFailed) > 0 {
		return fmt.Sprintf("%d events were refused, first of all: %s", len(r.ValidationFailed), r.Detail)
	}
	return fmt.Sprintf("the server refused with %d: %s", r.Status, r.Detail)
}

// status is that of a refusal, 0 for any other error.
func status(err error) int {
	var r *refusal
	if errors.As(err, &r) {
		return r.Status
	}
	return 0
}

// get reads an answer.
func get[T any](ctx context.Context, b *biller, path string, query url.Values) (answer T, err error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return answer, b.ask(ctx, rig.Request{Method: http.MethodGet, Path: path}, &answer)
}

// post sends a body and reads the answer. The request is repeated without a second effect under the
// same idempotency key; "" sends none.
func post[T any](ctx context.Context, b *biller, path, idempotencyKey string, body any) (answer T, err error) {
	return answer, b.ask(ctx, rig.Request{Method: http.MethodPost, Path: path, Body: body, IdempotencyKey: idempotencyKey}, &answer)
}

// ask decodes the body of a success. Else the error is a [refusal], where the server says why.
func (b *biller) ask(ctx context.Context, request rig.Request, answer any) error {
	err := b.client.Ask(ctx, request, answer)
	var no *rig.Refusal
	if !errors.As(err, &no) {
		return err
	}
	refused := &refusal{}
	if err := json.Unmarshal(no.Body, refused); err != nil || refused.Status == 0 {
		return fmt.Errorf("the server answered %d %s without a problem document", no.Status, http.StatusText(no.Status))
	}
	return refused
}

func pointer[T any](v T) *T { return &v }
