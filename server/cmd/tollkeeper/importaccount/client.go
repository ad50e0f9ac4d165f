package importaccount

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// object is a JSON object as it was sent. Its numbers are json.Number, so they keep their
// digits.
type object = map[string]any

// Client speaks to one account of a server.
type Client struct {
	url, key string
	http     *http.Client
	pause    time.Duration // before the first repeat of a request; each later one waits twice as long
}

// NewClient returns a client of the account of a key. The URL may end in /v1, as the
// addresses of hosted services do.
func NewClient(address, key string) (*Client, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, fmt.Errorf("%q is no address of a server, such as https://billing.example.com", address)
	}
	address = strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/v1")
	return &Client{url: address, key: key, http: &http.Client{Timeout: 2 * time.Minute, CheckRedirect: staying}, pause: time.Second}, nil
}

// staying follows no redirect: requests carry a key, and the rows of another server are not those that were asked for.
func staying(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// longestAnswer bounds an answer, in bytes. It is decoded into ten times as much.
const longestAnswer = 64 << 20

// Refusal is an answer that is not 2xx.
type Refusal struct {
	Status  int
	Request string // method and path
	Detail  string
	Events  map[string]string // of events that were sent: why each is refused, by its key
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s: %d %s", r.Request, r.Status, r.Detail)
}

// refused reports whether an error is an answer with this status.
func refused(err error, status int) bool {
	var r *Refusal
	return errors.As(err, &r) && r.Status == status
}

// attempts bounds how often a request is sent that the server cannot serve now.
const attempts = 8

// send makes a request, and repeats it while the server or the network fails for a time.
// A repeat is harmless: what creates something carries a key.
func (c *Client) send(ctx context.Context, method, path string, body any, key string) (object, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	pause := c.pause
	for attempt := 1; ; attempt++ {
		answer, wait, err := c.once(ctx, method, path, text, key)
		if err == nil || wait < 0 || attempt == attempts {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(max(pause, wait)):
		}
		pause *= 2
	}
}

// once makes a request once. A wait below 0 means that a repeat would not help.
func (c *Client) once(ctx context.Context, method, path string, body []byte, key string) (_ object, wait time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+"/v1"+path, bytes.NewReader(body))
	if err != nil {
		return nil, -1, err
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer+1))
	if err != nil {
		return nil, 0, err
	}
	if len(text) > longestAnswer {
		return nil, -1, fmt.Errorf("%s %s answered more than %d MB", method, path, longestAnswer>>20)
	}
	if response.StatusCode >= 300 {
		err = &Refusal{response.StatusCode, method + " " + path, detail(text), refusedEvents(text)}
		if response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 500 {
			seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
			return nil, time.Duration(min(max(seconds, 0), 60)) * time.Second, err
		}
		return nil, -1, err
	}
	if len(text) == 0 {
		return nil, 0, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var answer object
	if err := decoder.Decode(&answer); err != nil {
		return nil, -1, fmt.Errorf("%s %s answered no JSON object: %w", method, path, err)
	}
	return answer, 0, nil
}

// detail is what a problem says, with everything that is wrong in the request.
func detail(text []byte) string {
	var problem struct {
		Title, Detail    string
		ValidationErrors []string `json:"validation_errors"`
	}
	if json.Unmarshal(text, &problem) != nil {
		return "(the answer is no problem of the contract)"
	}
	if len(problem.ValidationErrors) > 0 {
		return strings.Join(problem.ValidationErrors, "; ")
	}
	return problem.Title + ": " + problem.Detail
}

// refusedEvents are those that the answer to an ingestion refuses, with the reasons.
func refusedEvents(text []byte) map[string]string {
	var problem struct {
		Failed []struct {
			Key    string   `json:"idempotency_key"`
			Errors []string `json:"validation_errors"`
		} `json:"validation_failed"`
	}
	if json.Unmarshal(text, &problem) != nil {
		return nil
	}
	reasons := map[string]string{}
	for _, event := range problem.Failed {
		reasons[event.Key] = strings.Join(event.Errors, "; ")
	}
	return reasons
}

func (c *Client) get(ctx context.Context, path string) (object, error) {
	return c.send(ctx, http.MethodGet, path, nil, "")
}

// list calls fn for each element of all pages, in the order of the pages.
func (c *Client) list(ctx context.Context, path string, query url.Values, fn func(object) error) error {
	if query == nil {
		query = url.Values{}
	}
	query.Set("limit", "100")
	for {
		page, err := c.get(ctx, path+"?"+query.Encode())
		if err != nil {
			return err
		}
		for _, element := range objects(page, "data") {
			if err := fn(element); err != nil {
				return err
			}
		}
		next := text(part(page, "pagination_metadata"), "next_cursor")
		if next == "" {
			return nil
		}
		query.Set("cursor", next)
	}
}

// oldestFirst returns all elements of a list that has the newest first.
func (c *Client) oldestFirst(ctx context.Context, path string, query url.Values) (all []object, err error) {
	err = c.list(ctx, path, query, func(element object) error {
		all = append(all, element)
		return nil
	})
	slices.Reverse(all)
	return all, err
}
