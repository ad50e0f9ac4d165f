package importaccount

import (
	"context"
	"net/http"
)

// Send makes a request, for specs to set accounts up.
func (c *Client) Send(ctx context.Context, method, path string, body any) (map[string]any, error) {
	return c.send(ctx, method, path, body, "")
}

// Through lets requests go through a transport, without a pause before repeats.
func (c *Client) Through(transport http.RoundTripper) {
	c.http.Transport, c.pause = transport, 0
}

// What becomes of the members of a customer.
var (
	CustomerMembers = customerMembers
	CustomerOthers  = customerOthers
)
