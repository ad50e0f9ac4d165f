package assistant

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// client sends requests with the key of an account.
type client struct {
	base, key string
	http      *http.Client
}

// send returns the answer to a request, or why there is none.
func (c *client) send(request *http.Request) (string, error) {
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("User-Agent", "tollkeeper-mcp")
	response, err := c.http.Do(request)
	if err != nil {
		return "", fmt.Errorf("the server was not reached: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer+1))
	if err != nil {
		return "", fmt.Errorf("the answer broke off: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%d: %s", response.StatusCode, problemText(text))
	}
	if len(text) > longestAnswer {
		return "", fmt.Errorf("the answer has more than %d KiB; ask for less, with a smaller limit or a shorter time", longestAnswer>>10)
	}
	return string(text), nil
}

// problemText is what a failed answer says.
func problemText(text []byte) string {
	var problem struct {
		Title            string   `json:"title"`
		Detail           string   `json:"detail"`
		ValidationErrors []string `json:"validation_errors"`
	}
	if json.Unmarshal(text, &problem) != nil || problem.Title == "" {
		return "the server answered something that is no problem document"
	}
	said := []string{problem.Title}
	if problem.Detail != "" {
		said = append(said, problem.Detail)
	}
	return strings.Join(append(said, problem.ValidationErrors...), "\n")
}
