package webhooks

import (
	"context"
	"net"
	"net/http"
	"net/netip"
)

// Allows reports whether webhooks may call an address where no networks are listed.
func Allows(address netip.Addr) bool { return allowlist{}.allows(address) }

// WhyNot is what is said of a receiver that cannot be called, where no networks are listed.
func WhyNot(ctx context.Context, url string) string {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return err.Error()
	}
	response, err := allowlist{}.client(net.DefaultResolver).Do(request)
	if err != nil {
		return failureReason(err)
	}
	_ = response.Body.Close()
	return response.Status
}
