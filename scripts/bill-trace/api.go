package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"tollkeeper/gen"
)

// biller bills traces on one account of a server.
type biller struct {
	url      string // without a slash at its end
	key      string
	progress io.Writer
}

func connect(url, key string, progress io.Writer) *biller {
	return &biller{strings.TrimSuffix(url, "/") + "/v1", key, progress}
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
	return answer, b.ask(ctx, http.MethodGet, path, "", nil, &answer)
}

// post sends a body and reads the answer. The request is repeated without a second effect under the
// same idempotency key; "" sends none.
func post[T any](ctx context.Context, b *biller, path, idempotencyKey string, body any) (answer T, err error) {
	sent, err := json.Marshal(body)
	if err != nil {
		return answer, err
	}
	return answer, b.ask(ctx, http.MethodPost, path, idempotencyKey, sent, &answer)
}

// ask decodes the body of a success. Else the error is a [refusal], where the server says why.
func (b *biller) ask(ctx context.Context, method, path, idempotencyKey string, body []byte, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, b.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+b.key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	answered, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answered.Body.Close() }()
	decoder := json.NewDecoder(answered.Body)
	if answered.StatusCode < 300 {
		return decoder.Decode(answer)
	}
	refused := &refusal{}
	if err := decoder.Decode(refused); err != nil || refused.Status == 0 {
		return errors.New("the server answered " + answered.Status + " without a problem document")
	}
	return refused
}

func pointer[T any](v T) *T { return &v }
