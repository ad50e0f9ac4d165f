package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
)

type (
	object = map[string]any
	list   = []any
)

// client asks a server of this process for one account.
type client struct {
	api http.Handler
	key string
}

// post sends a request, and returns the answer. What is no success is an error.
func (c client) post(ctx context.Context, path string, body object) (object, error) {
	return c.send(ctx, http.MethodPost, path, body)
}

func (c client) get(ctx context.Context, path string) (object, error) {
	return c.send(ctx, http.MethodGet, path, nil)
}

func (c client) send(ctx context.Context, method, path string, body object) (object, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request := httptest.NewRequestWithContext(ctx, method, "/v1"+path, bytes.NewReader(text))
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	c.api.ServeHTTP(answer, request)
	if answer.Code >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("%s /v1%s: %d %s", method, path, answer.Code, answer.Body)
	}
	var decoded object
	decoder := json.NewDecoder(answer.Body)
	decoder.UseNumber()
	return decoded, decoder.Decode(&decoded)
}

// make creates something, and returns its id.
func (c client) make(ctx context.Context, path string, body object) (string, error) {
	made, err := c.post(ctx, path, body)
	id, _ := made["id"].(string)
	return id, err
}

// rows are the elements of a list.
func rows(answer object) (all []object) {
	data, _ := answer["data"].([]any)
	for _, row := range data {
		if o, ok := row.(object); ok {
			all = append(all, o)
		}
	}
	return all
}
