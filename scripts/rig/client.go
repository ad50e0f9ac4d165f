package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Object is a JSON object that is sent.
type Object = map[string]any

// Client asks a server for one account.
type Client struct {
	URL string // to which paths are added
	Key string // "": requests have no Authorization

	Within time.Duration // how long an answer is waited for; 0: as long as the context lasts

	// Again is the pause after which a request that met an outage is sent again, as it was, until the context ends. An outage
	// is no answer, a status of 500 or more, or 409. 0: an outage is reported like any other failure.
	Again time.Duration
}

// Request is a request of the API.
type Request struct {
	Method, Path   string
	Body           any // is sent as JSON, and []byte as it is; nil: there is none
	IdempotencyKey string
	Header         http.Header // replaces what the client would set
}

// Answer is an answer that came whole.
type Answer struct {
	Status int
	Body   []byte
}

// Refusal is an answer that is no success.
type Refusal struct {
	Asked string // method and path
	Answer
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: %d %s", r.Asked, r.Status, r.Body) }

// Send sends a request, whatever the status of its answer is.
func (c Client) Send(ctx context.Context, r Request) (Answer, error) {
	body, err := r.text()
	if err != nil {
		return Answer{}, err
	}
	for {
		answer, err := c.attempt(ctx, r, body)
		outage := err != nil || answer.Status >= http.StatusInternalServerError || answer.Status == http.StatusConflict
		if c.Again == 0 || !outage {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return answer, err
		case <-time.After(c.Again):
		}
	}
}

// text is the body of a request.
func (r Request) text() ([]byte, error) {
	switch body := r.Body.(type) {
	case nil:
		return nil, nil
	case []byte:
		return body, nil
	default:
		return json.Marshal(body)
	}
}

// attempt sends a request once.
func (c Client) attempt(ctx context.Context, r Request, body []byte) (answer Answer, err error) {
	if c.Within > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, c.Within)
		defer stop()
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, c.URL+r.Path, bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	c.describe(request.Header, r, body)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer, err
	}
	defer func() { _ = response.Body.Close() }()
	answer.Body, err = io.ReadAll(response.Body)
	if err != nil {
		return Answer{}, err
	}
	answer.Status = response.StatusCode
	return answer, nil
}

// describe sets the headers of a request.
func (c Client) describe(header http.Header, r Request, body []byte) {
	if c.Key != "" {
		header.Set("Authorization", "Bearer "+c.Key)
	}
	if len(body) > 0 {
		header.Set("Content-Type", "application/json")
	}
	if r.IdempotencyKey != "" {
		header.Set("Idempotency-Key", r.IdempotencyKey)
	}
	for name, values := range r.Header {
		header[name] = values
	}
}

// Do sends a request that has to succeed. Any status but 2xx is a [Refusal].
func (c Client) Do(ctx context.Context, r Request) (Answer, error) {
	answer, err := c.Send(ctx, r)
	if err == nil && (answer.Status < http.StatusOK || answer.Status >= http.StatusMultipleChoices) {
		err = &Refusal{Asked: r.Method + " " + r.Path, Answer: answer}
	}
	return answer, err
}

// Ask is Do that reads the answer into a value. Numbers stay as they are written where the value is an any.
func (c Client) Ask(ctx context.Context, r Request, into any) error {
	answer, err := c.Do(ctx, r)
	if err != nil || into == nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(answer.Body))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s %s: read the answer: %w", r.Method, r.Path, err)
	}
	return nil
}

// Get reads something.
func (c Client) Get(ctx context.Context, path string, into any) error {
	return c.Ask(ctx, Request{Method: http.MethodGet, Path: path}, into)
}

// Post sends something. The value may be nil.
func (c Client) Post(ctx context.Context, path string, body, into any) error {
	return c.Ask(ctx, Request{Method: http.MethodPost, Path: path, Body: body}, into)
}

// Create makes something and returns its id.
func (c Client) Create(ctx context.Context, path string, body any) (id string, err error) {
	var made struct{ ID string }
	err = c.Post(ctx, path, body, &made)
	return made.ID, err
}

// List reads every page of a list, in its order.
func List[T any](ctx context.Context, c Client, path string) (all []T, err error) {
	sign := "?"
	if strings.Contains(path, "?") {
		sign = "&"
	}
	for cursor := ""; ; {
		var page struct {
			Data  []T
			Pages struct {
				Next string `json:"next_cursor"` // "" where it is null
			} `json:"pagination_metadata"`
		}
		if err := c.Get(ctx, path+sign+"limit=100"+cursor, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Data...)
		if page.Pages.Next == "" {
			return all, nil
		}
		cursor = "&cursor=" + page.Pages.Next
	}
}
